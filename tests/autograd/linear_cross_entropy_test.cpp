// The loss over a large vocabulary in chunks, against the loss of all logits at once.
#include <tensorette_test.hpp>

#include <op_samples.hpp>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/fused/cross_entropy.hpp>
#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/autograd/fused/linear_cross_entropy.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/memory.hpp>
#include <tensorette/tensor/random.hpp>
#include <vector>

namespace tensorette::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

// Two chunks of about 4 million logits and a rest.
constexpr Index rows = 500;
constexpr Index width = 3;
constexpr Index classes = 20'000;

std::vector<Variable> inputs_of(DType dtype) {
  return {parameter(values_between(-1, 1, {rows, width}, 1).to(dtype)),
          parameter(values_between(-1, 1, {classes, width}, 2).to(dtype)),
          parameter(values_between(-1, 1, {classes}, 3).to(dtype))};
}

// Some of the rows do not count.
Tensor targets_of_rows() {
  const Tensor targets = Generator(4).integers({rows}, 0, classes);
  return where(less(Generator(5).integers({rows}, 0, 4), Scalar(1)), Scalar(-1), targets);
}

TEST_CASE("linear_cross_entropy gives the loss and gradients of all logits at once",
          "[autograd][fused]") {
  const std::vector<Variable> in = inputs_of(DType::f64);
  const Tensor targets = targets_of_rows();
  const Variable found = linear_cross_entropy(in[0], in[1], in[2], targets, -1, 0.1);
  const Variable expected = cross_entropy(linear(in[0], in[1], in[2]), targets, -1, 0.1);
  REQUIRE(found.shape() == Shape{rows});
  CHECK(all_close(found.value(), expected.value(), 1e-12, 1e-13));
  const Variable upstream = values_between(-1, 1, {rows}, 6);
  const auto gradients = grad({&found, 1}, in, {&upstream, 1});
  const auto wanted = grad({&expected, 1}, in, {&upstream, 1});
  for (std::size_t i = 0; i < in.size(); ++i) {
    INFO("input " << i);
    CHECK(all_close(gradients[i].value(), wanted[i].value(), 1e-10, 1e-12));
  }
}

TEST_CASE("linear_cross_entropy of a sum, made ready by forward, has the same gradients",
          "[autograd][fused]") {
  const std::vector<Variable> in = inputs_of(DType::f64);
  const Tensor targets = targets_of_rows();
  const auto losses = [&] { return linear_cross_entropy(in[0], in[1], in[2], targets, -1, 0.1); };
  const Variable found = sum(losses()) * 0.25;
  const Variable expected =
      sum(cross_entropy(linear(in[0], in[1], in[2]), targets, -1, 0.1)) * 0.25;
  const auto wanted = grad({&expected, 1}, in);
  for (int turn = 0; turn < 2; ++turn) {  // what is ready serves every turn
    auto gradients = grad({&found, 1}, in, {}, {.retain_graph = true});
    for (std::size_t i = 0; i < in.size(); ++i) {
      INFO("input " << i);
      CHECK(all_close(gradients[i].value(), wanted[i].value(), 1e-10, 1e-12));
    }
    multiply_(gradients[1].mutable_value(), 0.0);  // belongs to the caller
  }
  // Only some inputs ask for one.
  const Variable x = in[0].value();
  sum(linear_cross_entropy(x, in[1], in[2].value(), targets, -1, 0.1)).backward();
  CHECK(all_close(in[1].grad().value(), multiply(wanted[1].value(), 4.0), 1e-10, 1e-12));
  CHECK_FALSE(x.grad().is_defined());
}

TEST_CASE("linear_cross_entropy never holds all logits", "[autograd][fused][memory]") {
  const std::vector<Variable> in = inputs_of(DType::f32);
  const Tensor targets = targets_of_rows();
  const std::int64_t before = memory::statistics().live_bytes;
  memory::reset_peak();
  sum(linear_cross_entropy(in[0], in[1], in[2], targets, -1)).backward();
  const std::int64_t table = rows * classes * 4;
  const std::int64_t parameters = classes * (width + 1) * 4;
  // A chunk of 209 rows, what a product of a chunk packs, and the gradients of the parameters.
  CHECK(memory::statistics().peak_live_bytes - before < table / 2 + 2 * parameters);
}

TEST_CASE("linear_cross_entropy refuses what does not fit", "[autograd][fused]") {
  const Variable x = zeros({2, 3});
  const Variable weight = zeros({5, 3});
  const Tensor targets = zeros({2}, DType::i64);
  CHECK_THROWS_WITH(
      linear_cross_entropy(x, zeros({5, 4}), {}, targets),
      ContainsSubstring("linear_cross_entropy: x is [2, 3], its last axis must be 4"));
  CHECK_THROWS_AS(linear_cross_entropy(x, weight, zeros({4}), targets), ShapeError);
  CHECK_THROWS_AS(linear_cross_entropy(x, weight, {}, zeros({3}, DType::i64)), ShapeError);
  CHECK_THROWS_AS(linear_cross_entropy(x, zeros({5, 3}, DType::f64), {}, targets), DTypeError);
  CHECK_THROWS_AS(linear_cross_entropy(x, weight, {}, zeros({2})), DTypeError);
  CHECK_THROWS_AS(linear_cross_entropy(Variable(), weight, {}, targets), Error);
  CHECK_THROWS_WITH(linear_cross_entropy(x, weight, {}, full({2}, 5, DType::i64)),
                    ContainsSubstring("target 5 at position 0 is outside [0, 5)"));
}

}  // namespace
}  // namespace tensorette::testing
