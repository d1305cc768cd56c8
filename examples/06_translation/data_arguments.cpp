#include "command_line.hpp"

namespace tensorette::translation {

void add_data_arguments(CLI::App& train, DataOptions& data) {
  auto* pairs =
      train.add_option("--pairs", data.pairs, "Table of pairs, a pair a line, tab between")
          ->option_text("FILE.tsv");
  auto* source = train.add_option("--source", data.source, "Source sentences, one a line")
                     ->option_text("FILE")
                     ->excludes(pairs);
  train.add_option("--target", data.target, "Their translations, line by line")
      ->option_text("FILE")
      ->needs(source);
  source->needs(train.get_option("--target"));
  train
      .add_option("--test-pairs", data.test_pairs,
                  "Held-out pairs to evaluate on, not the training pairs")
      ->option_text("FILE.tsv");
  train.add_option("--min-frequency", data.min_frequency, "Rarer words are unknown")
      ->check(positive())
      ->capture_default_str();
  train.add_option("--train-pairs", data.train_pairs, "Pairs of the built-in corpus")
      ->check(positive())
      ->capture_default_str();
  train.add_option("--test-size", data.test_size, "Held-out pairs of the built-in corpus")
      ->check(positive())
      ->capture_default_str();
}

}  // namespace tensorette::translation
