/// \file
/// Transformer encoder, decoder, and the sequence-to-sequence model made of both.
/// Before: transformer_layers.hpp. Next: decoding/decoding.hpp, loss.hpp.
#pragma once

#include <optional>
#include <tensorette/nn/embedding.hpp>
#include <tensorette/nn/position.hpp>
#include <tensorette/nn/transformer_layers.hpp>
#include <vector>

namespace tensorette::nn {

/// A stack of encoder layers, with a layer norm behind the last if asked for.
class TransformerEncoder final : public Module {
 public:
  TransformerEncoder(Index depth, const TransformerLayerOptions& options, bool final_norm,
                     Generator& generator);

  /// If `scores` is given it receives the attention scores of every layer.
  [[nodiscard]] Variable forward(const Variable& x, const AttentionMask& mask = {},
                                 std::vector<Variable>* scores = nullptr) const;
  [[nodiscard]] std::string type_name() const override { return "TransformerEncoder"; }

  std::vector<TransformerEncoderLayer> layers;
  std::optional<LayerNorm> norm;

 protected:
  void list_parts(Parts& parts) override {
    parts("layers", layers);
    parts("norm", norm);
  }
};

/// What a decoder remembers while it decodes token by token: a row per hypothesis, and a memory
/// for each source sentence that a row still needs.
struct DecoderCache {
  std::vector<DecoderLayerCache> layers{};
  Tensor memory_validity{};      ///< boolean [memories, sources]: false where the source is padding
  std::vector<Index> sources{};  ///< the source sentence of each row
  std::vector<Index> memories{};  ///< the source sentence of each memory
  MemoryGroups groups{};          ///< which rows share a memory

  /// Number of target tokens seen.
  [[nodiscard]] Index length() const noexcept {
    return layers.empty() ? 0 : layers.front().self.length();
  }
  /// Goes on with the given rows (i64, rank 1), in that order; rows may repeat or vanish.
  void reorder(const Tensor& rows);
};

/// A stack of decoder layers, with a layer norm behind the last if asked for.
class TransformerDecoder final : public Module {
 public:
  TransformerDecoder(Index depth, const TransformerLayerOptions& options, bool final_norm,
                     Generator& generator);

  [[nodiscard]] Variable forward(const Variable& x, const Variable& memory,
                                 const AttentionMask& self_mask = AttentionMask::causal(),
                                 const AttentionMask& memory_mask = {},
                                 std::vector<DecoderLayerScores>* scores = nullptr) const;
  /// Projects the memory of every layer once; `validity` as in DecoderCache.
  [[nodiscard]] DecoderCache start(const Variable& memory, const Tensor& validity) const;
  [[nodiscard]] Variable forward_cached(const Variable& x, DecoderCache& cache) const;
  [[nodiscard]] std::string type_name() const override { return "TransformerDecoder"; }

  std::vector<TransformerDecoderLayer> layers;
  std::optional<LayerNorm> norm;

 protected:
  void list_parts(Parts& parts) override {
    parts("layers", layers);
    parts("norm", norm);
  }
};

/// Which of the three matrices [vocabulary, dim] of a Transformer are one.
enum class TiedEmbeddings {
  none,
  output,  ///< target embedding = output weight
  all,     ///< source embedding = target embedding = output weight (Press and Wolf 2017)
};

enum class Positions { sinusoidal, learned };

/// Options of Transformer.
struct TransformerOptions {
  Index source_vocabulary = 0;
  Index target_vocabulary = 0;
  Index dim = 64;           ///< width of a token vector
  Index heads = 4;          ///< attention heads of every layer
  Index decoder_heads = 0;  ///< of the decoder's layers, if they differ; 0: heads
  Index qkv_dim = 0;        ///< of the attentions; 0: dim
  Index encoder_layers = 2;
  Index decoder_layers = 2;
  Index hidden = 128;    ///< width inside the feed-forward networks
  double dropout = 0.1;  ///< behind embeddings and on what each part adds
  double attention_dropout = 0.0;
  double activation_dropout = 0.0;
  Activation activation = Activation::relu;
  bool norm_first = true;      ///< pre-norm; then both stacks end on a layer norm
  double residual_gain = 1.0;  ///< of the layers: initial size of what writes to the stream
  TiedEmbeddings tied = TiedEmbeddings::output;
  Positions positions = Positions::sinusoidal;
  Index max_length = 512;  ///< longest source or target
  Index padding = 0;       ///< id of the padding token in both vocabularies
};

/// Attention scores of every layer of a Transformer. They are part of the graph: a loss may guide
/// what a head looks at.
struct TransformerScores {
  std::vector<Variable> encoder;  ///< each [batch, heads, sources, sources]
  std::vector<DecoderLayerScores> decoder;
};

/// The sequence-to-sequence model of Vaswani et al. (2017): token vectors times √dim plus
/// positions, encoder, decoder, logits.
///
/// source [batch, sources] and target [batch, targets] are i64 ids; padded positions of the source
/// are hidden from every attention, later targets from earlier ones.
class Transformer final : public Module {
 public:
  /// \throws Error for sizes that are not positive, heads that do not divide, or embeddings tied
  /// over vocabularies of different sizes
  Transformer(const TransformerOptions& options, Generator& generator);

  /// Logits [batch, targets, target_vocabulary] of the token behind each target.
  [[nodiscard]] Variable forward(const Tensor& source, const Tensor& target,
                                 TransformerScores* scores = nullptr) const;
  /// The encoder's output [batch, sources, dim].
  [[nodiscard]] Variable encode(const Tensor& source,
                                std::vector<Variable>* scores = nullptr) const;
  /// The decoder's output [batch, targets, dim] before the output layer.
  [[nodiscard]] Variable decode(const Tensor& target, const Variable& memory,
                                const AttentionMask& memory_mask,
                                std::vector<DecoderLayerScores>* scores = nullptr) const;

  /// Starts decoding; `source` gives the mask of the memory.
  [[nodiscard]] DecoderCache start_decoding(const Tensor& source, const Variable& memory) const;
  /// Logits [batch, tokens, target_vocabulary] behind tokens that follow those in the cache.
  [[nodiscard]] Variable decode_cached(const Tensor& target, DecoderCache& cache) const;

  /// The mask that hides the source's padding.
  [[nodiscard]] AttentionMask source_mask(const Tensor& source) const;
  [[nodiscard]] const TransformerOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::string type_name() const override { return "Transformer"; }

  Embedding source_embedding;
  Embedding target_embedding;
  std::optional<LearnedPosition> source_position;
  std::optional<LearnedPosition> target_position;
  TransformerEncoder encoder;
  TransformerDecoder decoder;
  Linear output;
  Dropout source_dropout;
  Dropout target_dropout;

 protected:
  void list_parts(Parts& parts) override;

 private:
  [[nodiscard]] Variable embed(const Embedding& table,
                               const std::optional<LearnedPosition>& learned,
                               const Dropout& dropout, const Tensor& ids, Index first) const;

  TransformerOptions options_;
  SinusoidalPosition sinusoidal_;
};

}  // namespace tensorette::nn
