/// \file
/// A Transformer with its vocabularies: sentences in, sentences out.
/// Before: tokenizer.hpp, vocabulary.hpp. Next: trainer.hpp.
#pragma once

#include <string>
#include <string_view>
#include <tensorette/nn/checkpoint.hpp>
#include <tensorette/nn/decoding/decoding.hpp>
#include <tensorette/nn/transformer.hpp>
#include <vector>

#include "batches.hpp"
#include "tokenizer.hpp"
#include "vocabulary.hpp"

namespace tensorette::translation {

/// One translated sentence.
struct Translation {
  std::vector<std::string> source_tokens{};
  std::vector<std::string> tokens{};
  std::string text{};
  bool is_cut_off = false;  ///< the end token did not come in time
};

/// Everything that turns a line of text into a translation. A checkpoint holds all of it.
class Translator {
 public:
  Translator(Vocabulary source, Vocabulary target, Language source_language,
             Language target_language, const nn::TransformerOptions& options, Generator& generator);

  /// Reads vocabularies, languages and the model from a checkpoint.
  /// \throws FormatError naming what is missing or does not fit
  [[nodiscard]] static Translator from_checkpoint(const nn::Checkpoint& checkpoint);
  /// Writes them into one.
  void put_into(nn::Checkpoint& checkpoint) const;

  /// Greedy for a beam of 1. Lines may have any length up to the model's; unknown words are
  /// translated as such. \throws FormatError for text that is not UTF-8; Error for a line that is
  /// too long, naming both lengths
  [[nodiscard]] std::vector<Translation> translate(const std::vector<std::string>& lines,
                                                   Index beam = 1) const;
  [[nodiscard]] std::vector<Translation> translate_tokens(
      const std::vector<std::vector<std::string>>& sentences, Index beam = 1) const;

  [[nodiscard]] std::vector<std::string> source_tokens(std::string_view line) const;
  [[nodiscard]] std::vector<std::string> target_tokens(std::string_view line) const;
  [[nodiscard]] EncodedPair encode(const std::vector<std::string>& source,
                                   const std::vector<std::string>& target) const;
  /// Sentences as ids [sentences, longest], filled up with padding.
  [[nodiscard]] Tensor source_ids(const std::vector<std::vector<std::string>>& sentences) const;

  Vocabulary source_vocabulary;
  Vocabulary target_vocabulary;
  Language source_language;
  Language target_language;
  nn::Transformer model;
};

/// "english", "french" or "generic".
[[nodiscard]] std::string_view name_of(Language language);
/// \throws FormatError
[[nodiscard]] Language language_from_name(std::string_view name);

}  // namespace tensorette::translation
