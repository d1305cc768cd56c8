#include "training_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tensorette/tensor/error.hpp>

namespace tensorette::translation {
namespace {

std::vector<SentencePair> tokenized(const ParallelText& text, const DataOptions& options,
                                    TrainingData& data) {
  std::vector<SentencePair> pairs;
  for (const TextPair& pair : text.pairs) {
    SentencePair tokens{.source = tokenize(pair.source, {.language = data.source_language}),
                        .target = tokenize(pair.target, {.language = data.target_language}),
                        .pronoun = {},
                        .animal = {},
                        .place = {}};
    const auto longest =
        static_cast<std::int64_t>(std::max(tokens.source.size(), tokens.target.size()));
    if (longest > options.max_tokens) {
      ++data.too_long;
    } else {
      pairs.push_back(std::move(tokens));
    }
  }
  data.problems.insert(data.problems.end(), text.problems.begin(), text.problems.end());
  return pairs;
}

}  // namespace

nlohmann::json to_json(const DataOptions& o) {
  return {{"pairs", o.pairs},
          {"source", o.source},
          {"target", o.target},
          {"test_pairs", o.test_pairs},
          {"corpus_seed", o.corpus_seed},
          {"train_pairs", o.train_pairs},
          {"test_size", o.test_size},
          {"min_frequency", o.min_frequency},
          {"max_tokens", o.max_tokens}};
}

DataOptions data_options_from_json(const nlohmann::json& json) {
  DataOptions o;
  json.at("pairs").get_to(o.pairs);
  json.at("source").get_to(o.source);
  json.at("target").get_to(o.target);
  json.at("test_pairs").get_to(o.test_pairs);
  json.at("corpus_seed").get_to(o.corpus_seed);
  json.at("train_pairs").get_to(o.train_pairs);
  json.at("test_size").get_to(o.test_size);
  json.at("min_frequency").get_to(o.min_frequency);
  json.at("max_tokens").get_to(o.max_tokens);
  return o;
}

TrainingData load_data(const DataOptions& options) {
  TrainingData data;
  if (options.is_built_in()) {
    Corpus corpus = generate_corpus({.train_pairs = static_cast<std::size_t>(options.train_pairs),
                                     .test_pairs = static_cast<std::size_t>(options.test_size),
                                     .seed = options.corpus_seed});
    data.train = std::move(corpus.train);
    data.test = std::move(corpus.test);
    return data;
  }
  const ParallelText text = options.pairs.empty() ? read_aligned(options.source, options.target)
                                                  : read_pairs(options.pairs);
  data.train = tokenized(text, options, data);
  if (data.train.empty()) {
    throw FormatError("no pair is short enough: " + std::to_string(data.too_long) +
                      " are longer than " + std::to_string(options.max_tokens) + " tokens");
  }
  if (options.test_pairs.empty()) {
    data.test = data.train;
    data.test_is_train = true;
  } else {
    data.test = tokenized(read_pairs(options.test_pairs), options, data);
  }
  return data;
}

}  // namespace tensorette::translation
