/// \file
/// The blocks that Transformers are stacked from.
/// Before: multi_head_self_attention.hpp. Next: transformer.hpp.
#pragma once

#include <tensorette/nn/feed_forward.hpp>
#include <tensorette/nn/memory_groups.hpp>
#include <tensorette/nn/multi_head_attention.hpp>
#include <tensorette/nn/multi_head_self_attention.hpp>
#include <tensorette/nn/normalization.hpp>

namespace tensorette::nn {

/// Options of TransformerEncoderLayer and TransformerDecoderLayer.
struct TransformerLayerOptions {
  Index dim = 0;                             ///< width of a token vector
  Index heads = 1;                           ///< attention heads
  Index qkv_dim = 0;                         ///< of the attention; 0: dim
  Index hidden = 0;                          ///< width inside the feed-forward network
  double dropout = 0.1;                      ///< on what each part adds to the stream
  double attention_dropout = 0.0;            ///< on the attention scores
  double activation_dropout = 0.0;           ///< inside the feed-forward network
  Activation activation = Activation::relu;  ///< of the feed-forward network
  bool norm_first = false;  ///< pre-norm x + f(norm x) instead of post-norm norm(x + f(x))
  double epsilon = 1e-5;    ///< of the layer norms
  /// Initial size of the weights that write to the stream, as a part of Xavier's. With
  /// 1/√(parts of the stack) the stream leaves it as large as it came (Radford et al. 2019, section
  /// 2.3), and a pre-norm model learns faster from the first update on.
  double residual_gain = 1.0;
};

/// Self-attention, then a feed-forward network, each with residual sum, dropout and layer norm
/// (Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020).
/// x [batch, tokens, dim] -> same
class TransformerEncoderLayer final : public Module {
 public:
  TransformerEncoderLayer(const TransformerLayerOptions& options, Generator& generator);

  /// If `scores` is given it receives the attention scores [batch, heads, tokens, tokens], as part
  /// of the graph.
  [[nodiscard]] Variable forward(const Variable& x, const AttentionMask& mask = {},
                                 Variable* scores = nullptr) const;
  [[nodiscard]] std::string type_name() const override { return "TransformerEncoderLayer"; }

  MultiHeadSelfAttention self_attention;
  FeedForward feed_forward;
  LayerNorm norm1;  ///< of the self-attention
  LayerNorm norm2;  ///< of the feed-forward network
  Dropout dropout1;
  Dropout dropout2;

 protected:
  void list_parts(Parts& parts) override;

 private:
  bool norm_first_;
};

/// What a decoder layer remembers while it decodes token by token.
struct DecoderLayerCache {
  KeyValueCache self{};      ///< keys and values of the tokens so far
  ProjectedMemory memory{};  ///< keys and values of the encoder's output
};

/// Attention scores of one decoder layer.
struct DecoderLayerScores {
  Variable self{};   ///< [batch, heads, targets, targets]
  Variable cross{};  ///< [batch, heads, targets, sources]
};

/// Masked self-attention, attention to the encoder's output, then a feed-forward network.
/// x [batch, targets, dim], memory [batch, sources, dim] -> as x
class TransformerDecoderLayer final : public Module {
 public:
  TransformerDecoderLayer(const TransformerLayerOptions& options, Generator& generator);

  [[nodiscard]] Variable forward(const Variable& x, const Variable& memory,
                                 const AttentionMask& self_mask, const AttentionMask& memory_mask,
                                 DecoderLayerScores* scores = nullptr) const;
  /// Decoding: x holds the tokens behind those in the cache. Rows that `groups` puts together share
  /// a memory; `memory_mask` is that of the memories. Records no graph.
  [[nodiscard]] Variable forward_cached(const Variable& x, const AttentionMask& memory_mask,
                                        DecoderLayerCache& cache,
                                        const MemoryGroups& groups = {}) const;
  [[nodiscard]] std::string type_name() const override { return "TransformerDecoderLayer"; }

  MultiHeadSelfAttention self_attention;
  MultiHeadAttention cross_attention;
  FeedForward feed_forward;
  LayerNorm norm1;  ///< of the self-attention
  LayerNorm norm2;  ///< of the cross-attention
  LayerNorm norm3;  ///< of the feed-forward network
  Dropout dropout1;
  Dropout dropout2;
  Dropout dropout3;

 protected:
  void list_parts(Parts& parts) override;

 private:
  template <class SelfAttention, class CrossAttention>
  [[nodiscard]] Variable run(const Variable& x, SelfAttention&& attend_self,
                             CrossAttention&& attend_memory) const;

  bool norm_first_;
};

}  // namespace tensorette::nn
