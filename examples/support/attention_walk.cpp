#include "attention_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tensorette/tensor/error.hpp>

#include "html.hpp"

namespace tensorette::pictures {
namespace {

// Rows of numbers, tinted by their size; positive and negative ones in different colours.
std::string table_of(const WordVectors& vectors) {
  const std::size_t rows = vectors.words.size();
  if (rows == 0 || vectors.values.size() % rows != 0) {
    throw ShapeError(fmt::format("attention walk: {} values for {} words in \"{}\"",
                                 vectors.values.size(), rows, vectors.caption));
  }
  const std::size_t width = vectors.values.size() / rows;
  double largest = 0;
  for (const double x : vectors.values) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  }
  std::string html;
  for (std::size_t i = 0; i < rows; ++i) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", escape(vectors.words[i]));
    for (std::size_t j = 0; j < width; ++j) {
      const double x = vectors.values[i * width + j];
      const double tint = largest > 0 && std::isfinite(x) ? 45 * std::abs(x) / largest : 0;
      html += fmt::format(
          "<td style=\"background:color-mix(in srgb,var(--{}) {:.0f}%,transparent)\">{}</td>",
          x < 0 ? "s1" : "s0", tint, fixed_text(x, 2));
    }
    html += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"scroll\"><table class=\"vectors\"><caption>{}</caption>\n{}</table></div>\n",
      escape(vectors.caption), html);
}

std::string content_of(const WalkStage& stage) {
  std::string html =
      fmt::format("<p class=\"stage-formula\">{} <span class=\"quiet\">{}</span></p>\n",
                  escape(stage.formula), escape(stage.shape));
  html += fmt::format("<p>{}</p>\n<div class=\"pair\">\n", escape(stage.text));
  for (const WordVectors& vectors : stage.vectors) {
    html += "<div class=\"card\">" + table_of(vectors) + "</div>\n";
  }
  for (const HeatMap& map : stage.maps) {
    html += "<div class=\"card\"><div class=\"scroll\">\n" +
            heat_map_svg(map, {.placement = Placement::in_page}) + "</div></div>\n";
  }
  return html + "</div>\n";
}

}  // namespace

std::string attention_walk_html(const AttentionWalk& walk, std::string_view id) {
  if (walk.stages.empty()) throw Error("attention walk: there is no stage");
  std::vector<Tab> items;
  for (std::size_t i = 0; i < walk.stages.size(); ++i) {
    const WalkStage& stage = walk.stages[i];
    if (stage.name.empty()) throw Error(fmt::format("attention walk: stage {} has no name", i + 1));
    items.push_back({fmt::format("{}. {}", i + 1, stage.name), content_of(stage)});
  }
  return fmt::format("<section class=\"walk\">\n<h2>{}</h2>\n{}</section>\n", escape(walk.sentence),
                     tabs(id, "Stages of attention", items));
}

}  // namespace tensorette::pictures
