#include "attention_arcs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tensorette/tensor/error.hpp>

#include "html.hpp"
#include "utf8.hpp"

namespace tensorette::pictures {
namespace {

constexpr double row_height = 30;
constexpr double font = 17;
constexpr double padding = 10;  // between a word and the edge of its box
constexpr double span = 210;    // from the left column of words to the right one
constexpr double margin = 24;
constexpr std::size_t longest_word = 22;  // columns

struct Layout {
  double left;   // where lines begin, right edge of the left words' boxes
  double right;  // where lines end
  double left_box, right_box;
  double top;
  double width, height;
  double left_offset, right_offset;  // centres the shorter column
};

double widest(const std::vector<std::string>& words) {
  double width = 0;
  for (const std::string& word : words) {
    width = std::max(width, text_width(fit_columns(visible_word(word), longest_word), font));
  }
  return width + 2 * padding;
}

Layout layout_of(const AttentionScores& attention) {
  Layout layout{};
  layout.left_box = widest(attention.queries);
  layout.right_box = widest(attention.keys);
  layout.left = margin + layout.left_box;
  layout.right = layout.left + span;
  layout.top = 62;
  layout.width = layout.right + layout.right_box + 48 + margin;
  const auto queries = static_cast<double>(attention.queries.size());
  const auto keys = static_cast<double>(attention.keys.size());
  const double rows = std::max(queries, keys);
  layout.left_offset = (rows - queries) * row_height / 2;
  layout.right_offset = (rows - keys) * row_height / 2;
  layout.height = layout.top + rows * row_height + margin;
  return layout;
}

double row_centre(const Layout& layout, double offset, std::size_t row) {
  return layout.top + offset + row_height * (static_cast<double>(row) + 0.5);
}

std::string draw_headings(const Layout& layout, const std::string& head_name) {
  return fmt::format(
      "<text class=\"quiet\" x=\"{}\" y=\"44\" font-size=\"13\" text-anchor=\"end\">query</text>\n"
      "<text class=\"quiet\" x=\"{}\" y=\"44\" font-size=\"13\">key</text>\n"
      "<text class=\"quiet head-name\" x=\"{}\" y=\"44\" font-size=\"13\""
      " text-anchor=\"middle\">{}</text>\n",
      coordinate(layout.left - padding), coordinate(layout.right + padding),
      coordinate((layout.left + layout.right) / 2), head_name);
}

std::string draw_queries(const AttentionArcs& arcs, const Layout& layout) {
  std::string svg;
  for (std::size_t q = 0; q < arcs.attention.queries.size(); ++q) {
    const double y = row_centre(layout, layout.left_offset, q);
    svg += fmt::format(
        "<g class=\"{}\" data-y=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
        "rx=\"6\"/>"
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"end\">{}</text></g>\n",
        q == arcs.query ? "word chosen" : "word", coordinate(y), coordinate(margin),
        coordinate(y - row_height / 2 + 2), coordinate(layout.left_box), coordinate(row_height - 4),
        coordinate(layout.left - padding), coordinate(y + font * 0.35), font,
        escape(fit_columns(visible_word(arcs.attention.queries[q]), longest_word)));
  }
  return svg;
}

/// A key with the tint of its score behind it and the number beside it.
std::string draw_key(const HeatMap& map, const Layout& layout, std::size_t query, std::size_t key) {
  const double y = row_centre(layout, layout.right_offset, key);
  const double score = map.values[query * map.keys.size() + key];
  return fmt::format(
      "<g class=\"key\"><title>{}</title><rect class=\"tint\" x=\"{}\" y=\"{}\" width=\"{}\""
      " height=\"{}\" rx=\"6\" fill-opacity=\"{:.3f}\"/><text x=\"{}\" y=\"{}\" font-size=\"{}\">{}"
      "</text><text class=\"quiet number score\" x=\"{}\" y=\"{}\" "
      "font-size=\"13\">{}</text></g>\n",
      escape(cell_text(map, query, key)), coordinate(layout.right),
      coordinate(y - row_height / 2 + 2), coordinate(layout.right_box), coordinate(row_height - 4),
      0.6 * score, coordinate(layout.right + padding), coordinate(y + font * 0.35), font,
      escape(fit_columns(visible_word(map.keys[key]), longest_word)),
      coordinate(layout.right + layout.right_box + 8), coordinate(y + 4.5),
      score < 0.005 ? "" : fmt::format("{:.2f}", score));
}

/// Both ends of a line are level, so that it leaves one word and meets the other straight.
std::string draw_arc(const Layout& layout, double from, double to, double score) {
  const std::string left = coordinate(layout.left + 3);
  const std::string right = coordinate(layout.right - 3);
  const std::string middle = coordinate((layout.left + layout.right) / 2);
  return fmt::format(
      "<path class=\"arc\" data-left=\"{0}\" data-right=\"{1}\" data-y=\"{3}\""
      " d=\"M{0} {2}C{4} {2} {4} {3} {1} {3}\" stroke-opacity=\"{5:.3f}\""
      " stroke-width=\"{6:.2f}\"/>\n",
      left, right, coordinate(from), coordinate(to), middle, score, 1.5 + 5.5 * score);
}

std::string strongest_key(const HeatMap& map, std::size_t query) {
  const auto row = map.values.begin() + static_cast<std::ptrdiff_t>(query * map.keys.size());
  const auto best = std::max_element(row, row + static_cast<std::ptrdiff_t>(map.keys.size()));
  return cell_text(map, query, static_cast<std::size_t>(best - row));
}

HeatMap chosen_map(const AttentionArcs& arcs) {
  HeatMap map = head_map(arcs.attention, arcs.layer, arcs.head);
  if (arcs.query >= map.queries.size()) {
    throw IndexError(
        fmt::format("attention_arcs: \"{}\" has {} queries, asked for query {} (from 0)",
                    arcs.attention.name, map.queries.size(), arcs.query));
  }
  return map;
}

std::string head_choice(const AttentionArcs& arcs, std::string_view id) {
  const AttentionScores& attention = arcs.attention;
  if (attention.layers * attention.heads < 2) return {};
  std::string options;
  for (std::size_t layer = 0; layer < attention.layers; ++layer) {
    for (std::size_t head = 0; head < attention.heads; ++head) {
      const bool chosen = layer == arcs.layer && head == arcs.head;
      options += fmt::format("<option value=\"{}\"{}>layer {}, head {}</option>",
                             layer * attention.heads + head, chosen ? " selected" : "", layer + 1,
                             head + 1);
    }
  }
  return fmt::format(
      "<p class=\"controls needs-script\"><label for=\"{0}-head\">Head</label>"
      "<select id=\"{0}-head\" autocomplete=\"off\">{1}</select>"
      "<span>Point at a word on the left.</span></p>\n",
      id, options);
}

}  // namespace

std::string attention_arcs_svg(const AttentionArcs& arcs, Placement placement) {
  const HeatMap map = chosen_map(arcs);
  const Layout layout = layout_of(arcs.attention);
  const bool alone = placement == Placement::standalone;
  std::string svg = open_svg({.width = layout.width,
                              .height = layout.height,
                              .name = fmt::format("{}, {}: strongest is {}", arcs.attention.name,
                                                  map.title, strongest_key(map, arcs.query)),
                              .css_class = "attention-arcs",
                              .placement = placement});
  // In a page the choice of heads stands above the picture and names the head.
  const bool names_head = alone || arcs.attention.layers * arcs.attention.heads == 1;
  svg += draw_headings(layout, names_head ? map.title : std::string());
  const double from = row_centre(layout, layout.left_offset, arcs.query);
  for (std::size_t k = 0; k < map.keys.size(); ++k) {
    const double score = map.values[arcs.query * map.keys.size() + k];
    svg += draw_arc(layout, from, row_centre(layout, layout.right_offset, k), score);
  }
  svg += draw_queries(arcs, layout);
  for (std::size_t k = 0; k < map.keys.size(); ++k) svg += draw_key(map, layout, arcs.query, k);
  return svg.append(close_svg);
}

std::string attention_arcs_html(const AttentionArcs& arcs, std::string_view id) {
  const std::string svg = attention_arcs_svg(arcs, Placement::in_page);
  return fmt::format(
      "<figure class=\"arcs\" data-scores=\"{}\">\n<figcaption>{}</figcaption>\n{}"
      "<div class=\"scroll\">\n{}</div>\n</figure>\n",
      thousandths(arcs.attention.scores), escape(arcs.caption), head_choice(arcs, id), svg);
}

}  // namespace tensorette::pictures
