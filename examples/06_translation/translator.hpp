/// \file
/// A Transformer with its vocabularies: sentences in, sentences out.
/// Before: segmenter.hpp, vocabulary.hpp. Next: trainer.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tensorette/nn/checkpoint.hpp>
#include <tensorette/nn/decoding/decoding.hpp>
#include <tensorette/nn/transformer.hpp>
#include <vector>

#include "batches.hpp"
#include "segmenter.hpp"
#include "vocabulary.hpp"

namespace tensorette::translation {

/// One translated sentence.
struct Translation {
  std::vector<std::string> source_tokens{};
  std::vector<std::string> tokens{};
  std::string text{};
  bool is_cut_off = false;     ///< the end token did not come in time
  double log_probability = 0;  ///< of the tokens and the end
  double score = 0;  ///< that divided by the length penalty: what translations compete with
};

/// How sentences are translated.
struct TranslateOptions {
  Index beam = 1;               ///< hypotheses kept; 1 is greedy
  double length_penalty = 0.6;  ///< α of ((5 + length)/6)^α; more favours longer translations
  Index best = 1;               ///< translations of each sentence, at most `beam`
  Index max_length = 0;         ///< most tokens of one; 0: twice the sentence's and ten more
  Index batch_size = 64;        ///< sentences translated at once; fewer with a wide beam
};

/// What came of one line of text.
struct TranslatedLine {
  std::vector<Translation> ranked{};  ///< best first; empty if there was a problem
  std::string problem{};              ///< why there is no translation
};

/// Everything that turns a line of text into a translation. A checkpoint holds all of it.
class Translator {
 public:
  Translator(Vocabulary source, Vocabulary target, Segmenter source_segmenter,
             Segmenter target_segmenter, const nn::TransformerOptions& options,
             Generator& generator);

  /// Reads vocabularies, segmenters and the model from a checkpoint.
  /// \throws FormatError naming what is missing or does not fit
  [[nodiscard]] static Translator from_checkpoint(const nn::Checkpoint& checkpoint);
  /// The segmenters alone, for cutting the data of a run that goes on. Checkpoints from before
  /// there was a choice name languages, whose words their tokens are. \throws FormatError
  [[nodiscard]] static Segmenters segmenters_in(const nn::Checkpoint& checkpoint);
  /// Writes them into one.
  void put_into(nn::Checkpoint& checkpoint) const;

  /// The best translation of each line. Lines may have any length up to the model's; unknown words
  /// are translated as such. What a line becomes does not depend on the others, which may come in
  /// any number and order: those of like length are translated together.
  /// \throws FormatError for text that is not UTF-8; Error for a line that is too long, naming both
  /// lengths, and for options that nn::beam_search() refuses
  [[nodiscard]] std::vector<Translation> translate(const std::vector<std::string>& lines,
                                                   const TranslateOptions& options = {}) const;
  [[nodiscard]] std::vector<Translation> translate_tokens(
      const std::vector<std::vector<std::string>>& sentences,
      const TranslateOptions& options = {}) const;
  /// The best options.best translations of each sentence, best first. There may be fewer, but there
  /// is always one: that of a sentence without tokens is empty.
  [[nodiscard]] std::vector<std::vector<Translation>> translate_ranked(
      const std::vector<std::vector<std::string>>& sentences,
      const TranslateOptions& options = {}) const;
  /// The same for lines, of which any may be unfit: that is told beside the others' translations.
  [[nodiscard]] std::vector<TranslatedLine> translate_lines(
      const std::vector<std::string>& lines, const TranslateOptions& options = {}) const;

  [[nodiscard]] Segmenters segmenters() const { return {source_segmenter, target_segmenter}; }
  [[nodiscard]] std::vector<std::string> source_tokens(std::string_view line) const;
  [[nodiscard]] std::vector<std::string> target_tokens(std::string_view line) const;
  [[nodiscard]] EncodedPair encode(const std::vector<std::string>& source,
                                   const std::vector<std::string>& target) const;
  /// Those of a sentence's tokens that the source vocabulary lacks, each once, in a list with
  /// commas; empty if it has them all.
  [[nodiscard]] std::string unknown_tokens(const std::vector<std::string>& source) const;
  /// Sentences as ids [sentences, longest], filled up with padding.
  [[nodiscard]] Tensor source_ids(const std::vector<std::vector<std::string>>& sentences) const;

  Vocabulary source_vocabulary;
  Vocabulary target_vocabulary;
  Segmenter source_segmenter;
  Segmenter target_segmenter;
  nn::Transformer model;
  Index longest_source = 0;  ///< tokens of the longest sentence in training; 0: not known

 private:
  void require_fits(std::size_t tokens) const;
};

/// The name of the first parameter that holds a NaN or an infinity, if one does.
[[nodiscard]] std::optional<std::string> broken_parameter(const nn::Module& model);

}  // namespace tensorette::translation
