/// \file
/// Every head of every layer at one glance, one of them large.
#pragma once

#include <string>
#include <string_view>

#include "attention_scores.hpp"

namespace tensorette::pictures {

struct AttentionGridOptions {
  std::size_t layer = 0;  ///< the head shown large at first
  std::size_t head = 0;
};

/// HTML for html_page(): a table of small heat maps (layers in rows, heads and their mean in
/// columns) that are radio buttons, and beside it the chosen one large. `id` must be unique in the
/// page. Throws as check_attention_scores() and head_map() do.
[[nodiscard]] std::string attention_grid_html(const AttentionScores& attention, std::string_view id,
                                              const AttentionGridOptions& options = {});

/// All heads of all layers as one still picture, for a README or a document.
[[nodiscard]] std::string attention_grid_svg(const AttentionScores& attention,
                                             Placement placement = Placement::standalone);

}  // namespace tensorette::pictures
