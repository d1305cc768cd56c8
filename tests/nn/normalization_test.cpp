// Layer norm and RMS norm.
#include <cmath>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/normalization.hpp>
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

/// First and second gradients of both spellings of one function agree.
void check_both(const Variable& fused, const Variable& spelled, const std::vector<Variable>& inputs,
                Generator& generator) {
  CHECK(distance(fused.value(), spelled.value()) < 1e-12);
  const Variable upstream = generator.normal(fused.shape(), 0, 1, DType::f64);
  const auto got = grad(std::vector{fused}, inputs, std::vector{upstream}, {.create_graph = true});
  const auto wanted =
      grad(std::vector{spelled}, inputs, std::vector{upstream}, {.create_graph = true});
  Variable got_sum = zeros({}, DType::f64), wanted_sum = zeros({}, DType::f64);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    CHECK(distance(got[i].value(), wanted[i].value()) < 1e-11);
    const Variable direction = generator.normal(inputs[i].shape(), 0, 1, DType::f64);
    got_sum = got_sum + sum(got[i] * direction);
    wanted_sum = wanted_sum + sum(wanted[i] * direction);
  }
  // Leave out the last input: a bias has no second gradient.
  const std::vector<Variable> curved(inputs.begin(), inputs.begin() + 2);
  const auto second = grad(std::vector{got_sum}, curved);
  const auto second_wanted = grad(std::vector{wanted_sum}, curved);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(distance(second[i].value(), second_wanted[i].value()) < 1e-10);
  }
}

}  // namespace

TEST_CASE("rows with a large mean keep their digits", "[norm][field][A29]") {
  const LayerNorm norm({.dim = 4});
  const Tensor x = tensor({{2000, 2001, 2002, 2003}});
  CHECK(distance(norm.forward(x).value(), {-1.3416354, -0.4472118, 0.4472118, 1.3416354}) < 1e-3);
}

TEST_CASE("layer norm has mean 0 and deviation 1 before gain and bias", "[norm]") {
  Generator generator(81);
  LayerNorm norm({.dim = 7, .epsilon = 1e-5});
  norm.to(DType::f64);
  randomize(norm, generator);
  const Tensor x = generator.normal({3, 4, 7}, 2, 3, DType::f64);
  const std::vector<double> values = numbers(x), gain = numbers(norm.weight.value()),
                            bias = numbers(norm.bias.value());
  std::vector<double> expected;
  for (std::size_t row = 0; row < 12; ++row) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < 7; ++i) mean += values[row * 7 + i] / 7;
    for (std::size_t i = 0; i < 7; ++i) variance += std::pow(values[row * 7 + i] - mean, 2) / 7;
    for (std::size_t i = 0; i < 7; ++i) {
      expected.push_back((values[row * 7 + i] - mean) / std::sqrt(variance + 1e-5) * gain[i] +
                         bias[i]);
    }
  }
  CHECK(distance(norm.forward(x).value(), expected) < 1e-12);
  CHECK(distance(norm.forward(transpose(transpose(x, 0, 2).contiguous(), 0, 2)).value(), expected) <
        1e-12);
}

TEST_CASE("RMS norm divides by the root of the mean square", "[norm]") {
  RMSNorm norm({.dim = 2, .epsilon = 1e-12});
  norm.to(DType::f64);
  CHECK(distance(norm.forward(tensor({{3, 4}}, DType::f64)).value(),
                 {3 / std::sqrt(12.5), 4 / std::sqrt(12.5)}) < 1e-10);
}

TEST_CASE("norms and their gradients equal their definitions", "[norm]") {
  Generator generator(82);
  const Variable x = parameter(generator.normal({3, 2, 5}, 1, 2, DType::f64));
  const Variable gain = parameter(generator.normal({5}, 1, 0.5, DType::f64));
  const Variable bias = parameter(generator.normal({5}, 0, 0.5, DType::f64));
  check_both(layer_norm(x, gain, bias), layer_norm_reference(x, gain, bias), {x, gain, bias},
             generator);
  check_both(layer_norm(x, gain, {}), layer_norm_reference(x, gain, {}), {x, gain}, generator);
  check_both(rms_norm(x, gain), rms_norm_reference(x, gain), {x, gain}, generator);
}

TEST_CASE("equal elements, single elements and no rows are fine", "[norm]") {
  const LayerNorm norm({.dim = 3});
  CHECK(distance(norm.forward(full({2, 3}, 5)).value(), zeros({2, 3})) == 0.0);
  CHECK(norm.forward(zeros({0, 3})).shape() == Shape{0, 3});
  CHECK(distance(LayerNorm({.dim = 1}).forward(full({2, 1}, 9)).value(), zeros({2, 1})) == 0.0);
  CHECK(distance(RMSNorm({.dim = 3}).forward(zeros({3})).value(), zeros({3})) == 0.0);
}

TEST_CASE("norms list their parameters and refuse wrong sizes", "[norm]") {
  CHECK(LayerNorm({.dim = 4}).parameter_count() == 8);
  CHECK(LayerNorm({.dim = 4, .bias = false}).parameter_count() == 4);
  CHECK(RMSNorm({.dim = 4}).parameter_count() == 4);
  const LayerNorm norm({.dim = 4});
  CHECK_THAT(
      error_text<ShapeError>([&] {
        (void)norm.forward(zeros({2, 3}));
      }),
      ContainsSubstring("[2, 3]") && ContainsSubstring("4") && ContainsSubstring("LayerNorm"));
  CHECK_THAT(error_text<Error>([] { (void)LayerNorm({.dim = 0}); }),
             ContainsSubstring("must be positive"));
  CHECK_THAT(error_text<Error>([] { (void)RMSNorm({.dim = 2, .epsilon = 0}); }),
             ContainsSubstring("must be positive"));
}
