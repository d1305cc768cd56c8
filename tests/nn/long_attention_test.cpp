// Attention over more queries and keys than the kernels take at once.
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/multi_head_attention.hpp>
#include <tensorette/nn/multi_head_self_attention.hpp>
#include <tensorette/tensor/create.hpp>

#include "attention_oracle.hpp"
#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;

namespace {

/// Gradients of `output` with respect to all inputs.
std::vector<Variable> gradients(const Variable& output, const std::vector<Variable>& inputs,
                                const Variable& upstream) {
  return grad(std::vector{output}, inputs, std::vector{upstream});
}

void check_same(const std::vector<Variable>& a, const std::vector<Variable>& b, double tolerance) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO("input " << i);
    CHECK(distance(a[i].value(), b[i].value()) < tolerance);
  }
}

}  // namespace

TEST_CASE("long cross-attention equals plain loops and its steps for every mask", "[attention]") {
  const Index batch = 2, heads = 3, queries = 66, keys = 260;
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double tolerance = dtype == DType::f32 ? 1e-5 : 1e-12;
    Generator generator(81);
    MultiHeadAttention attention({.embedding_dim = 4, .heads = heads, .qkv_dim = 6}, generator);
    attention.to(dtype);
    randomize(attention, generator);
    const Variable query = parameter(generator.normal({batch, queries, 4}, 0, 1, dtype));
    const Variable memory = parameter(generator.normal({batch, keys, 4}, 0, 1, dtype));
    const Variable upstream = generator.normal({batch, queries, 4}, 0, 1, dtype);
    std::vector<Variable> inputs{query, memory};
    for (const Variable& parameter : attention.parameters()) inputs.push_back(parameter);
    for (const MaskCase& c : mask_cases(batch, heads, queries, keys, dtype)) {
      INFO(c.name << ", " << name_of(dtype));
      const std::vector<double> plain_memory = numbers(memory.value());
      const PlainResult expected =
          plain_attention(plain_copy(attention), batch, numbers(query.value()), plain_memory,
                          plain_memory, c.plain);
      const Variable fused = attention.forward(query, memory, memory, c.mask);
      const Variable steps = attention.steps(query, memory, memory, c.mask).output;
      CHECK(distance(fused.value(), expected.output) < tolerance);
      CHECK(distance(steps.value(), expected.output) < tolerance);
      check_same(gradients(fused, inputs, upstream), gradients(steps, inputs, upstream), tolerance);
    }
  }
}

TEST_CASE("long self-attention equals plain loops and its steps for every mask", "[attention]") {
  const Index batch = 2, heads = 1, tokens = 260;
  Generator generator(82);
  MultiHeadSelfAttention attention({.embedding_dim = 3, .heads = heads, .qkv_dim = 4}, generator);
  attention.to(DType::f64);
  randomize(attention, generator);
  const Variable x = parameter(generator.normal({batch, tokens, 3}, 0, 1, DType::f64));
  const Variable upstream = generator.normal({batch, tokens, 3}, 0, 1, DType::f64);
  std::vector<Variable> inputs{x};
  for (const Variable& parameter : attention.parameters()) inputs.push_back(parameter);
  for (const MaskCase& c : mask_cases(batch, heads, tokens, tokens, DType::f64)) {
    INFO(c.name);
    const std::vector<double> plain_x = numbers(x.value());
    const PlainResult expected =
        plain_attention(plain_copy(attention), batch, plain_x, plain_x, plain_x, c.plain);
    const Variable fused = attention.forward(x, c.mask);
    const Variable steps = attention.steps(x, c.mask).output;
    CHECK(distance(fused.value(), expected.output) < 1e-12);
    check_same(gradients(fused, inputs, upstream), gradients(steps, inputs, upstream), 1e-12);
  }
}
