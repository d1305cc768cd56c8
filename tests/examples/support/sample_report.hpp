/// \file
/// A report as a training might make it, from made-up numbers, for the tests of the pictures.
#pragma once

#include <support/report.hpp>

namespace tensorette::pictures::testing {

/// Attention in which the last head of the last layer looks from "it" at `antecedent`.
[[nodiscard]] AttentionScores sample_attention(const std::string& sentence,
                                               const std::string& antecedent);

/// Two layers of four heads, two sentences, two curves, four translations (one of them wrong).
[[nodiscard]] Report sample_report();

}  // namespace tensorette::pictures::testing
