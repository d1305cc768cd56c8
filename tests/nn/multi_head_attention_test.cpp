// Attention of one sequence to another: values, gradients, widths, memories projected once.
#include <cmath>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/multi_head_attention.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "attention_oracle.hpp"
#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

void set_weight(Linear& linear, const Tensor& weight) {
  Tensor target = linear.weight.value();
  copy_(target, weight);
}

}  // namespace

TEST_CASE("cross-attention equals plain loops and its steps for every mask",
          "[attention][field][A13]") {
  const Index batch = 3, heads = 2, queries = 4, keys = 5;
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double tolerance = dtype == DType::f32 ? 1e-5 : 1e-12;
    Generator generator(31);
    MultiHeadAttention attention(
        {.embedding_dim = 3, .heads = heads, .qkv_dim = 8, .key_dim = 5, .value_dim = 7},
        generator);
    attention.to(dtype);
    randomize(attention, generator);
    const Variable query = parameter(generator.normal({batch, queries, 3}, 0, 1, dtype));
    const Variable key = parameter(generator.normal({batch, keys, 5}, 0, 1, dtype));
    const Variable value = parameter(generator.normal({batch, keys, 7}, 0, 1, dtype));
    const Variable upstream = generator.normal({batch, queries, 3}, 0, 1, dtype);
    std::vector<Variable> inputs{query, key, value};
    for (const Variable& parameter : attention.parameters()) inputs.push_back(parameter);

    for (const MaskCase& c : mask_cases(batch, heads, queries, keys, dtype)) {
      INFO(c.name);
      const PlainResult expected =
          plain_attention(plain_copy(attention), batch, numbers(query.value()),
                          numbers(key.value()), numbers(value.value()), c.plain);
      const Variable output = attention.forward(query, key, value, c.mask);
      const AttentionSteps steps = attention.steps(query, key, value, c.mask);
      CHECK(distance(output.value(), expected.output) < tolerance);
      CHECK(distance(steps.output.value(), expected.output) < tolerance);
      CHECK(distance(steps.scores.value(), expected.scores) < tolerance);
      CHECK(distance(attention.scores(query, key, c.mask).value(), expected.scores) < tolerance);
      const Variable again = attention.forward(query, attention.project(key, value), c.mask);
      CHECK(same_bits(again.value(), output.value()));

      const auto fused = grad(std::vector{output}, inputs, std::vector{upstream});
      const auto spelled = grad(std::vector{steps.output}, inputs, std::vector{upstream});
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        INFO("input " << i);
        CHECK(distance(fused[i].value(), spelled[i].value()) < tolerance);
      }
    }
  }
}

TEST_CASE("second gradients of cross-attention equal those of the steps", "[attention]") {
  const Index batch = 2, heads = 3, queries = 2, keys = 4;
  Generator generator(32);
  MultiHeadAttention attention({.embedding_dim = 5, .heads = heads, .qkv_dim = 6}, generator);
  attention.to(DType::f64);
  randomize(attention, generator);
  const Variable query = parameter(generator.normal({batch, queries, 5}, 0, 1, DType::f64));
  const Variable memory = parameter(generator.normal({batch, keys, 5}, 0, 1, DType::f64));
  const Variable upstream = generator.normal({batch, queries, 5}, 0, 1, DType::f64);
  std::vector<Variable> inputs{query, memory};
  for (const Variable& parameter : attention.parameters()) inputs.push_back(parameter);
  std::vector<Tensor> directions;
  for (const Variable& input : inputs) {
    directions.push_back(generator.normal(input.shape(), 0, 1, DType::f64));
  }
  const auto second = [&](const Variable& output) {
    const auto first =
        grad(std::vector{output}, inputs, std::vector{upstream}, {.create_graph = true});
    Variable total = zeros({}, DType::f64);
    for (std::size_t i = 0; i < first.size(); ++i) {
      total = total + sum(first[i] * Variable(directions[i]));
    }
    return grad(std::vector{total}, inputs);
  };
  for (const MaskCase& c : mask_cases(batch, heads, queries, keys, DType::f64)) {
    const auto fused = second(attention.forward(query, memory, memory, c.mask));
    const auto steps = second(attention.steps(query, memory, memory, c.mask).output);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      INFO(c.name << ", input " << i);
      CHECK(distance(fused[i].value(), steps[i].value()) < 1e-12);
    }
  }
}

TEST_CASE("equal scores give the mean of the memory", "[attention][field][A13]") {
  Generator generator(33);
  MultiHeadAttention attention({.embedding_dim = 2}, generator);
  set_weight(attention.query_projection, zeros({2, 2}));
  set_weight(attention.value_projection, eye(2));
  set_weight(attention.output_projection, eye(2));
  const Tensor memory = tensor({{{3, 0}, {0, 6}, {0, 0}}});
  const Tensor query = generator.normal({1, 2, 2});
  CHECK(distance(attention.forward(query, memory, memory).value(), tensor({{{1, 2}, {1, 2}}})) <
        1e-6);

  MultiHeadAttention wide({.embedding_dim = 2, .value_dim = 3}, generator);
  set_weight(wide.value_projection, tensor({{1, 2, 3}, {4, 5, 6}}));
  set_weight(wide.output_projection, eye(2));
  CHECK(distance(wide.forward(ones({1, 1, 2}), ones({1, 1, 2}), ones({1, 1, 3})).value(),
                 tensor({{{6, 15}}})) < 1e-5);
}

TEST_CASE("scores come per head, and their mean on request", "[attention][field][A07]") {
  Generator generator(34);
  MultiHeadAttention attention({.embedding_dim = 2, .heads = 2, .bias = false}, generator);
  set_weight(attention.query_projection, eye(2));
  set_weight(attention.key_projection, eye(2));
  // head 0: 0 · 0 and 0 · 0; head 1: 1 · 0 and 1 · ln 3
  const Tensor query = tensor({{{0, 1}}});
  const Tensor keys = tensor({{{0, 0}, {0, std::log(3.0)}}});
  const Variable scores = attention.scores(query, keys);
  CHECK(scores.shape() == Shape{1, 2, 1, 2});
  CHECK(distance(scores.value(), {0.5, 0.5, 0.25, 0.75}) < 1e-6);
  CHECK(mean_over_heads(scores).shape() == Shape{1, 1, 2});
  CHECK(distance(mean_over_heads(scores).value(), {0.375, 0.625}) < 1e-6);
}

TEST_CASE("inputs that do not fit are named", "[attention]") {
  Generator generator(35);
  const MultiHeadAttention attention({.embedding_dim = 4, .heads = 2, .key_dim = 3, .value_dim = 5},
                                     generator);
  const Tensor query = zeros({2, 3, 4}), key = zeros({2, 6, 3}), value = zeros({2, 6, 5});
  const auto text = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
    return error_text<ShapeError>([&] { (void)attention.forward(q, k, v); });
  };
  CHECK_THAT(text(key, key, value), ContainsSubstring("query") && ContainsSubstring("[2, 6, 3]") &&
                                        ContainsSubstring("4"));
  CHECK_THAT(text(query, query, value),
             ContainsSubstring("key") && ContainsSubstring("[2, 3, 4]") && ContainsSubstring("3"));
  CHECK_THAT(text(query, key, key), ContainsSubstring("value") && ContainsSubstring("[2, 6, 3]") &&
                                        ContainsSubstring("5"));
  CHECK_THAT(text(query, key, zeros({2, 7, 5})), ContainsSubstring("7") && ContainsSubstring("6"));
  CHECK_THAT(text(query, zeros({3, 6, 3}), zeros({3, 6, 5})),
             ContainsSubstring("2") && ContainsSubstring("3"));
  for (const AttentionOptions& wrong :
       {AttentionOptions{.embedding_dim = 4, .key_dim = -1},
        AttentionOptions{.embedding_dim = 4, .value_dim = -1}, AttentionOptions{}}) {
    CHECK_THAT(error_text<Error>([&] { MultiHeadAttention(wrong, generator); }),
               ContainsSubstring("must be positive"));
  }
}

TEST_CASE("dropout of cross-attention acts in training only", "[attention][field][A09]") {
  Generator generator(36);
  MultiHeadAttention attention({.embedding_dim = 4, .heads = 2, .dropout = 0.9}, generator);
  const Tensor query = generator.normal({2, 3, 4}), memory = generator.normal({2, 5, 4});
  CHECK_FALSE(same_bits(attention.forward(query, memory, memory).value(),
                        attention.forward(query, memory, memory).value()));
  attention.eval();
  const Tensor once = attention.forward(query, memory, memory).value();
  CHECK(same_bits(once, attention.forward(query, memory, memory).value()));
  CHECK(distance(once, attention.steps(query, memory, memory).output.value()) < 1e-5);
}

TEST_CASE("each of four projections starts Xavier-uniform by its own fan",
          "[attention][field][A16]") {
  Generator first(7), second(7);
  const AttentionOptions options{
      .embedding_dim = 16, .heads = 4, .qkv_dim = 24, .key_dim = 40, .value_dim = 8};
  const MultiHeadAttention a(options, first), b(options, second);
  REQUIRE(a.named_parameters().size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(same_bits(a.parameters()[i].value(), b.parameters()[i].value()));
  }
  const auto check = [](const Linear& linear) {
    const double bound =
        std::sqrt(6.0 / static_cast<double>(linear.weight.size(0) + linear.weight.size(1)));
    double largest = 0;
    for (const double x : numbers(linear.weight.value())) largest = std::max(largest, std::abs(x));
    CHECK(largest <= bound + 1e-6);
    CHECK(largest > 0.9 * bound);
    CHECK(distance(linear.bias.value(), zeros(linear.bias.shape())) == 0.0);
  };
  check(a.query_projection);
  check(a.key_projection);
  check(a.value_projection);
  check(a.output_projection);
}
