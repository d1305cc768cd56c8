// What an undefined tensor or variable answers; and powers of a number.
#include <cmath>
#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

namespace tt = tensorette;
using namespace tensorette::testing;
using tt::Tensor;
using tt::Variable;

TEST_CASE("an undefined tensor answers every question that can't throw", "[autograd]") {
  Tensor none;
  CHECK_FALSE(none.is_defined());
  CHECK(none.version() == 0);
  CHECK_FALSE(none.is_unshared());
  CHECK_FALSE(none.shares_storage_with(Tensor()));
  CHECK_FALSE(none.shares_storage_with(tt::zeros({2})));
  CHECK_FALSE(tt::zeros({2}).shares_storage_with(none));
  CHECK(none.storage().get() == nullptr);
  CHECK(none.is_contiguous());
  CHECK(none.rank() == 0);
  CHECK(none.offset() == 0);
  CHECK_THROWS_AS(none.data<float>(), tt::Error);
  CHECK_THROWS_AS(none.mutable_data<float>(), tt::Error);
  CHECK_THROWS_AS(none.item(), tt::Error);
  CHECK_THROWS_AS(none.to_vector<float>(), tt::Error);
}

TEST_CASE("an undefined variable answers every question that can't throw", "[autograd]") {
  const Variable none;
  CHECK_FALSE(none.is_defined());
  CHECK_FALSE(none.requires_grad());
  CHECK(none.is_leaf());
  CHECK(none.node().get() == nullptr);
  CHECK(none.name().empty());
  CHECK_FALSE(none.grad().is_defined());
  CHECK_FALSE(none.detach().is_defined());
  CHECK(none.value().version() == 0);
  none.zero_grad();
  CHECK_THROWS_AS(none.item(), tt::Error);
  CHECK_THROWS_AS(none.backward(), tt::Error);
}

TEST_CASE("a number to the power of a variable has its derivative", "[autograd]") {
  const Variable x = tt::parameter(tt::tensor({-1.0, 0.0, 3.0}, tt::DType::f64));
  const Variable y = tt::pow(2, x);
  CHECK(distance(y.value(), {0.5, 1.0, 8.0}) < 1e-15);
  tt::sum(y).backward();
  const double log_2 = std::log(2.0);
  CHECK(distance(x.grad().value(), {0.5 * log_2, log_2, 8.0 * log_2}) < 1e-14);
}

TEST_CASE("the root mean square norm has the module's epsilon", "[autograd]") {
  const Tensor x = tt::full({1, 2}, 1e-3, tt::DType::f64);
  const Tensor gain = tt::ones({2}, tt::DType::f64);
  CHECK(same_bits(tt::rms_norm(x, gain).value(), tt::rms_norm(x, gain, 1e-5).value()));
  CHECK(same_bits(tt::rms_norm_reference(x, gain).value(),
                  tt::rms_norm_reference(x, gain, 1e-5).value()));
}
