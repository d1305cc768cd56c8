#include "training_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tensorette/tensor/error.hpp>
#include <utility>

#include "utf8.hpp"

namespace tensorette::translation {
namespace {

/// Where pairs lie: in a table, or in two files.
struct Files {
  const std::string& pairs;
  const std::string& source;
  const std::string& target;

  [[nodiscard]] bool are_named() const { return !pairs.empty() || !source.empty(); }
  [[nodiscard]] ParallelText read() const {
    return pairs.empty() ? read_aligned(source, target) : read_pairs(pairs);
  }
};

std::vector<std::string> sides_of(const ParallelText& text, std::string TextPair::*side,
                                  bool lower_case) {
  std::vector<std::string> lines;
  lines.reserve(text.pairs.size());
  for (const TextPair& pair : text.pairs) {
    lines.push_back(lower_case ? lower_cased(pair.*side) : pair.*side);
  }
  return lines;
}

Segmenters piece_segmenters(const DataOptions& options, const ParallelText& text) {
  const bool lower_case = options.makes_lower_case();
  const auto with = [&](SentencePieceModel model) {
    return Segmenter({.tokenizer = options.tokenizer, .lower_case = lower_case}, std::move(model));
  };
  if (!options.pieces_model.empty()) {
    const Segmenter both = with(SentencePieceModel::load(options.pieces_model));
    return {.source = both, .target = both};
  }
  const PieceOptions pieces{
      .method = options.tokenizer == TokenizerKind::bpe ? PieceMethod::bpe : PieceMethod::unigram,
      .count = options.vocabulary_size};
  std::vector<std::string> source = sides_of(text, &TextPair::source, lower_case);
  const std::vector<std::string> target = sides_of(text, &TextPair::target, lower_case);
  if (options.joint_vocabulary) {
    source.insert(source.end(), target.begin(), target.end());
    const Segmenter both = with(SentencePieceModel::train(source, pieces));
    return {.source = both, .target = both};
  }
  return {.source = with(SentencePieceModel::train(source, pieces)),
          .target = with(SentencePieceModel::train(target, pieces))};
}

Segmenters segmenters_for(const DataOptions& options, const ParallelText& text) {
  if (has_pieces(options.tokenizer)) return piece_segmenters(options, text);
  SegmenterOptions common{.tokenizer = options.tokenizer,
                          .language = options.source_language,
                          .lower_case = options.makes_lower_case()};
  // The joins of the source stay: what it shows can then be translated again.
  const Segmenter source(common);
  common.language = options.target_language;
  common.join_bpe = options.join_bpe;
  return {.source = source, .target = Segmenter(common)};
}

/// Why a pair is left out for its tokens, if it is.
std::optional<std::string> length_problem(const SentencePair& pair, const DataOptions& options,
                                          bool is_trained_on) {
  const auto source = static_cast<std::int64_t>(pair.source.size());
  const auto target = static_cast<std::int64_t>(pair.target.size());
  const std::int64_t longer = std::max(source, target);
  if (longer > options.max_tokens) {
    return fmt::format("{} tokens, more than {}", longer, options.max_tokens);
  }
  const double ratio = options.max_length_ratio;
  if (is_trained_on && ratio > 0 &&
      static_cast<double>(longer) > ratio * static_cast<double>(std::min(source, target))) {
    return fmt::format("{} source and {} target tokens: more than {:g} to 1", source, target,
                       ratio);
  }
  return std::nullopt;
}

/// The line that a translation is compared with.
std::string reference_of(const std::string& line, const Segmenter& segmenter) {
  const bool is_cut_already = segmenter.options().tokenizer == TokenizerKind::none;
  return is_cut_already ? segmenter.text(segmenter.tokens(line)) : line;
}

/// The pairs of one set of files, and the lines of their targets.
struct CutPairs {
  std::vector<SentencePair> pairs;
  std::vector<std::string> references;
};

/// Cuts the pairs of `text`; those that cannot be used are reported in `data`.
CutPairs cut(const ParallelText& text, const Files& files, const DataOptions& options,
             bool is_trained_on, TrainingData& data) {
  CutPairs result;
  data.problems.insert(data.problems.end(), text.problems.begin(), text.problems.end());
  for (const TextPair& line : text.pairs) {
    SentencePair pair{.source = data.source_segmenter.tokens(line.source),
                      .target = data.target_segmenter.tokens(line.target),
                      .pronoun = {},
                      .animal = {},
                      .place = {}};
    const auto report = [&](std::string reason, bool on_target) {
      const std::string& file = on_target ? files.target : files.source;
      data.problems.push_back(
          {files.pairs.empty() ? file : files.pairs, line.line, std::move(reason)});
    };
    if (pair.source.empty() || pair.target.empty()) {
      const bool on_target = !pair.source.empty();
      report(fmt::format("{} side has no tokens", on_target ? "target" : "source"), on_target);
    } else if (auto problem = length_problem(pair, options, is_trained_on)) {
      report(std::move(*problem), pair.target.size() > pair.source.size());
      ++data.too_long;
    } else {
      result.pairs.push_back(std::move(pair));
      result.references.push_back(reference_of(line.target, data.target_segmenter));
    }
  }
  return result;
}

TrainingData built_in_data(const DataOptions& options) {
  if (options.tokenizer != TokenizerKind::words || options.lower_case == false) {
    throw Error("the built-in corpus is words in small letters; name files for other tokens");
  }
  TrainingData data;
  Corpus corpus = generate_corpus({.train_pairs = static_cast<std::size_t>(options.train_pairs),
                                   .test_pairs = static_cast<std::size_t>(options.test_size),
                                   .seed = options.corpus_seed});
  data.train = std::move(corpus.train);
  data.test = std::move(corpus.test);
  data.source_segmenter = Segmenter({.language = Language::english});
  data.target_segmenter = Segmenter({.language = Language::french});
  for (const SentencePair& pair : data.test) {
    data.test_references.push_back(data.target_segmenter.text(pair.target));
  }
  return data;
}

void require_consistent(const DataOptions& options) {
  if (!options.pieces_model.empty() && !has_pieces(options.tokenizer)) {
    throw Error(fmt::format("a model of pieces is for bpe and unigram tokens, not for {}",
                            name_of(options.tokenizer)));
  }
  if (options.join_bpe && options.tokenizer != TokenizerKind::none) {
    throw Error(fmt::format(
        "joins of \"@@\" are for text that is tokenized already, not for tokens of kind {}",
        name_of(options.tokenizer)));
  }
}

}  // namespace

TrainingData load_data(const DataOptions& options, const std::optional<Segmenters>& segmenters) {
  require_consistent(options);
  if (options.is_built_in()) return built_in_data(options);

  const Files train{options.pairs, options.source, options.target};
  const Files valid{options.valid_pairs, options.valid_source, options.valid_target};
  const Files test{options.test_pairs, options.test_source, options.test_target};
  // All files are read before the first is worked on: a wrong name is told at once.
  const ParallelText train_text = train.read();
  const ParallelText valid_text = valid.are_named() ? valid.read() : ParallelText{};
  const ParallelText test_text = test.are_named() ? test.read() : ParallelText{};

  TrainingData data;
  auto [source, target] = segmenters ? *segmenters : segmenters_for(options, train_text);
  data.source_segmenter = std::move(source);
  data.target_segmenter = std::move(target);
  CutPairs train_pairs = cut(train_text, train, options, true, data);
  if (train_pairs.pairs.empty()) {
    throw FormatError(fmt::format("no pair can be used; the first problem is {}",
                                  to_string(data.problems.front())));
  }
  data.train = train_pairs.pairs;
  CutPairs valid_pairs = cut(valid_text, valid, options, false, data);
  data.valid = std::move(valid_pairs.pairs);
  data.valid_references = std::move(valid_pairs.references);
  data.test_is_train = !test.are_named();
  CutPairs test_pairs =
      data.test_is_train ? std::move(train_pairs) : cut(test_text, test, options, false, data);
  data.test = std::move(test_pairs.pairs);
  data.test_references = std::move(test_pairs.references);
  return data;
}

Vocabularies vocabularies_of(const TrainingData& data, const DataOptions& options) {
  const auto& source_pieces = data.source_segmenter.pieces();
  const auto& target_pieces = data.target_segmenter.pieces();
  if (source_pieces && target_pieces) {
    return {.source = Vocabulary::with_special_tokens(source_pieces->pieces()),
            .target = Vocabulary::with_special_tokens(target_pieces->pieces())};
  }
  TokenCounts source;
  TokenCounts target;
  for (const SentencePair& pair : data.train) {
    source.add(pair.source);
    (options.joint_vocabulary ? source : target).add(pair.target);
  }
  if (options.joint_vocabulary) {
    const Vocabulary both = Vocabulary::build(source, options.min_frequency);
    return {.source = both, .target = both};
  }
  return {.source = Vocabulary::build(source, options.min_frequency),
          .target = Vocabulary::build(target, options.min_frequency)};
}

}  // namespace tensorette::translation
