/// \file
/// The attention scores of one sentence in every layer and head of one kind of attention.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heat_map.hpp"

namespace tensorette::pictures {

struct AttentionScores {
  std::string name{};                  ///< "encoder self-attention"
  std::vector<std::string> queries{};  ///< the words that look
  std::vector<std::string> keys{};     ///< the words that are looked at
  std::size_t layers = 1;
  std::size_t heads = 1;
  std::vector<double> scores{};  ///< [layers, heads, queries, keys], row by row, each in [0, 1]
};

/// Throws Error when the name or one of the four sizes is missing or a score is not in [0, 1], and
/// ShapeError when the count of scores is not layers × heads × queries × keys.
void check_attention_scores(const AttentionScores& attention);

/// One head as a heat map titled `layer 1, head 2`; layers and heads count from 0 here and from 1
/// in the title. Throws IndexError when there is no such layer or head.
[[nodiscard]] HeatMap head_map(const AttentionScores& attention, std::size_t layer,
                               std::size_t head);

/// The mean over the heads of a layer as a heat map titled `layer 1, mean of heads`.
[[nodiscard]] HeatMap mean_map(const AttentionScores& attention, std::size_t layer);

/// Scores in thousandths, `910,,3`, zeros left out: how the page carries them for its script.
[[nodiscard]] std::string thousandths(const std::vector<double>& scores);

}  // namespace tensorette::pictures
