/// \file
/// Multi-head self-attention: the centrepiece.
/// Before: attention_mask.hpp, attention_steps.hpp. Next: transformer_layers.hpp.
#pragma once

#include <tensorette/nn/attention_steps.hpp>
#include <tensorette/nn/dropout.hpp>
#include <tensorette/nn/key_value_cache.hpp>
#include <tensorette/nn/linear.hpp>

namespace tensorette::nn {

/// Options of MultiHeadSelfAttention.
struct SelfAttentionOptions {
  Index embedding_dim = 0;  ///< width of input and output
  Index heads = 1;          ///< number of heads; divides qkv_dim
  Index qkv_dim = 0;        ///< width of queries, keys and values; 0: embedding_dim
  bool bias = true;         ///< biases of all four projections
  double dropout = 0.0;     ///< on the attention scores, in training mode
};

/// Weights of the single heads, the other way to say the same: head h is
/// softmax((x Q_h)(x K_h)ᵀ/√head_dim) x V_h, and the output is Σ_h head_h O_h.
struct PerHeadWeights {
  Tensor query{};   ///< [heads, embedding_dim, head_dim]
  Tensor key{};     ///< [heads, embedding_dim, head_dim]
  Tensor value{};   ///< [heads, embedding_dim, head_dim]
  Tensor output{};  ///< [heads, head_dim, embedding_dim]
};

/// Attention of a sequence to itself (Vaswani et al. 2017, section 3.2):
///   output = concat_h(softmax(Q_h K_hᵀ/√head_dim) V_h) Wᴼ,  Q, K, V = x W_Q, x W_K, x W_V
///
/// x [batch, tokens, embedding_dim] -> [batch, tokens, embedding_dim]. The residual sum belongs to
/// the block around it. A query with no key left gives the output bias.
///
/// First values: the blocks of W_Q, W_K, W_V and Wᴼ Xavier-uniform, each with its own fan; biases
/// 0.
class MultiHeadSelfAttention final : public Module {
 public:
  /// \throws Error if a size is not positive or heads does not divide qkv_dim
  MultiHeadSelfAttention(const SelfAttentionOptions& options, Generator& generator);

  /// The fast path: O(tokens) memory. \throws ShapeError
  [[nodiscard]] Variable forward(const Variable& x, const AttentionMask& mask = {}) const;
  /// Every stage by name, differentiable, without dropout. Agrees with forward().
  [[nodiscard]] AttentionSteps steps(const Variable& x, const AttentionMask& mask = {}) const;
  /// The attention scores [batch, heads, tokens, tokens], before dropout.
  [[nodiscard]] Variable scores(const Variable& x, const AttentionMask& mask = {}) const;
  /// Decoding: x holds the tokens behind those in the cache; attends to both, causally, and adds
  /// x's keys and values to the cache. Records no graph.
  [[nodiscard]] Variable forward_cached(const Variable& x, KeyValueCache& cache) const;

  [[nodiscard]] PerHeadWeights per_head_weights() const;
  /// \throws ShapeError
  void set_per_head_weights(const PerHeadWeights& weights);

  [[nodiscard]] Index heads() const noexcept { return heads_; }
  [[nodiscard]] Index qkv_dim() const noexcept { return qkv_dim_; }
  [[nodiscard]] std::string type_name() const override { return "MultiHeadSelfAttention"; }

  Linear qkv_projection;     ///< weight [3 · qkv_dim, embedding_dim]: W_Q, W_K, W_V on each other
  Linear output_projection;  ///< weight [embedding_dim, qkv_dim]: Wᴼ
  Dropout dropout;           ///< on the attention scores

 protected:
  void list_parts(Parts& parts) override {
    parts("qkv_projection", qkv_projection);
    parts("output_projection", output_projection);
    parts("dropout", dropout);
  }

 private:
  struct Checked {};
  MultiHeadSelfAttention(const SelfAttentionOptions& options, Generator& generator, Checked);
  void check_input(const Variable& x) const;
  [[nodiscard]] std::vector<Variable> project(const Variable& x) const;

  Index heads_;
  Index qkv_dim_;
};

}  // namespace tensorette::nn
