#include "heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tensorette/tensor/error.hpp>

#include "colour_scale.hpp"
#include "html.hpp"
#include "utf8.hpp"

namespace tensorette::pictures {
namespace {

constexpr std::size_t most_cells_with_hover = 16384;
constexpr double largest_cell = 36;
constexpr double smallest_cell_with_number = 27;

struct Layout {
  double cell;
  double font;
  double left, top;  // of the cells
  double width, height;
  double map_width, map_height;
  std::size_t row_stride, column_stride;  // every how many rows a label has room
};

bool is_unit_scale(const HeatMap& map) {
  return map.lowest == 0.0 && map.highest == 1.0;
}

Layout layout_of(const HeatMap& map, bool legend) {
  const auto rows = static_cast<double>(map.queries.size());
  const auto columns = static_cast<double>(map.keys.size());
  Layout layout{};
  layout.cell = std::clamp(std::floor(620.0 / std::max(rows, columns)), 3.0, largest_cell);
  layout.font = std::clamp(layout.cell * 0.46, 9.5, 14.0);
  const auto widest = [&](const std::vector<std::string>& words) {
    double width = 0;
    for (const std::string& word : words) {
      width = std::max(width, text_width(fit_columns(visible_word(word), 18), layout.font));
    }
    return width;
  };
  constexpr double diagonal = 0.7072;
  const double above = widest(map.keys) * diagonal;
  layout.left = 24 + widest(map.queries) + 10;
  layout.top = 78 + above;
  layout.map_width = layout.cell * columns;
  layout.map_height = layout.cell * rows;
  const double title = 48 + text_width(map.title, 17);
  layout.width = std::max({layout.left + layout.map_width + above + 12, title, 320.0});
  layout.height = layout.top + layout.map_height + (legend ? 58 : 20);
  const auto stride = [&](double room) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(room / layout.cell)));
  };
  layout.row_stride = stride(layout.font);
  layout.column_stride = stride(layout.font);
  return layout;
}

std::string colour_class(const HeatMap& map, double value) {
  if (std::isnan(value) || value == -std::numeric_limits<double>::infinity()) return "missing";
  return fmt::format("h{}", colour_level(value, map.lowest, map.highest));
}

bool on_strong(const HeatMap& map, double value) {
  return colour_level(value, map.lowest, map.highest) >= strong_level;
}

std::string draw_labels(const HeatMap& map, const Layout& layout) {
  std::string svg = "<g class=\"rows\">\n";
  for (std::size_t q = 0; q < map.queries.size(); q += layout.row_stride) {
    const double y = layout.top + layout.cell * (static_cast<double>(q) + 0.5);
    const std::string word = visible_word(map.queries[q]);
    svg += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"end\">{}</text>\n",
                       coordinate(layout.left - 8), coordinate(y + layout.font * 0.35),
                       coordinate(layout.font), escape(fit_columns(word, 18)));
  }
  svg += "</g>\n<g class=\"columns\">\n";
  for (std::size_t k = 0; k < map.keys.size(); k += layout.column_stride) {
    const double x = layout.left + layout.cell * (static_cast<double>(k) + 0.5);
    const std::string word = visible_word(map.keys[k]);
    svg +=
        fmt::format("<text transform=\"translate({} {}) rotate(-45)\" font-size=\"{}\">{}</text>\n",
                    coordinate(x + layout.font * 0.3), coordinate(layout.top - 8),
                    coordinate(layout.font), escape(fit_columns(word, 18)));
  }
  return svg + "</g>\n";
}

std::string draw_cells(const HeatMap& map, const Layout& layout) {
  const double gap = layout.cell >= 12 ? 1.5 : 0.0;
  const double radius = layout.cell >= 20 ? 3.0 : 0.0;
  const std::string size = coordinate(layout.cell - gap);
  std::string svg = "<g class=\"cells\">\n";
  for (std::size_t q = 0; q < map.queries.size(); ++q) {
    for (std::size_t k = 0; k < map.keys.size(); ++k) {
      const double value = map.values[q * map.keys.size() + k];
      svg += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
                         colour_class(map, value),
                         coordinate(layout.left + layout.cell * static_cast<double>(k) + gap / 2),
                         coordinate(layout.top + layout.cell * static_cast<double>(q) + gap / 2),
                         size, size);
      if (radius > 0) svg += fmt::format(" rx=\"{}\"", coordinate(radius));
      svg += fmt::format("><title>{}</title></rect>\n", escape(cell_text(map, q, k)));
    }
  }
  return svg + "</g>\n";
}

/// All cells of one colour as one path; neighbours in a row are joined. The faintest colour is left
/// to a rectangle behind, since most cells of a trained map have it.
std::string draw_paths(const HeatMap& map) {
  std::map<std::string, std::string> paths;
  const std::size_t columns = map.keys.size();
  for (std::size_t q = 0; q < map.queries.size(); ++q) {
    for (std::size_t begin = 0; begin < columns;) {
      const std::string name = colour_class(map, map.values[q * columns + begin]);
      std::size_t end = begin + 1;
      while (end < columns && colour_class(map, map.values[q * columns + end]) == name) ++end;
      if (name != "h0")
        paths[name] += fmt::format("M{} {}h{}v1h-{}z", begin, q, end - begin, end - begin);
      begin = end;
    }
  }
  std::string svg =
      fmt::format("<rect class=\"h0\" width=\"{}\" height=\"{}\"/>", columns, map.queries.size());
  for (const auto& [name, path] : paths) {
    svg += fmt::format("<path class=\"{}\" d=\"{}\"/>", name, path);
  }
  return svg;
}

std::string draw_numbers(const HeatMap& map, const Layout& layout) {
  if (layout.cell < smallest_cell_with_number) return {};
  const double font = std::min(12.0, layout.cell * 0.36);
  std::string svg = fmt::format(
      "<g class=\"values number\" font-size=\"{}\" text-anchor=\"middle\">\n", coordinate(font));
  for (std::size_t q = 0; q < map.queries.size(); ++q) {
    for (std::size_t k = 0; k < map.keys.size(); ++k) {
      const double value = map.values[q * map.keys.size() + k];
      const bool strong = !std::isnan(value) && on_strong(map, value);
      svg += fmt::format(
          "<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", strong ? "on-strong" : "on-weak",
          coordinate(layout.left + layout.cell * (static_cast<double>(k) + 0.5)),
          coordinate(layout.top + layout.cell * (static_cast<double>(q) + 0.5) + font * 0.36),
          cell_number(map, value));
    }
  }
  return svg + "</g>\n";
}

std::string draw_legend(const HeatMap& map, const Layout& layout) {
  constexpr int steps = 32;
  constexpr double step = 4.5;
  const double y = layout.top + layout.map_height + 20;
  const std::string lowest = number_text(map.lowest, 3);
  double x = layout.left;
  std::string svg =
      fmt::format("<text class=\"quiet number\" x=\"{}\" y=\"{}\" font-size=\"12\">{}</text>\n",
                  coordinate(x), coordinate(y + 10), lowest);
  x += text_width(lowest, 12) + 8;
  for (int i = 0; i < steps; ++i) {
    const int level = static_cast<int>(std::lround(i * (colour_levels - 1.0) / (steps - 1)));
    svg += fmt::format("<rect class=\"h{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\"/>", level,
                       coordinate(x + step * i), coordinate(y), step + 0.3);
  }
  svg += fmt::format(
      "\n<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\"/>\n"
      "<text class=\"quiet number\" x=\"{}\" y=\"{}\" font-size=\"12\">{}</text>\n",
      coordinate(x), coordinate(y), coordinate(step * steps), coordinate(x + step * steps + 8),
      coordinate(y + 10), number_text(map.highest, 3));
  return svg;
}

}  // namespace

HeatMap scaled_to_values(HeatMap map) {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  for (const double value : map.values) {
    if (!std::isfinite(value)) continue;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  map.lowest = lowest <= highest ? lowest : 0.0;
  map.highest = lowest < highest ? highest : map.lowest + 1.0;
  return map;
}

void check_heat_map(const HeatMap& map) {
  if (map.title.empty()) throw Error("heat_map: the title is empty");
  if (map.queries.empty() || map.keys.empty()) {
    throw Error(fmt::format("heat_map: \"{}\" needs words on both axes, got {} queries and {} keys",
                            map.title, map.queries.size(), map.keys.size()));
  }
  if (map.values.size() != map.queries.size() * map.keys.size()) {
    throw ShapeError(fmt::format("heat_map: \"{}\" has {} values for {} queries × {} keys",
                                 map.title, map.values.size(), map.queries.size(),
                                 map.keys.size()));
  }
  const bool ordered =
      std::isfinite(map.lowest) && std::isfinite(map.highest) && map.lowest < map.highest;
  if (!ordered) {
    throw Error(fmt::format("heat_map: \"{}\" has no colour range from {} to {}", map.title,
                            map.lowest, map.highest));
  }
}

std::string cell_text(const HeatMap& map, std::size_t query, std::size_t key) {
  const double value = map.values[query * map.keys.size() + key];
  std::string number = number_text(value, 4);
  if (value == -std::numeric_limits<double>::infinity()) number = "masked (−∞)";
  if (is_unit_scale(map) && std::isfinite(value)) number = fixed_text(value, 3);
  return fmt::format("{} → {}: {}", visible_word(map.queries[query]), visible_word(map.keys[key]),
                     number);
}

std::string cell_number(const HeatMap& map, double value) {
  if (!std::isfinite(value)) return {};
  if (!is_unit_scale(map)) {
    const std::string number = number_text(value, 2);
    return column_width(number) <= 4 ? number : std::string();
  }
  if (value < 0.005) return {};
  if (value > 0.995) return value < 1.005 ? "1" : std::string();
  return fmt::format("{:.2f}", value).substr(1);
}

std::string heat_map_svg(const HeatMap& map, const HeatMapOptions& options) {
  check_heat_map(map);
  const Layout layout = layout_of(map, options.legend);
  std::string svg = open_svg(
      {.width = layout.width,
       .height = layout.height,
       .name = fmt::format("{}: heat map of {} queries (rows) and {} keys (columns)", map.title,
                           map.queries.size(), map.keys.size()),
       .css_class = "heat-map",
       .extra_style = options.placement == Placement::standalone ? colour_scale_style() : "",
       .placement = options.placement});
  svg += fmt::format("<text class=\"strong\" x=\"24\" y=\"32\" font-size=\"16\">{}</text>\n",
                     escape(fit_width(map.title, layout.width - 48, 17)));
  svg +=
      "<text class=\"quiet\" x=\"24\" y=\"52\" font-size=\"12\">rows: queries · columns: "
      "keys</text>\n";
  svg += draw_labels(map, layout);
  if (map.values.size() <= most_cells_with_hover) {
    svg += draw_cells(map, layout);
    if (options.values) svg += draw_numbers(map, layout);
  } else {
    svg += fmt::format("<g class=\"paths\" transform=\"translate({} {}) scale({})\">{}</g>\n",
                       coordinate(layout.left), coordinate(layout.top), coordinate(layout.cell),
                       heat_map_paths(map));
  }
  if (options.legend) svg += draw_legend(map, layout);
  return svg.append(close_svg);
}

std::string heat_map_paths(const HeatMap& map) {
  check_heat_map(map);
  return draw_paths(map);
}

std::string heat_map_thumbnail(const HeatMap& map) {
  const auto rows = static_cast<double>(map.queries.size());
  const auto columns = static_cast<double>(map.keys.size());
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" shape-rendering=\"crispEdges\""
      " aria-hidden=\"true\">{2}</svg>",
      columns, rows, heat_map_paths(map));
}

}  // namespace tensorette::pictures
