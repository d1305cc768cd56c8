// Gradients of multi-head self-attention, first and second order: against differences of plain
// loops, against the steps, and against differences of the first gradients.
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/multi_head_self_attention.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "attention_oracle.hpp"
#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;

namespace {

constexpr Index batch = 3, heads = 2, tokens = 4, dim = 3;

MultiHeadSelfAttention make(DType dtype) {
  Generator generator(21);
  MultiHeadSelfAttention attention({.embedding_dim = dim, .heads = heads, .qkv_dim = 4}, generator);
  attention.to(dtype);
  randomize(attention, generator);
  return attention;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Central differences of `loss` in every element of `place`.
template <class Loss>
void append_differences(std::vector<double>& place, Loss&& loss, std::vector<double>& result) {
  constexpr double step = 1e-5;
  for (double& element : place) {
    const double before = element;
    element = before + step;
    const double above = loss();
    element = before - step;
    const double below = loss();
    element = before;
    result.push_back((above - below) / (2 * step));
  }
}

/// The inputs that get gradients: x, then the parameters.
std::vector<Variable> inputs_of(const MultiHeadSelfAttention& attention, const Variable& x) {
  std::vector<Variable> inputs{x};
  for (const Variable& parameter : attention.parameters()) inputs.push_back(parameter);
  return inputs;
}

std::vector<Variable> gradients(const Variable& output, const std::vector<Variable>& inputs,
                                const Tensor& upstream, bool create_graph = false) {
  return grad(std::vector{output}, inputs, std::vector{Variable(upstream)},
              {.create_graph = create_graph});
}

/// Gradients of Σ g · d, the gradients g contracted with directions d.
std::vector<Variable> second_gradients(const Variable& output, const std::vector<Variable>& inputs,
                                       const Variable& upstream,
                                       const std::vector<Tensor>& directions) {
  const std::vector<Variable> first =
      grad(std::vector{output}, inputs, std::vector{upstream}, {.create_graph = true});
  Variable total = zeros({}, output.dtype());
  for (std::size_t i = 0; i < first.size(); ++i) {
    total = total + sum(first[i] * Variable(directions[i]));
  }
  std::vector<Variable> wanted = inputs;
  if (upstream.requires_grad()) wanted.push_back(upstream);
  return grad(std::vector{total}, wanted);
}

std::vector<Tensor> random_like(const std::vector<Variable>& inputs, Generator& generator) {
  std::vector<Tensor> result;
  for (const Variable& input : inputs) {
    result.push_back(generator.normal(input.shape(), 0, 1, input.dtype()));
  }
  return result;
}

}  // namespace

TEST_CASE("gradients equal differences of plain loops for every mask", "[attention]") {
  const auto attention = make(DType::f64);
  Generator generator(22);
  const Variable x = parameter(generator.normal({batch, tokens, dim}, 0, 1, DType::f64));
  const Tensor upstream = generator.normal({batch, tokens, dim}, 0, 1, DType::f64);
  const std::vector<double> weights = numbers(upstream);

  for (const MaskCase& c : mask_cases(batch, heads, tokens, tokens, DType::f64)) {
    INFO(c.name);
    PlainAttention plain = plain_copy(attention);
    std::vector<double> plain_x = numbers(x.value());
    const auto loss = [&] {
      return dot(plain_attention(plain, batch, plain_x, plain_x, plain_x, c.plain).output, weights);
    };
    std::vector<double> of_x, of_packed, of_packed_bias, of_output, of_output_bias;
    append_differences(plain_x, loss, of_x);
    for (PlainProjection* part : {&plain.query, &plain.key, &plain.value}) {
      append_differences(part->weight, loss, of_packed);
      append_differences(part->bias, loss, of_packed_bias);
    }
    append_differences(plain.output.weight, loss, of_output);
    append_differences(plain.output.bias, loss, of_output_bias);

    const auto got = gradients(attention.forward(x, c.mask), inputs_of(attention, x), upstream);
    CHECK(distance(got[0].value(), of_x) < 1e-8);
    CHECK(distance(got[1].value(), of_packed) < 1e-8);
    CHECK(distance(got[2].value(), of_packed_bias) < 1e-8);
    CHECK(distance(got[3].value(), of_output) < 1e-8);
    CHECK(distance(got[4].value(), of_output_bias) < 1e-8);
  }
}

TEST_CASE("gradients equal those of the steps for every mask", "[attention]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double tolerance = dtype == DType::f32 ? 1e-5 : 1e-12;
    const auto attention = make(dtype);
    Generator generator(23);
    const Variable x = parameter(generator.normal({batch, tokens, dim}, 0, 1, dtype));
    const Tensor upstream = generator.normal({batch, tokens, dim}, 0, 1, dtype);
    for (const MaskCase& c : mask_cases(batch, heads, tokens, tokens, dtype)) {
      const auto inputs = inputs_of(attention, x);
      const auto fused = gradients(attention.forward(x, c.mask), inputs, upstream);
      const auto steps = gradients(attention.steps(x, c.mask).output, inputs, upstream);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        INFO(c.name << ", input " << i);
        CHECK(distance(fused[i].value(), steps[i].value()) < tolerance);
      }
    }
  }
}

TEST_CASE("second gradients equal those of the steps for every mask", "[attention]") {
  const auto attention = make(DType::f64);
  Generator generator(24);
  const Variable x = parameter(generator.normal({batch, tokens, dim}, 0, 1, DType::f64));
  const Variable upstream = parameter(generator.normal({batch, tokens, dim}, 0, 1, DType::f64));
  const auto inputs = inputs_of(attention, x);
  const std::vector<Tensor> directions = random_like(inputs, generator);
  for (const MaskCase& c : mask_cases(batch, heads, tokens, tokens, DType::f64)) {
    const auto fused = second_gradients(attention.forward(x, c.mask), inputs, upstream, directions);
    const auto steps =
        second_gradients(attention.steps(x, c.mask).output, inputs, upstream, directions);
    for (std::size_t i = 0; i < fused.size(); ++i) {
      INFO(c.name << ", input " << i);
      CHECK(distance(fused[i].value(), steps[i].value()) < 1e-12);
    }
  }
}

TEST_CASE("second gradients equal differences of the first ones", "[attention]") {
  auto attention = make(DType::f64);
  Generator generator(25);
  const Variable x = parameter(generator.normal({batch, tokens, dim}, 0, 1, DType::f64));
  const Tensor upstream = generator.normal({batch, tokens, dim}, 0, 1, DType::f64);
  const auto inputs = inputs_of(attention, x);
  const std::vector<Tensor> directions = random_like(inputs, generator);
  constexpr double step = 1e-5;
  for (const MaskCase& c : mask_cases(batch, heads, tokens, tokens, DType::f64)) {
    const auto exact = second_gradients(attention.forward(x, c.mask), inputs, upstream, directions);
    const auto moved = [&](double by) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        Tensor value = inputs[i].value();
        copy_(value, value + directions[i] * by);
      }
      auto result = gradients(attention.forward(x, c.mask), inputs, upstream);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        Tensor value = inputs[i].value();
        copy_(value, value - directions[i] * by);
      }
      return result;
    };
    const auto above = moved(step);
    const auto below = moved(-step);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      INFO(c.name << ", input " << i);
      const Tensor difference = (above[i].value() - below[i].value()) / (2 * step);
      CHECK(distance(exact[i].value(), difference) < 1e-7);
    }
  }
}

TEST_CASE("a bias table gets the gradient of its own shape", "[attention]") {
  const auto attention = make(DType::f64);
  Generator generator(26);
  const Tensor x = generator.normal({batch, tokens, dim}, 0, 1, DType::f64);
  const Tensor upstream = generator.normal({batch, tokens, dim}, 0, 1, DType::f64);
  for (const Shape& shape :
       {Shape{tokens, tokens}, Shape{batch, tokens, tokens}, Shape{batch, 1, tokens, tokens},
        Shape{batch, heads, tokens, tokens}}) {
    INFO("bias of rank " << shape.rank());
    const Variable table = parameter(generator.normal(shape, 0, 1, DType::f64));
    const AttentionMask mask = AttentionMask::causal() & AttentionMask::bias(table);
    const std::vector<Variable> inputs{table};
    const auto fused = gradients(attention.forward(x, mask), inputs, upstream);
    const auto steps = gradients(attention.steps(x, mask).output, inputs, upstream);
    CHECK(fused[0].shape() == shape);
    CHECK(distance(fused[0].value(), steps[0].value()) < 1e-12);
    const std::vector<Tensor> directions{generator.normal(shape, 0, 1, DType::f64)};
    CHECK(distance(second_gradients(attention.forward(x, mask), inputs, Variable(upstream),
                                    directions)[0]
                       .value(),
                   second_gradients(attention.steps(x, mask).output, inputs, Variable(upstream),
                                    directions)[0]
                       .value()) < 1e-12);
  }
}

TEST_CASE("queries without any key leave every gradient finite", "[attention][field][A01]") {
  const auto attention = make(DType::f32);
  Generator generator(27);
  const Variable x = parameter(generator.normal({batch, tokens, dim}));
  const AttentionMask nothing = AttentionMask::allow(zeros({tokens, tokens}, DType::boolean));
  const auto inputs = inputs_of(attention, x);
  const Tensor upstream = ones({batch, tokens, dim});
  const auto first = gradients(attention.forward(x, nothing), inputs, upstream);
  const auto second = second_gradients(attention.forward(x, nothing), inputs, Variable(upstream),
                                       random_like(inputs, generator));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    CHECK(is_finite(second[i].value()));
    // Only the output bias is left in the result.
    const bool is_output_bias = i + 1 == inputs.size();
    const Tensor expected = is_output_bias
                                ? full(inputs[i].shape(), static_cast<double>(batch * tokens))
                                : zeros(inputs[i].shape());
    CHECK(distance(first[i].value(), expected) == 0.0);
  }
}

TEST_CASE("with dropout, values and gradients are those of the reference", "[attention]") {
  Generator generator(28);
  const Tensor packed_value = generator.normal({batch, tokens, 3 * 4}, 0, 1, DType::f64);
  const Variable packed = parameter(packed_value);
  const AttentionRule rule{.causal = true, .dropout = 0.4, .dropout_state = generator.state()};
  const auto reference = [&] {
    const auto part = [&](Index first) { return split_heads(narrow(packed, 2, first, 4), heads); };
    return merge_heads(attention_reference(part(0), part(4), part(8), rule));
  };
  const Variable fused = packed_attention(packed, heads, rule);
  CHECK(distance(fused.value(), reference().value()) < 1e-12);
  AttentionRule without = rule;
  without.dropout = 0;
  CHECK(distance(fused.value(), packed_attention(packed, heads, without).value()) > 1e-3);

  const Tensor upstream = generator.normal({batch, tokens, 4}, 0, 1, DType::f64);
  const std::vector<Variable> inputs{packed};
  const std::vector<Tensor> directions = random_like(inputs, generator);
  CHECK(distance(gradients(fused, inputs, upstream)[0].value(),
                 gradients(reference(), inputs, upstream)[0].value()) < 1e-12);
  CHECK(distance(second_gradients(packed_attention(packed, heads, rule), inputs, Variable(upstream),
                                  directions)[0]
                     .value(),
                 second_gradients(reference(), inputs, Variable(upstream), directions)[0].value()) <
        1e-12);
}
