#include "chrf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tensorette/tensor/error.hpp>

#include "utf8.hpp"

namespace tensorette::translation {
namespace {

constexpr double kBetaSquared = 4;

std::u32string without_spaces(std::string_view text) {
  std::u32string points = decode_utf8(text);
  std::erase_if(points, is_space);
  return points;
}

std::map<std::u32string_view, double> count_sequences(std::u32string_view text, std::size_t order) {
  std::map<std::u32string_view, double> counts;
  for (std::size_t begin = 0; begin + order <= text.size(); ++begin) {
    ++counts[text.substr(begin, order)];
  }
  return counts;
}

}  // namespace

ChrfCounts& ChrfCounts::operator+=(const ChrfCounts& other) {
  for (std::size_t n = 0; n < kChrfOrder; ++n) {
    hypothesis[n] += other.hypothesis[n];
    reference[n] += other.reference[n];
    matches[n] += other.matches[n];
  }
  return *this;
}

ChrfCounts chrf_counts(std::string_view hypothesis, std::string_view reference) {
  const std::u32string said = without_spaces(hypothesis);
  const std::u32string wanted = without_spaces(reference);
  ChrfCounts counts;
  for (std::size_t n = 0; n < kChrfOrder; ++n) {
    const auto in_reference = count_sequences(wanted, n + 1);
    for (const auto& [sequence, count] : in_reference) counts.reference[n] += count;
    for (const auto& [sequence, count] : count_sequences(said, n + 1)) {
      counts.hypothesis[n] += count;
      const auto found = in_reference.find(sequence);
      if (found != in_reference.end()) counts.matches[n] += std::min(count, found->second);
    }
  }
  return counts;
}

double chrf_from_counts(const ChrfCounts& counts) {
  double precision = 0;
  double recall = 0;
  double orders = 0;
  for (std::size_t n = 0; n < kChrfOrder; ++n) {
    // Where one side is too short for a sequence, the order says nothing.
    if (counts.hypothesis[n] == 0 || counts.reference[n] == 0) continue;
    precision += counts.matches[n] / counts.hypothesis[n];
    recall += counts.matches[n] / counts.reference[n];
    ++orders;
  }
  if (orders == 0 || precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  return 100 * (1 + kBetaSquared) * precision * recall / (kBetaSquared * precision + recall);
}

std::string chrf_signature() {
  return "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no";
}

double corpus_chrf(const std::vector<std::string>& hypotheses,
                   const std::vector<std::string>& references) {
  if (hypotheses.size() != references.size()) {
    throw Error(fmt::format("chrF: {} translations, but references for {} sentences",
                            hypotheses.size(), references.size()));
  }
  ChrfCounts counts;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    counts += chrf_counts(hypotheses[i], references[i]);
  }
  return chrf_from_counts(counts);
}

}  // namespace tensorette::translation
