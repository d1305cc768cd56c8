/// \file
/// Multi-head attention of one sequence to another (cross-attention).
#pragma once

#include <tensorette/nn/attention_steps.hpp>
#include <tensorette/nn/dropout.hpp>
#include <tensorette/nn/linear.hpp>

namespace tensorette::nn {

/// Options of MultiHeadAttention.
struct AttentionOptions {
  Index embedding_dim = 0;  ///< width of the queries' input and of the output
  Index heads = 1;          ///< number of heads; divides qkv_dim
  Index qkv_dim = 0;        ///< width of queries, keys and values; 0: embedding_dim
  Index key_dim = 0;        ///< width of the keys' input; 0: embedding_dim
  Index value_dim = 0;      ///< width of the values' input; 0: embedding_dim
  bool bias = true;         ///< biases of all four projections
  double dropout = 0.0;     ///< on the attention scores, in training mode
};

/// Keys and values of a memory, projected and split into heads once for many queries.
struct ProjectedMemory {
  Variable keys;    ///< [B, H, Tk, head_dim]
  Variable values;  ///< [B, H, Tk, head_dim]
};

/// Attention with queries from one sequence and keys and values from others; see
/// MultiHeadSelfAttention for the formula.
///
/// query [B, Tq, embedding_dim], key [B, Tk, key_dim], value [B, Tk, value_dim]
/// -> [B, Tq, embedding_dim]
///
/// First values: all four weights Xavier-uniform, each with its own fan; biases 0.
class MultiHeadAttention final : public Module {
 public:
  /// \throws Error if a size is not positive or heads does not divide qkv_dim
  MultiHeadAttention(const AttentionOptions& options, Generator& generator);

  [[nodiscard]] Variable forward(const Variable& query, const Variable& key, const Variable& value,
                                 const AttentionMask& mask = {}) const;
  /// The same with keys and values projected before.
  [[nodiscard]] ProjectedMemory project(const Variable& key, const Variable& value) const;
  [[nodiscard]] Variable forward(const Variable& query, const ProjectedMemory& memory,
                                 const AttentionMask& mask = {}) const;
  /// Every stage by name, differentiable, without dropout. Agrees with forward().
  [[nodiscard]] AttentionSteps steps(const Variable& query, const Variable& key,
                                     const Variable& value, const AttentionMask& mask = {}) const;
  /// The attention scores [B, H, Tq, Tk], before dropout.
  [[nodiscard]] Variable scores(const Variable& query, const Variable& key,
                                const AttentionMask& mask = {}) const;

  [[nodiscard]] Index heads() const noexcept { return heads_; }
  [[nodiscard]] std::string type_name() const override { return "MultiHeadAttention"; }

  Linear query_projection;   ///< W_Q
  Linear key_projection;     ///< W_K
  Linear value_projection;   ///< W_V
  Linear output_projection;  ///< Wᴼ
  Dropout dropout;           ///< on the attention scores

 protected:
  void list_parts(Parts& parts) override {
    parts("query_projection", query_projection);
    parts("key_projection", key_projection);
    parts("value_projection", value_projection);
    parts("output_projection", output_projection);
    parts("dropout", dropout);
  }

 private:
  struct Checked {};
  MultiHeadAttention(const AttentionOptions& options, Generator& generator, Checked);

  Index heads_;
};

}  // namespace tensorette::nn
