/// \file
/// The sentence pairs of one run: the built-in corpus, or files.
/// Before: data_options.hpp, grammar_corpus.hpp, parallel_text.hpp. Next: trainer.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data_options.hpp"
#include "grammar_corpus.hpp"
#include "parallel_text.hpp"
#include "segmenter.hpp"
#include "vocabulary.hpp"

namespace tensorette::translation {

/// Tokenized pairs, and what went wrong on the way.
struct TrainingData {
  std::vector<SentencePair> train;
  std::vector<SentencePair> valid;  ///< may be empty
  std::vector<SentencePair> test;
  /// The lines that the targets of `valid` and `test` were cut from, joins of "@@" removed.
  std::vector<std::string> valid_references;
  std::vector<std::string> test_references;
  bool test_is_train = false;  ///< there are no held-out pairs
  Segmenter source_segmenter{};
  Segmenter target_segmenter{};
  std::vector<LineProblem> problems;  ///< the lines left out, and why
  std::int64_t too_long = 0;          ///< how many of them for their length
};

/// Reads and cuts the pairs. Pieces are learned from the training pairs, of both languages together
/// for a joint vocabulary, unless `segmenters` are given, for instance those of a saved run.
/// \throws Error, FormatError as read_pairs(), read_aligned() and SentencePieceModel do, and for
/// options that exclude each other
[[nodiscard]] TrainingData load_data(const DataOptions& options,
                                     const std::optional<Segmenters>& segmenters = std::nullopt);

struct Vocabularies {
  Vocabulary source;
  Vocabulary target;
};

/// The vocabularies of the training pairs; one and the same if joint. Where tokens are pieces, a
/// vocabulary is all of its model's pieces, so that no character of the training pairs is unknown.
[[nodiscard]] Vocabularies vocabularies_of(const TrainingData& data, const DataOptions& options);

}  // namespace tensorette::translation
