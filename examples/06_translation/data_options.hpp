/// \file
/// What to train on: files or the built-in corpus, and how they become tokens.
/// Before: segmenter.hpp. Next: training_data.hpp reads them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "segmenter.hpp"

namespace tensorette::translation {

/// Where the pairs come from, and what their tokens are. No file named: the built-in corpus.
struct DataOptions {
  std::string pairs{};   ///< a table of pairs
  std::string source{};  ///< or two files, a sentence a line each
  std::string target{};
  /// Pairs to watch while training; without: none.
  std::string valid_pairs{};
  std::string valid_source{};
  std::string valid_target{};
  /// Held-out pairs; without: the training pairs stand in for them.
  std::string test_pairs{};
  std::string test_source{};
  std::string test_target{};

  std::uint64_t corpus_seed = 1;
  std::int64_t train_pairs = 20'000;  ///< of the built-in corpus
  std::int64_t test_size = 1'500;     ///< of the built-in corpus

  TokenizerKind tokenizer = TokenizerKind::words;
  Language source_language = Language::english;  ///< whose rules words follow
  Language target_language = Language::french;
  /// Whether capitals become small letters; not said: in words they do, in other tokens not.
  std::optional<bool> lower_case{};
  bool join_bpe = false;                 ///< for TokenizerKind::none: "@@ " is removed from output
  std::int64_t vocabulary_size = 8'000;  ///< pieces of bpe and unigram, of each vocabulary
  /// A model of SentencePiece to cut both languages with, instead of learning one.
  std::string pieces_model{};
  bool joint_vocabulary = false;   ///< source and target share one vocabulary
  std::int64_t min_frequency = 1;  ///< words seen less often are unknown; pieces are all known
  std::int64_t max_tokens = 100;   ///< pairs with a longer side are left out
  /// So are pairs one side of which has more than so many times the tokens of the other; 0: none.
  double max_length_ratio = 0;

  [[nodiscard]] bool is_built_in() const { return pairs.empty() && source.empty(); }
  [[nodiscard]] bool makes_lower_case() const {
    return lower_case.value_or(tokenizer == TokenizerKind::words);
  }
};

[[nodiscard]] nlohmann::json to_json(const DataOptions& options);
/// What older options lack has its default.
[[nodiscard]] DataOptions data_options_from_json(const nlohmann::json& json);

}  // namespace tensorette::translation
