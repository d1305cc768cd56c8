// The half of Translator that finds translations; the other half is translator.cpp.
#include <algorithm>

#include "translator.hpp"

namespace tensorette::translation {
namespace {

using Sentences = std::vector<std::vector<std::string>>;

// Sentences that have tokens, from the shortest to the longest, so that a batch has little padding.
std::vector<std::size_t> by_length(const Sentences& sentences) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (!sentences[i].empty()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sentences[a].size() < sentences[b].size();
  });
  return order;
}

// Sentences at a time: fewer where the beam is wide, so that memory stays within bounds.
std::size_t batch_size_of(const TranslateOptions& options) {
  constexpr Index most_hypotheses = 2'048;
  const Index fitting = std::max<Index>(1, most_hypotheses / std::max<Index>(1, options.beam));
  return static_cast<std::size_t>(std::min(options.batch_size, fitting));
}

// Each sentence has a limit of its own, whatever stands beside it in the batch.
nn::DecodingOptions decoding_options(const Sentences& batch, const TranslateOptions& options) {
  nn::DecodingOptions result{.max_length = options.max_length,
                             .beam = options.beam,
                             .length_penalty = options.length_penalty,
                             .best = options.best,
                             .begin_id = kBegin,
                             .end_id = kEnd};
  if (options.max_length == 0) {
    for (const auto& sentence : batch) {
      result.max_lengths.push_back(2 * static_cast<Index>(sentence.size()) + 10);
    }
  }
  return result;
}

std::vector<std::vector<nn::Hypothesis>> search(const nn::Transformer& model, const Tensor& ids,
                                                const nn::DecodingOptions& options) {
  if (options.beam > 1 || options.best > 1) return nn::beam_search(model, ids, options);
  std::vector<std::vector<nn::Hypothesis>> results;
  for (nn::Hypothesis& hypothesis : nn::greedy_search(model, ids, options)) {
    results.emplace_back().push_back(std::move(hypothesis));
  }
  return results;
}

}  // namespace

std::vector<std::vector<Translation>> Translator::translate_ranked(
    const Sentences& sentences, const TranslateOptions& options) const {
  if (options.batch_size < 1 || options.max_length < 0) {
    throw Error("translate: batch_size must be positive and max_length not negative");
  }
  std::vector<std::vector<Translation>> results(sentences.size());
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    require_fits(sentences[i].size());
    if (sentences[i].empty()) results[i].emplace_back();  // nothing to say about nothing
  }
  const std::vector<std::size_t> order = by_length(sentences);
  const auto batch_size = batch_size_of(options);
  for (std::size_t first = 0; first < order.size(); first += batch_size) {
    const std::size_t count = std::min(batch_size, order.size() - first);
    Sentences batch;
    for (std::size_t i = 0; i < count; ++i) batch.push_back(sentences[order[first + i]]);
    auto found = search(model, source_ids(batch), decoding_options(batch, options));
    for (std::size_t i = 0; i < count; ++i) {
      for (const nn::Hypothesis& hypothesis : found[i]) {
        Translation result{.source_tokens = batch[i],
                           .tokens = target_vocabulary.decode(hypothesis.tokens),
                           .is_cut_off = hypothesis.is_cut_off,
                           .log_probability = hypothesis.log_probability,
                           .score = hypothesis.score};
        result.text = target_segmenter.text(result.tokens);
        results[order[first + i]].push_back(std::move(result));
      }
    }
  }
  return results;
}

std::vector<Translation> Translator::translate_tokens(const Sentences& sentences,
                                                      const TranslateOptions& options) const {
  std::vector<Translation> best;
  for (auto& ranked : translate_ranked(sentences, options)) {
    best.push_back(std::move(ranked.front()));
  }
  return best;
}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines,
                                               const TranslateOptions& options) const {
  Sentences sentences;
  for (const std::string& line : lines) sentences.push_back(source_tokens(line));
  return translate_tokens(sentences, options);
}

std::vector<TranslatedLine> Translator::translate_lines(const std::vector<std::string>& lines,
                                                        const TranslateOptions& options) const {
  std::vector<TranslatedLine> results(lines.size());
  Sentences sentences;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    try {
      std::vector<std::string> tokens = source_tokens(lines[i]);
      require_fits(tokens.size());
      sentences.push_back(std::move(tokens));
      places.push_back(i);
    } catch (const Error& error) {
      results[i].problem = error.what();
    }
  }
  auto ranked = translate_ranked(sentences, options);
  for (std::size_t i = 0; i < places.size(); ++i) results[places[i]].ranked = std::move(ranked[i]);
  return results;
}

}  // namespace tensorette::translation
