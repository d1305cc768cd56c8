// What is taken from a temporary outlives it.
#include <tensorette_test.hpp>

#include <compare.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>
#include <type_traits>
#include <utility>

namespace tensorette::testing {
namespace {

static_assert(std::is_same_v<decltype(std::declval<Variable>().value()), Tensor>);
static_assert(std::is_same_v<decltype(std::declval<const Variable&>().value()), const Tensor&>);
static_assert(std::is_same_v<decltype(std::declval<Variable>().shape()), Shape>);
static_assert(std::is_same_v<decltype(std::declval<const Variable&>().shape()), const Shape&>);
static_assert(std::is_same_v<decltype(std::declval<Tensor>().shape()), Shape>);
static_assert(std::is_same_v<decltype(std::declval<const Tensor&>().shape()), const Shape&>);
static_assert(std::is_same_v<decltype(std::declval<Tensor>().strides()), Strides>);

TEST_CASE("value and shape of a temporary outlive it", "[autograd]") {
  const Variable x = parameter(tensor({{1, 2, 3}, {4, 5, 6}}, DType::f64));
  const Tensor& value = (x * 2).value();
  const Shape& shape = transpose(x * 2).shape();
  const Strides& strides = transpose(x.value() * 2.0).strides();
  CHECK(distance(value, {2, 4, 6, 8, 10, 12}) == 0);
  CHECK(shape == Shape{3, 2});
  CHECK(strides[1] == 3);
  Index product = 1;
  for (const Index size : (x * 2).value().shape()) product *= size;
  CHECK(product == 6);
  // A handle, not a copy of the elements.
  CHECK(Variable(x).value().shares_storage_with(x.value()));
}

}  // namespace
}  // namespace tensorette::testing
