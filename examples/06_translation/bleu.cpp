#include "bleu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tensorette/tensor/error.hpp>

#include "bleu_tokenizer.hpp"
#include "utf8.hpp"

namespace tensorette::translation {
namespace {

using Words = std::vector<std::string>;
using SequenceCounts = std::map<std::vector<std::string_view>, double>;

SequenceCounts count_sequences(const Words& words, std::size_t order) {
  SequenceCounts counts;
  for (std::size_t begin = 0; begin + order <= words.size(); ++begin) {
    const std::span<const std::string> sequence = std::span(words).subspan(begin, order);
    ++counts[{sequence.begin(), sequence.end()}];
  }
  return counts;
}

// The length nearest to the hypothesis; of two equally near ones the smaller.
std::size_t nearest_length(const std::vector<Words>& references, std::size_t length) {
  const auto distance = [&](const Words& words) {
    const std::size_t n = words.size();
    return std::pair(n > length ? n - length : length - n, n);
  };
  return std::min_element(references.begin(), references.end(),
                          [&](const Words& a, const Words& b) { return distance(a) < distance(b); })
      ->size();
}

std::string lower_case(std::string_view line) {
  std::u32string points = decode_utf8(line);
  std::transform(points.begin(), points.end(), points.begin(), to_lower);
  return encode_utf8(points);
}

// What the signature says of it.
std::string smoothing_with_value(BleuSmoothing smoothing) {
  const std::string name(name_of(smoothing));
  if (smoothing == BleuSmoothing::floor) return name + "[0.10]";
  if (smoothing == BleuSmoothing::add_one) return name + "[1.00]";
  return name;
}

}  // namespace

std::string_view name_of(BleuTokenizer tokenizer) {
  return tokenizer == BleuTokenizer::v13a ? "13a" : "none";
}

std::string_view name_of(BleuSmoothing smoothing) {
  switch (smoothing) {
    case BleuSmoothing::exponential:
      return "exp";
    case BleuSmoothing::floor:
      return "floor";
    case BleuSmoothing::add_one:
      return "add-k";
    case BleuSmoothing::none:
      break;
  }
  return "none";
}

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    matches[n] += other.matches[n];
    totals[n] += other.totals[n];
  }
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  return *this;
}

std::vector<std::string> bleu_words(std::string_view line, const BleuOptions& options) {
  const std::string text = options.lowercase ? lower_case(line) : std::string(line);
  return options.tokenizer == BleuTokenizer::v13a ? tokenize_13a(text) : split_at_spaces(text);
}

BleuCounts bleu_counts(std::string_view hypothesis, const std::vector<std::string>& references,
                       const BleuOptions& options) {
  if (references.empty()) throw Error("BLEU: a sentence has no reference");
  const Words words = bleu_words(hypothesis, options);
  std::vector<Words> wanted;
  for (const std::string& reference : references) wanted.push_back(bleu_words(reference, options));
  BleuCounts counts;
  counts.hypothesis_length = static_cast<double>(words.size());
  counts.reference_length = static_cast<double>(nearest_length(wanted, words.size()));
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    SequenceCounts most;
    for (const Words& reference : wanted) {
      for (const auto& [sequence, count] : count_sequences(reference, n + 1)) {
        double& known = most[sequence];
        known = std::max(known, count);
      }
    }
    for (const auto& [sequence, count] : count_sequences(words, n + 1)) {
      counts.totals[n] += count;
      const auto found = most.find(sequence);
      if (found != most.end()) counts.matches[n] += std::min(count, found->second);
    }
  }
  return counts;
}

BleuScore bleu_from_counts(const BleuCounts& counts, BleuSmoothing smoothing) {
  BleuScore result{.counts = counts};
  const double length = counts.hypothesis_length;
  if (length > 0)
    result.brevity_penalty = std::min(1.0, std::exp(1 - counts.reference_length / length));
  if (counts.matches[0] == 0) return result;
  double assumed = 1;
  double log_sum = 0;
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    double matches = counts.matches[n];
    double total = counts.totals[n];
    if (smoothing == BleuSmoothing::add_one && n > 0) {
      ++matches;
      ++total;
    }
    if (matches == 0 && smoothing == BleuSmoothing::exponential) matches = assumed /= 2;
    if (matches == 0 && smoothing == BleuSmoothing::floor) matches = 0.1;
    if (total > 0) result.precisions[n] = 100 * matches / total;
    log_sum += std::log(result.precisions[n] / 100);
  }
  result.score = 100 * result.brevity_penalty * std::exp(log_sum / kBleuOrder);
  return result;
}

BleuScore corpus_bleu(const std::vector<std::string>& hypotheses,
                      const std::vector<std::vector<std::string>>& references,
                      const BleuOptions& options) {
  if (hypotheses.size() != references.size()) {
    throw Error(fmt::format("BLEU: {} translations, but references for {} sentences",
                            hypotheses.size(), references.size()));
  }
  BleuCounts counts;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    counts += bleu_counts(hypotheses[i], references[i], options);
  }
  return bleu_from_counts(counts, options.smoothing);
}

std::string bleu_signature(std::size_t references_each, const BleuOptions& options) {
  return fmt::format("nrefs:{}|case:{}|eff:no|tok:{}|smooth:{}", references_each,
                     options.lowercase ? "lc" : "mixed", name_of(options.tokenizer),
                     smoothing_with_value(options.smoothing));
}

}  // namespace tensorette::translation
