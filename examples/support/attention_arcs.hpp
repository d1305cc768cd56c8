/// \file
/// The sentence written twice, and lines from one word to all the words it attends to: the stronger
/// the line, the higher the attention score.
#pragma once

#include <string>
#include <string_view>

#include "attention_scores.hpp"

namespace tensorette::pictures {

struct AttentionArcs {
  std::string caption{};        ///< what there is to see; plain text
  AttentionScores attention{};  ///< may hold one head or all of them
  std::size_t query = 0;        ///< the word whose lines are drawn at first
  std::size_t layer = 0;        ///< the head drawn at first, counted from 0
  std::size_t head = 0;
};

/// The lines of one word in one head as a still picture.
/// Throws as check_attention_scores() does, and IndexError when there is no such word or head.
[[nodiscard]] std::string attention_arcs_svg(const AttentionArcs& arcs,
                                             Placement placement = Placement::standalone);

/// HTML for html_page(): the same picture as a figure in which another word (pointer, or Tab and
/// the arrow keys) and, where there are several, another head can be chosen. `id` must be unique in
/// the page. Throws as attention_arcs_svg() does.
[[nodiscard]] std::string attention_arcs_html(const AttentionArcs& arcs, std::string_view id);

}  // namespace tensorette::pictures
