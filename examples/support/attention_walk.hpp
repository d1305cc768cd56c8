/// \file
/// Attention from stage to stage, each with its formula, its shape and its numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heat_map.hpp"

namespace tensorette::pictures {

/// Vectors of words: a word in each row.
struct WordVectors {
  std::string caption{};
  std::vector<std::string> words{};
  std::vector<double> values{};  ///< [words, width], row by row
};

struct WalkStage {
  std::string name{};     ///< "Scores"
  std::string formula{};  ///< "softmax of each row"
  std::string shape{};    ///< "[1, 2, 3, 3] = [batch, heads, queries, keys]"
  std::string text{};     ///< what happens here and why; plain text
  std::vector<WordVectors> vectors{};
  std::vector<HeatMap> maps{};
};

struct AttentionWalk {
  std::string sentence{};
  std::vector<WalkStage> stages{};
};

/// HTML for html_page(): a tab for each stage (arrow keys move among them). `id` must be unique in
/// the page. Throws Error when there is no stage or a stage has no name, ShapeError when the count
/// of values is no multiple of the words, and as check_heat_map() does.
[[nodiscard]] std::string attention_walk_html(const AttentionWalk& walk, std::string_view id);

}  // namespace tensorette::pictures
