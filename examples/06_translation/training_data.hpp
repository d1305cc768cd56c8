/// \file
/// The sentence pairs of one run: the built-in corpus, or files.
/// Before: grammar_corpus.hpp, parallel_text.hpp. Next: trainer.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "grammar_corpus.hpp"
#include "parallel_text.hpp"
#include "tokenizer.hpp"

namespace tensorette::translation {

/// Where the pairs come from. All strings empty: the built-in corpus.
struct DataOptions {
  std::string pairs{};   ///< a table of pairs
  std::string source{};  ///< or two files, a sentence a line each
  std::string target{};
  std::string test_pairs{};  ///< held-out pairs; without: the training pairs stand in for them
  std::uint64_t corpus_seed = 1;
  std::int64_t train_pairs = 20'000;  ///< of the built-in corpus
  std::int64_t test_size = 1'500;     ///< of the built-in corpus
  std::int64_t min_frequency = 1;     ///< words seen less often are unknown
  std::int64_t max_tokens = 100;      ///< longer sentences are left out of training

  [[nodiscard]] bool is_built_in() const { return pairs.empty() && source.empty(); }
};

[[nodiscard]] nlohmann::json to_json(const DataOptions& options);
[[nodiscard]] DataOptions data_options_from_json(const nlohmann::json& json);

/// Tokenized pairs, and what went wrong on the way.
struct TrainingData {
  std::vector<SentencePair> train;
  std::vector<SentencePair> test;
  bool test_is_train = false;  ///< there are no held-out pairs
  Language source_language = Language::english;
  Language target_language = Language::french;
  std::vector<LineProblem> problems;
  std::int64_t too_long = 0;  ///< pairs left out for their length
};

/// \throws Error, FormatError as read_pairs() and read_aligned() do
[[nodiscard]] TrainingData load_data(const DataOptions& options);

}  // namespace tensorette::translation
