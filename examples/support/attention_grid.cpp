#include "attention_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "colour_scale.hpp"
#include "html.hpp"

namespace tensorette::pictures {
namespace {

std::string radio(const AttentionScores& attention, const HeatMap& map, std::string_view id,
                  bool checked) {
  return fmt::format(
      "<td><label><input type=\"radio\" name=\"{}\" aria-label=\"{}\" data-describe=\"{}\""
      " data-scores=\"{}\"{}>{}</label></td>\n",
      id, map.title, escape(fmt::format("{}, {}: heat map", attention.name, map.title)),
      thousandths(map.values), checked ? " checked" : "", heat_map_thumbnail(map));
}

std::string selector(const AttentionScores& attention, std::string_view id,
                     const AttentionGridOptions& options) {
  const bool show_mean = attention.heads > 1;
  std::string html = "<thead><tr><td></td>";
  for (std::size_t head = 0; head < attention.heads; ++head) {
    html += fmt::format("<th scope=\"col\">head {}</th>", head + 1);
  }
  html += show_mean ? "<th scope=\"col\">mean</th></tr></thead>\n<tbody>\n"
                    : "</tr></thead>\n<tbody>\n";
  for (std::size_t layer = 0; layer < attention.layers; ++layer) {
    html += fmt::format("<tr><th scope=\"row\">layer {}</th>\n", layer + 1);
    for (std::size_t head = 0; head < attention.heads; ++head) {
      const bool checked = layer == options.layer && head == options.head;
      html += radio(attention, head_map(attention, layer, head), id, checked);
    }
    if (show_mean) html += radio(attention, mean_map(attention, layer), id, false);
    html += "</tr>\n";
  }
  return fmt::format(
      "<fieldset class=\"heads\"><legend>Choose a head</legend><div class=\"scroll\"><table>\n{}"
      "</tbody></table></div></fieldset>\n",
      html);
}

}  // namespace

std::string attention_grid_html(const AttentionScores& attention, std::string_view id,
                                const AttentionGridOptions& options) {
  HeatMap large = head_map(attention, options.layer, options.head);
  const std::string chosen = large.title;
  large.title = attention.name;
  return fmt::format(
      "<div class=\"attention-grid\" data-levels=\"{}\" data-strong=\"{}\">\n{}"
      "<div>\n<p class=\"chosen-head\">{}</p>\n<div class=\"scroll\">\n{}</div>\n</div>\n</div>\n",
      colour_levels, strong_level, selector(attention, id, options), chosen,
      heat_map_svg(large, {.placement = Placement::in_page}));
}

std::string attention_grid_svg(const AttentionScores& attention, Placement placement) {
  check_attention_scores(attention);
  constexpr double size = 110, gap = 14, left = 92, top = 84;
  const auto words = static_cast<double>(std::max(attention.queries.size(), attention.keys.size()));
  const double width = size * static_cast<double>(attention.keys.size()) / words;
  const double height = size * static_cast<double>(attention.queries.size()) / words;
  const double right = left + (width + gap) * static_cast<double>(attention.heads);
  const double title_width = 48 + text_width(attention.name, 17);
  std::string svg =
      open_svg({.width = std::max(right + 10, title_width),
                .height = top + (height + gap) * static_cast<double>(attention.layers) + 10,
                .name = fmt::format("{}: {} layers of {} heads", attention.name, attention.layers,
                                    attention.heads),
                .css_class = "attention-heads",
                .extra_style = placement == Placement::standalone ? colour_scale_style() : "",
                .placement = placement});
  svg += fmt::format("<text class=\"strong\" x=\"24\" y=\"36\" font-size=\"16\">{}</text>\n",
                     escape(attention.name));
  for (std::size_t layer = 0; layer < attention.layers; ++layer) {
    const double y = top + (height + gap) * static_cast<double>(layer);
    svg += fmt::format(
        "<text class=\"quiet\" x=\"{}\" y=\"{}\" font-size=\"13\" text-anchor=\"end\">layer {}"
        "</text>\n",
        coordinate(left - 12), coordinate(y + height / 2 + 4), layer + 1);
    for (std::size_t head = 0; head < attention.heads; ++head) {
      const double x = left + (width + gap) * static_cast<double>(head);
      if (layer == 0) {
        svg += fmt::format(
            "<text class=\"quiet\" x=\"{}\" y=\"{}\" font-size=\"13\" text-anchor=\"middle\">head "
            "{}"
            "</text>\n",
            coordinate(x + width / 2), coordinate(top - 10), head + 1);
      }
      svg += fmt::format("<g transform=\"translate({} {}) scale({})\">{}</g>\n", coordinate(x),
                         coordinate(y), size / words,
                         heat_map_paths(head_map(attention, layer, head)));
      svg += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                         coordinate(x), coordinate(y), coordinate(width), coordinate(height));
    }
  }
  return svg.append(close_svg);
}

}  // namespace tensorette::pictures
