#include <string>
#include <vector>

#include "command_line.hpp"

namespace tensorette::translation {
namespace {

/// The enumerators of these names.
template <class Enum>
std::vector<std::pair<std::string, Enum>> named(const std::vector<std::string>& names,
                                                Enum (*from_name)(std::string_view)) {
  std::vector<std::pair<std::string, Enum>> choices;
  for (const std::string& name : names) choices.emplace_back(name, from_name(name));
  return choices;
}

/// A table of pairs, or two files: --valid-pairs, or --valid-source with --valid-target.
void add_files(CLI::App& train, const std::string& prefix, const std::string& what,
               std::string& pairs, std::string& source, std::string& target) {
  auto* table = train.add_option(prefix + "pairs", pairs, what + ": a pair a line, tab between")
                    ->option_text("FILE.tsv");
  auto* first =
      train.add_option(prefix + "source", source, what + ": source sentences, one a line")
          ->option_text("FILE")
          ->excludes(table);
  auto* second =
      train.add_option(prefix + "target", target, what + ": their translations, line by line")
          ->option_text("FILE")
          ->needs(first);
  first->needs(second);
}

void add_sources(CLI::App& train, DataOptions& data) {
  add_files(train, "--", "Sentence pairs", data.pairs, data.source, data.target);
  add_files(train, "--valid-", "Pairs to watch while training", data.valid_pairs, data.valid_source,
            data.valid_target);
  add_files(train, "--test-", "Held-out pairs to evaluate on, not the training pairs",
            data.test_pairs, data.test_source, data.test_target);
  train.add_option("--train-pairs", data.train_pairs, "Pairs of the built-in corpus")
      ->check(positive())
      ->capture_default_str();
  train.add_option("--test-size", data.test_size, "Held-out pairs of the built-in corpus")
      ->check(positive())
      ->capture_default_str();
}

void add_tokens(CLI::App& train, DataOptions& data) {
  add_choice(train, "--tokenizer", data.tokenizer,
             "What a token is: a word, a piece of one (bpe, unigram), or what stands between "
             "spaces in text that is tokenized already (none)",
             named({"words", "bpe", "unigram", "none"}, &tokenizer_from_name));
  const auto languages = named({"english", "french", "generic"}, &language_from_name);
  add_choice(train, "--source-language", data.source_language,
             "Whose rules cut the source into words", languages);
  add_choice(train, "--target-language", data.target_language,
             "Whose rules cut the target into words", languages);
  auto* lower = train.add_flag_callback(
      "--lower-case", [&data] { data.lower_case = true; },
      "Make capitals small letters; with words the default");
  train
      .add_flag_callback(
          "--keep-case", [&data] { data.lower_case = false; },
          "Leave capitals; with other tokens the default")
      ->excludes(lower);
  train.add_flag("--join-bpe", data.join_bpe,
                 "With --tokenizer none: \"@@ \" joins pieces, and is removed from translations");
  auto* size = train
                   .add_option("--vocabulary-size", data.vocabulary_size,
                               "Pieces that bpe and unigram learn from the training pairs")
                   ->check(positive())
                   ->capture_default_str();
  train
      .add_option("--pieces-model", data.pieces_model,
                  "Model of SentencePiece to cut both languages with instead")
      ->option_text("FILE.model")
      ->excludes(size);
  train.add_flag("--joint-vocabulary", data.joint_vocabulary,
                 "One vocabulary for both languages; pieces are learned from both together");
  train
      .add_option("--min-frequency", data.min_frequency,
                  "Words seen less often are unknown; pieces never are")
      ->check(positive())
      ->capture_default_str();
  train
      .add_option("--max-tokens", data.max_tokens,
                  "Pairs with more tokens on a side are left out, and reported")
      ->check(positive())
      ->capture_default_str();
  train
      .add_option("--max-length-ratio", data.max_length_ratio,
                  "So are training pairs with one side so many times as long as the other; 0: none")
      ->check(not_negative())
      ->capture_default_str();
}

}  // namespace

void add_data_arguments(CLI::App& train, DataOptions& data) {
  add_sources(train, data);
  add_tokens(train, data);
}

}  // namespace tensorette::translation
