/// \file
/// Curves over training steps or epochs as SVG.
#pragma once

#include <string>
#include <vector>

#include "axis_ticks.hpp"
#include "svg.hpp"

namespace tensorette::pictures {

struct Series {
  std::string name{};
  std::vector<double> x{};  ///< finite, ascending; empty means 0, 1, 2, …
  std::vector<double> y{};  ///< NaN and infinities are allowed: the curve breaks there
};

struct LineChart {
  std::string title{};
  std::string x_label{};
  std::string y_label{};
  std::vector<Series> series{};
  Scale scale = Scale::linear;  ///< of the y axis; on a logarithmic one, values ≤ 0 break the curve
};

struct LineChartOptions {
  double width = 640;
  double height = 380;
  Placement placement = Placement::standalone;
};

/// The chart as SVG: axes with round numbers, a legend where there is more than one series, and all
/// values at a place when the pointer is there. Long series are thinned to the picture's resolution
/// so that no peak gets lost. Values that cannot be drawn are counted below the chart.
///
///     line_chart_svg({.title = "Loss", .x_label = "step", .series = {{"train", {}, losses}}});
///
/// Throws Error when the title or all series are missing, x and y differ in length, x is not
/// finite and ascending, or the picture is smaller than 200 × 150.
[[nodiscard]] std::string line_chart_svg(const LineChart& chart,
                                         const LineChartOptions& options = {});

struct Point {
  double x;
  double y;
};

/// At most about `limit` of `points`, which must be ascending in x: of each of limit / 4 equal
/// intervals of x the first, lowest, highest and last.
[[nodiscard]] std::vector<Point> thin_out(const std::vector<Point>& points, std::size_t limit);

}  // namespace tensorette::pictures
