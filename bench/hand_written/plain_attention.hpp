/// \file
/// Attention and its gradients by plain loops in double precision: the definition, for the check of
/// the fast programs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rows/row_table.hpp"

namespace tensorette::bench {

/// Arrays `[heads, length, head_dim]`.
struct PlainHeadInputs {
  std::span<const float> query, key, value, upstream;
};
struct PlainHeads {
  std::vector<double> output, query_gradient, key_gradient, value_gradient;
};

/// softmax(query · keyᵀ / √head_dim) · value for each head, and its gradients.
[[nodiscard]] PlainHeads plain_heads(std::int64_t heads, std::int64_t length, std::int64_t head_dim,
                                     const PlainHeadInputs& inputs);

/// Arrays `[batch · length, width]`, weights `[out, in]`.
struct PlainAttentionInputs {
  std::span<const float> input, qkv_weight, qkv_bias, output_weight, output_bias, upstream;
};
struct PlainAttention {
  std::vector<double> output, input_gradient;
  std::vector<double> qkv_weight_gradient, qkv_bias_gradient;
  std::vector<double> output_weight_gradient, output_bias_gradient;
};

/// Self-attention with its projections, and all gradients.
[[nodiscard]] PlainAttention plain_attention(const AttentionShape& shape,
                                             const PlainAttentionInputs& inputs);

}  // namespace tensorette::bench
