/// \file
/// Multi-head attention by the formula alone: plain nested loops over doubles, which share nothing
/// with the library.
#pragma once

#include <functional>
#include <string>
#include <tensorette/nn/multi_head_attention.hpp>
#include <tensorette/nn/multi_head_self_attention.hpp>
#include <vector>

namespace tensorette::testing {

/// y = W x + b, W [out][in].
struct PlainProjection {
  Index in = 0;
  Index out = 0;
  std::vector<double> weight;
  std::vector<double> bias;  ///< empty: none

  [[nodiscard]] std::vector<double> operator()(const std::vector<double>& x) const;
};

struct PlainAttention {
  Index heads = 1;
  PlainProjection query;
  PlainProjection key;
  PlainProjection value;
  PlainProjection output;
};

/// What stands between a query and a key, by batch, head, query, key.
struct PlainMask {
  std::function<bool(Index, Index, Index, Index)> may_see = [](Index, Index, Index, Index) {
    return true;
  };
  std::function<double(Index, Index, Index, Index)> bias = [](Index, Index, Index, Index) {
    return 0.0;
  };
};

struct PlainResult {
  std::vector<double> scores;  ///< [B, H, Tq, Tk], after the softmax
  std::vector<double> output;  ///< [B, Tq, embedding_dim]
};

/// Inputs [batch, queries, width of query], [batch, keys, ..] as flat row-major vectors.
[[nodiscard]] PlainResult plain_attention(const PlainAttention& attention, Index batch,
                                          const std::vector<double>& query,
                                          const std::vector<double>& key,
                                          const std::vector<double>& value, const PlainMask& mask);

[[nodiscard]] PlainAttention plain_copy(const nn::MultiHeadAttention& attention);
[[nodiscard]] PlainAttention plain_copy(const nn::MultiHeadSelfAttention& attention);

/// One kind of mask for scores [batch, heads, queries, keys], as the library takes it and as the
/// oracle reads it.
struct MaskCase {
  std::string name;
  nn::AttentionMask mask;
  PlainMask plain;
};

/// Every kind of mask and of combination, among them masks that leave queries without any key.
[[nodiscard]] std::vector<MaskCase> mask_cases(Index batch, Index heads, Index queries, Index keys,
                                               DType dtype);

}  // namespace tensorette::testing
