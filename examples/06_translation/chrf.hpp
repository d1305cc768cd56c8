/// \file
/// chrF: character sequences that a translation shares with its reference.
///
/// Popović, "chrF: character n-gram F-score for automatic MT evaluation" (2015): sequences of one
/// to six characters without white space; precision and recall are means over the orders, and
///
///     chrF = 100 · (1 + β²) P R / (β² P + R),   β = 2
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tensorette::translation {

inline constexpr std::size_t kChrfOrder = 6;

/// What chrF counts. Counts of sentences add up to the counts of a corpus.
struct ChrfCounts {
  std::array<double, kChrfOrder> hypothesis{};  ///< sequences of the translation
  std::array<double, kChrfOrder> reference{};   ///< of the reference
  std::array<double, kChrfOrder> matches{};     ///< in both

  ChrfCounts& operator+=(const ChrfCounts& other);
};

/// \throws FormatError for text that is not UTF-8
[[nodiscard]] ChrfCounts chrf_counts(std::string_view hypothesis, std::string_view reference);

/// In [0, 100].
[[nodiscard]] double chrf_from_counts(const ChrfCounts& counts);

/// \throws Error if there are not as many sentences on both sides, naming both
[[nodiscard]] double corpus_chrf(const std::vector<std::string>& hypotheses,
                                 const std::vector<std::string>& references);

/// What has to be said beside a score so that others can repeat it.
[[nodiscard]] std::string chrf_signature();

}  // namespace tensorette::translation
