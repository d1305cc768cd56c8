/// \file
/// A table of numbers as colours: queries in rows, keys in columns. As SVG here; for the terminal
/// see heat_map_text.hpp.
#pragma once

#include <string>
#include <vector>

#include "svg.hpp"

namespace tensorette::pictures {

struct HeatMap {
  std::string title{};
  std::vector<std::string> queries{};  ///< one word a row
  std::vector<std::string> keys{};     ///< one word a column
  std::vector<double> values{};  ///< [queries, keys], row by row; −∞ is masked, NaN has no colour
  double lowest = 0;             ///< drawn in the faintest colour, as is everything below
  double highest = 1;            ///< drawn in the strongest colour, as is everything above
};

/// The same heat map with `lowest` and `highest` taken from its finite values (0 to 1 if there are
/// none): for raw scores, whose range is not known beforehand.
[[nodiscard]] HeatMap scaled_to_values(HeatMap map);

/// Throws Error when there is no title, query or key or when lowest < highest does not hold, and
/// ShapeError when the count of values is not queries × keys.
void check_heat_map(const HeatMap& map);

struct HeatMapOptions {
  bool values = true;  ///< write the numbers into the cells where they fit
  bool legend = true;  ///< the colours from lowest to highest below the map
  Placement placement = Placement::standalone;
};

/// The heat map as SVG with the words on both axes; each cell tells `query → key: value` when the
/// pointer is there. Cells shrink as words become many. Beyond 16 384 cells those of one colour
/// share a path, and hover texts are left out, so that the file stays small.
[[nodiscard]] std::string heat_map_svg(const HeatMap& map, const HeatMapOptions& options = {});

/// The colours alone, in the size of a thumb nail; for html_page() only.
[[nodiscard]] std::string heat_map_thumbnail(const HeatMap& map);

/// The colours alone as SVG elements, a cell being 1 × 1, to be placed inside another picture.
[[nodiscard]] std::string heat_map_paths(const HeatMap& map);

/// What a cell tells: `query → key: 0.123`.
[[nodiscard]] std::string cell_text(const HeatMap& map, std::size_t query, std::size_t key);

/// The number inside a cell, at most 4 characters wide or empty: for a scale from 0 to 1 two
/// decimals without the zero (`.25`), nothing below 0.005.
[[nodiscard]] std::string cell_number(const HeatMap& map, double value);

}  // namespace tensorette::pictures
