/// \file
/// The model: a stack of Transformer blocks in which every character sees those before it, and
/// says what the next one could be (Radford et al. 2019, "Language models are unsupervised
/// multitask learners", in small). Before: text.hpp. Next: trainer.hpp, sampling.hpp.
#pragma once

#include <tensorette/nn/embedding.hpp>
#include <tensorette/nn/feed_forward.hpp>
#include <tensorette/nn/multi_head_self_attention.hpp>
#include <tensorette/nn/normalization.hpp>
#include <tensorette/nn/position.hpp>

namespace tensorette::character_gpt {

struct GptOptions {
  Index characters = 0;   ///< of the alphabet
  Index context = 32;     ///< most characters that are looked at
  Index dim = 64;         ///< width of the vector of a character
  Index heads = 4;        ///< attention heads of a block
  Index blocks = 3;       ///< how many blocks stand on each other
  double dropout = 0.05;  ///< on what each part of a block adds
};

/// Attention to the characters so far, then a network for each character alone. Each adds to the
/// stream x what it makes of the normalised stream (pre-norm).
class Block final : public nn::Module {
 public:
  Block(const GptOptions& options, Generator& generator);

  /// x [batch, characters, dim] -> same
  [[nodiscard]] Variable forward(const Variable& x) const;
  /// The same for the characters behind those in the cache. Records no graph.
  [[nodiscard]] Variable forward_cached(const Variable& x, nn::KeyValueCache& cache) const;
  [[nodiscard]] std::string type_name() const override { return "Block"; }

  nn::LayerNorm attention_norm;
  nn::MultiHeadSelfAttention attention;
  nn::LayerNorm feed_forward_norm;
  nn::FeedForward feed_forward;
  nn::Dropout attention_dropout;
  nn::Dropout feed_forward_dropout;

 protected:
  void list_parts(nn::Parts& parts) override;

 private:
  template <class Attend>
  [[nodiscard]] Variable run(const Variable& x, const Attend& attend) const;
};

/// Keys and values of the characters so far, of every block: what writing on needs of the past.
using GptCache = std::vector<nn::KeyValueCache>;

/// ids [batch, characters] -> logits [batch, characters, alphabet] of the character behind each.
class Gpt final : public nn::Module {
 public:
  /// \throws Error for a size that is not positive, or heads that do not divide dim
  Gpt(const GptOptions& options, Generator& generator);

  /// \throws ShapeError for more characters than the context
  [[nodiscard]] Variable forward(const Tensor& ids) const;
  /// An empty cache.
  [[nodiscard]] GptCache start() const { return GptCache(blocks.size()); }
  /// The same for ids that stand behind those in the cache: nothing of the past is computed again.
  [[nodiscard]] Variable forward_cached(const Tensor& ids, GptCache& cache) const;

  [[nodiscard]] const GptOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::string type_name() const override { return "Gpt"; }

  nn::Embedding embedding;
  nn::LearnedPosition position;
  nn::Dropout dropout;
  std::vector<Block> blocks;
  nn::LayerNorm norm;
  nn::Linear output;  ///< its weight is that of the embedding

 protected:
  void list_parts(nn::Parts& parts) override;

 private:
  GptOptions options_;
};

}  // namespace tensorette::character_gpt
