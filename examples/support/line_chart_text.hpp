/// \file
/// Curves for the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "line_chart.hpp"
#include "terminal.hpp"

namespace tensorette::pictures {

struct LineChartTextOptions {
  std::size_t columns = 72;  ///< with the numbers at the left
  std::size_t rows = 16;     ///< of the area in which curves are drawn
};

/// The chart as lines of text, each ended by a line feed: title, curves over a frame with the
/// numbers of both axes, legend. Each series has a sign of its own, `•`, `×`, `+` ... (without
/// Unicode `o`, `x`, `+` ...); where several meet, the one listed last is seen. Neighbouring points
/// are joined where they are further apart than a row. Values that cannot be drawn are left out.
/// Throws as line_chart_svg() does, and Error for fewer than 24 columns or 3 rows.
[[nodiscard]] std::string line_chart_text(const LineChart& chart, const Terminal& terminal = {},
                                          const LineChartTextOptions& options = {});

}  // namespace tensorette::pictures
