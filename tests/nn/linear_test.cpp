// The affine layer.
#include <algorithm>
#include <cmath>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/linear.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

Linear random_linear(const LinearOptions& options, DType dtype = DType::f64) {
  Generator generator(61);
  Linear linear(options, generator);
  linear.to(dtype);
  randomize(linear, generator);
  return linear;
}

}  // namespace

TEST_CASE("linear is x Wᵀ + b over any leading axes", "[linear]") {
  Generator generator(62);
  for (const bool bias : {true, false}) {
    const Linear linear = random_linear({.in = 3, .out = 4, .bias = bias});
    for (const Shape& shape :
         {Shape{3}, Shape{5, 3}, Shape{2, 5, 3}, Shape{2, 1, 5, 3}, Shape{0, 3}, Shape{2, 0, 3}}) {
      INFO("rank " << shape.rank() << ", bias " << bias);
      const Variable x = parameter(generator.normal(shape, 0, 1, DType::f64));
      const Variable y = linear.forward(x);
      Variable expected = matmul(x, transpose(linear.weight));
      if (bias) expected = expected + linear.bias;
      REQUIRE(y.shape() == expected.shape());
      CHECK(distance(y.value(), expected.value()) < 1e-14);
      const Variable upstream = generator.normal(y.shape(), 0, 1, DType::f64);
      std::vector<Variable> inputs{x, linear.weight};
      if (bias) inputs.push_back(linear.bias);
      const auto got = grad(std::vector{y}, inputs, std::vector{upstream});
      const auto wanted = grad(std::vector{expected}, inputs, std::vector{upstream});
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        CHECK(distance(got[i].value(), wanted[i].value()) < 1e-13);
      }
    }
  }
}

TEST_CASE("linear reads strided inputs", "[linear]") {
  Generator generator(63);
  const Linear linear = random_linear({.in = 3, .out = 2}, DType::f32);
  const Tensor x = generator.normal({3, 4, 5});
  const Tensor turned = transpose(x, 0, 2);  // [5, 4, 3]
  CHECK(distance(linear.forward(turned).value(), linear.forward(turned.contiguous()).value()) <
        1e-6);
}

TEST_CASE("first values of linear are Xavier-uniform, biases 0", "[linear]") {
  Generator first(64), second(64);
  const Linear a({.in = 50, .out = 30}, first), b({.in = 50, .out = 30}, second);
  CHECK(same_bits(a.weight.value(), b.weight.value()));
  const double bound = std::sqrt(6.0 / 80.0);
  const std::vector<double> weights = numbers(a.weight.value());
  double sum = 0, squares = 0;
  for (const double w : weights) {
    CHECK(std::abs(w) <= bound + 1e-7);
    sum += w;
    squares += w * w;
  }
  const auto count = static_cast<double>(weights.size());
  CHECK(std::abs(sum / count) < 0.03);
  CHECK(squares / count == Catch::Approx(bound * bound / 3).epsilon(0.1));
  CHECK(distance(a.bias.value(), zeros({30})) == 0.0);
  CHECK_FALSE(Linear({.in = 2, .out = 3, .bias = false}, first).bias.is_defined());
  CHECK(Linear({.in = 2, .out = 3, .bias = false}, first).parameter_count() == 6);
}

TEST_CASE("a wrong width is named", "[linear]") {
  const Linear linear = random_linear({.in = 3, .out = 4}, DType::f32);
  CHECK_THAT(error_text<ShapeError>([&] {
               (void)linear.forward(zeros({2, 4}));
             }),
             ContainsSubstring("[2, 4]") && ContainsSubstring("3") && ContainsSubstring("Linear"));
  CHECK_THAT(error_text<DTypeError>([&] {
               (void)linear.forward(zeros({2, 3}, DType::f64));
             }),
             ContainsSubstring("f64") && ContainsSubstring("f32"));
  Generator generator;
  for (const LinearOptions& wrong : {LinearOptions{.in = 0, .out = 1}, LinearOptions{.in = 2},
                                     LinearOptions{.in = -1, .out = 1}}) {
    CHECK_THAT(error_text<Error>([&] { (void)Linear(wrong, generator); }),
               ContainsSubstring("must be positive"));
  }
}
