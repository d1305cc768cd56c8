// Multi-head attention against numbers that libtorch computed in f64.
#include <tensorette/autograd/engine.hpp>
#include <tensorette/nn/multi_head_attention.hpp>
#include <tensorette/nn/multi_head_self_attention.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "golden.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;

namespace {

double tolerance_in(DType dtype) {
  return dtype == DType::f32 ? 1e-5 : 1e-10;
}

/// There [tokens, batch, width], here [batch, tokens, width].
Tensor batch_first(const nlohmann::json& value, DType dtype) {
  return transpose(golden_tensor(value).to(dtype), 0, 1).contiguous();
}

void set(const Variable& parameter, const Tensor& value) {
  Tensor target = parameter.value();
  REQUIRE(target.shape() == value.shape());
  copy_(target, value.to(target.dtype()));
}

AttentionMask mask_of(const nlohmann::json& c, DType dtype) {
  AttentionMask mask;
  if (c.contains("key_padding_mask")) {
    mask = mask & AttentionMask::key_validity(equal(golden_tensor(c.at("key_padding_mask")), 0));
  }
  if (c.contains("attn_mask")) {
    mask = mask & AttentionMask::bias(golden_tensor(c.at("attn_mask")).to(dtype));
  }
  return mask;
}

}  // namespace

TEST_CASE("self-attention gives libtorch's values and gradients", "[attention][golden]") {
  const DType dtype = GENERATE(DType::f32, DType::f64);
  const double tolerance = tolerance_in(dtype);
  const nlohmann::json cases = golden_file("multi_head_attention.json");
  for (const char* id : {"mha_self", "mha_self_key_padding", "mha_self_float_bias",
                         "mha_self_1head", "mha_self_seq1"}) {
    INFO(id);
    const nlohmann::json& c = golden_case(cases, id);
    Generator generator;
    MultiHeadSelfAttention attention(
        {.embedding_dim = c.at("embed_dim"), .heads = c.at("num_heads")}, generator);
    attention.to(dtype);
    set(attention.qkv_projection.weight, golden_tensor(c.at("param_in_proj_weight")));
    set(attention.qkv_projection.bias, golden_tensor(c.at("param_in_proj_bias")));
    set(attention.output_projection.weight, golden_tensor(c.at("param_out_proj.weight")));
    set(attention.output_projection.bias, golden_tensor(c.at("param_out_proj.bias")));

    const Variable x = parameter(batch_first(c.at("query"), dtype));
    const AttentionMask mask = mask_of(c, dtype);
    const Variable y = attention.forward(x, mask);
    CHECK(distance(y.value(), batch_first(c.at("output"), dtype)) < tolerance);
    CHECK(distance(attention.scores(x, mask).value(),
                   golden_tensor(c.at("attn_weights_per_head"))) < tolerance);
    y.backward(Variable(batch_first(c.at("grad_output"), dtype)));
    const auto gradient = [](const Variable& of) { return of.grad().value(); };
    CHECK(distance(gradient(x), batch_first(c.at("grad_query"), dtype)) < tolerance);
    CHECK(distance(gradient(attention.qkv_projection.weight),
                   golden_tensor(c.at("grad_param_in_proj_weight"))) < tolerance);
    CHECK(distance(gradient(attention.qkv_projection.bias),
                   golden_tensor(c.at("grad_param_in_proj_bias"))) < tolerance);
    CHECK(distance(gradient(attention.output_projection.weight),
                   golden_tensor(c.at("grad_param_out_proj.weight"))) < tolerance);
    CHECK(distance(gradient(attention.output_projection.bias),
                   golden_tensor(c.at("grad_param_out_proj.bias"))) < tolerance);
  }
}

TEST_CASE("cross-attention gives libtorch's values and gradients", "[attention][golden]") {
  const DType dtype = GENERATE(DType::f32, DType::f64);
  const double tolerance = tolerance_in(dtype);
  const nlohmann::json cases = golden_file("multi_head_attention.json");
  const nlohmann::json& c = golden_case(cases, "mha_cross_key_padding");
  const Index dim = c.at("embed_dim");
  Generator generator;
  MultiHeadAttention attention({.embedding_dim = dim, .heads = c.at("num_heads")}, generator);
  attention.to(dtype);
  const Linear* const projections[] = {&attention.query_projection, &attention.key_projection,
                                       &attention.value_projection};
  for (Index part = 0; part < 3; ++part) {
    const Linear& projection = *projections[part];
    set(projection.weight, narrow(golden_tensor(c.at("param_in_proj_weight")), 0, part * dim, dim));
    set(projection.bias, narrow(golden_tensor(c.at("param_in_proj_bias")), 0, part * dim, dim));
  }
  set(attention.output_projection.weight, golden_tensor(c.at("param_out_proj.weight")));
  set(attention.output_projection.bias, golden_tensor(c.at("param_out_proj.bias")));

  const Variable query = parameter(batch_first(c.at("query"), dtype));
  const Variable key = parameter(batch_first(c.at("key"), dtype));
  const Variable value = parameter(batch_first(c.at("value"), dtype));
  const AttentionMask mask = mask_of(c, dtype);
  const Variable y = attention.forward(query, key, value, mask);
  CHECK(distance(y.value(), batch_first(c.at("output"), dtype)) < tolerance);
  CHECK(distance(attention.scores(query, key, mask).value(),
                 golden_tensor(c.at("attn_weights_per_head"))) < tolerance);
  y.backward(Variable(batch_first(c.at("grad_output"), dtype)));
  CHECK(distance(query.grad().value(), batch_first(c.at("grad_query"), dtype)) < tolerance);
  CHECK(distance(key.grad().value(), batch_first(c.at("grad_key"), dtype)) < tolerance);
  CHECK(distance(value.grad().value(), batch_first(c.at("grad_value"), dtype)) < tolerance);
  for (Index part = 0; part < 3; ++part) {
    const Linear& projection = *projections[part];
    CHECK(distance(projection.weight.grad().value(),
                   narrow(golden_tensor(c.at("grad_param_in_proj_weight")), 0, part * dim, dim)) <
          tolerance);
    CHECK(distance(projection.bias.grad().value(),
                   narrow(golden_tensor(c.at("grad_param_in_proj_bias")), 0, part * dim, dim)) <
          tolerance);
  }
  CHECK(distance(attention.output_projection.weight.grad().value(),
                 golden_tensor(c.at("grad_param_out_proj.weight"))) < tolerance);
  CHECK(distance(attention.output_projection.bias.grad().value(),
                 golden_tensor(c.at("grad_param_out_proj.bias"))) < tolerance);
}
