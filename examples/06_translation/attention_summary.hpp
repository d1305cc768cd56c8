/// \file
/// All heads of a sentence condensed: how widely each looks, and what came through all layers.
/// Before: demo_report.hpp. Next: commands.hpp.
#pragma once

#include <string>
#include <vector>

#include "support/attention_scores.hpp"

namespace tensorette::translation {

/// nn::attention_entropy() of each head: [layers, heads], row by row.
[[nodiscard]] std::vector<double> head_entropies(const pictures::AttentionScores& attention);

/// The same as a table for readers, with a word on what the numbers mean.
[[nodiscard]] std::string entropy_table(const pictures::AttentionScores& attention);

/// nn::attention_rollout() as a heat map: outputs of the last layer in rows, words in columns.
/// \throws ShapeError unless queries and keys are the same words
[[nodiscard]] pictures::HeatMap rollout_map(const pictures::AttentionScores& attention);

}  // namespace tensorette::translation
