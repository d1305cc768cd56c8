/// \file
/// Multi-head attention one stage at a time, every stage by its name.
#pragma once

#include <tensorette/nn/attention_mask.hpp>
#include <tensorette/nn/linear.hpp>

namespace tensorette::nn {

/// Every stage of multi-head attention, differentiable. B is the batch, Tq and Tk the numbers of
/// queries and keys (both T for self-attention), H the heads, qkv_dim = H · head_dim.
struct AttentionSteps {
  Variable queries{};       ///< [B, Tq, qkv_dim]: what does each token look for?
  Variable keys{};          ///< [B, Tk, qkv_dim]: what does each token offer?
  Variable values{};        ///< [B, Tk, qkv_dim]: what does each token pass on?
  Variable query_heads{};   ///< [B, H, Tq, head_dim]: queries split into heads
  Variable key_heads{};     ///< [B, H, Tk, head_dim]
  Variable value_heads{};   ///< [B, H, Tk, head_dim]
  Variable dot_products{};  ///< [B, H, Tq, Tk]: queries · keysᵀ
  Variable raw_scores{};    ///< [B, H, Tq, Tk]: divided by √head_dim, masked; "attention logits"
  Variable scores{};        ///< [B, H, Tq, Tk]: softmax by row; elsewhere "attention weights"
  Variable weights{};       ///< [B, H, Tq, head_dim]: scores · values, for each head
  Variable context{};       ///< [B, Tq, qkv_dim]: the heads side by side
  Variable output{};        ///< [B, Tq, embedding_dim]: context · Wᴼ
};

/// [B, T, H · head_dim] -> [B, H, T, head_dim]: a view.
[[nodiscard]] Variable split_heads(const Variable& x, Index heads);
/// [B, H, T, head_dim] -> [B, T, H · head_dim].
[[nodiscard]] Variable merge_heads(const Variable& x);

/// The stages from queries, keys and values on. Without dropout.
[[nodiscard]] AttentionSteps attention_steps(const Variable& queries, const Variable& keys,
                                             const Variable& values, Index heads,
                                             const AttentionMask& mask,
                                             const Linear& output_projection);

/// Scores of one attention averaged over the heads: [B, H, Tq, Tk] -> [B, Tq, Tk].
[[nodiscard]] Variable mean_over_heads(const Variable& scores);

}  // namespace tensorette::nn
