#include "line_chart_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tensorette/tensor/error.hpp>

#include "axis_ticks.hpp"
#include "line_chart_check.hpp"

namespace tensorette::pictures {
namespace {

constexpr std::size_t fewest_columns = 24;
constexpr std::size_t fewest_rows = 3;
constexpr std::array unicode_signs{"•", "×", "+", "o", "*", "#"};
constexpr std::array ascii_signs{"o", "x", "+", ".", "*", "#"};

const char* sign_of(std::size_t series, const Terminal& terminal) {
  return terminal.unicode ? unicode_signs[series % unicode_signs.size()]
                          : ascii_signs[series % ascii_signs.size()];
}

// The area of the curves: which series is seen in each cell; −1 for none.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows)
      : columns_(columns), rows_(rows), cells_(columns * rows, -1) {}

  // Positions within [0, 1], from the left and from below.
  void draw(const std::vector<Point>& points, int series) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      mark(points[i], series);
      if (i == 0) continue;
      // As many steps as the longer side of the way has cells.
      const double across = (points[i].x - points[i - 1].x) * static_cast<double>(columns_);
      const double along = (points[i].y - points[i - 1].y) * static_cast<double>(rows_);
      const int steps = static_cast<int>(std::ceil(std::max(std::abs(across), std::abs(along))));
      for (int step = 1; step < steps; ++step) {
        const double t = static_cast<double>(step) / steps;
        mark({std::lerp(points[i - 1].x, points[i].x, t),
              std::lerp(points[i - 1].y, points[i].y, t)},
             series);
      }
    }
  }
  [[nodiscard]] int at(std::size_t column, std::size_t row) const {
    return cells_[row * columns_ + column];
  }
  [[nodiscard]] std::size_t row_of(double y) const { return rows_ - 1 - cell(y, rows_); }
  [[nodiscard]] std::size_t column_of(double x) const { return cell(x, columns_); }

 private:
  static std::size_t cell(double position, std::size_t count) {
    const double last = static_cast<double>(count) - 1;
    return static_cast<std::size_t>(std::lround(position * last));
  }
  void mark(const Point& point, int series) {
    cells_[row_of(point.y) * columns_ + column_of(point.x)] = series;
  }

  std::size_t columns_;
  std::size_t rows_;
  std::vector<int> cells_;
};

struct Axes {
  Ticks x, y;
};

double x_of(const Series& series, std::size_t i) {
  return series.x.empty() ? static_cast<double>(i) : series.x[i];
}

bool is_drawable(const LineChart& chart, double y) {
  return std::isfinite(y) && (chart.scale == Scale::linear || y > 0);
}

// A number whose characters are bytes: one column each.
std::string plain(const std::string& label) {
  std::string text = label;
  const std::string minus = "−";
  for (std::size_t at = text.find(minus); at != std::string::npos; at = text.find(minus)) {
    text.erase(at, minus.size() - 1);
    text[at] = '-';
  }
  return text;
}

// The axes around all that can be drawn; an empty picture goes from 0 to 1.
Axes axes_of(const LineChart& chart) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const Series& series : chart.series) {
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      if (!is_drawable(chart, series.y[i])) continue;
      xs.push_back(x_of(series, i));
      ys.push_back(series.y[i]);
    }
  }
  const auto ticks = [](std::vector<double> values, int wanted, Scale scale) {
    if (values.empty()) values = {scale == Scale::linear ? 0.0 : 0.1, 1.0};
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    Ticks found = nice_ticks(*low, *high, wanted, scale);
    for (std::string& label : found.labels) label = plain(label);
    return found;
  };
  return {ticks(std::move(xs), 5, Scale::linear), ticks(std::move(ys), 5, chart.scale)};
}

// The runs of points between values that cannot be drawn.
std::vector<std::vector<Point>> runs_of(const LineChart& chart, const Series& series,
                                        const Axes& axes) {
  std::vector<std::vector<Point>> runs(1);
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    if (!is_drawable(chart, series.y[i])) {
      if (!runs.back().empty()) runs.emplace_back();
      continue;
    }
    runs.back().push_back({axis_position(axes.x, x_of(series, i), Scale::linear),
                           axis_position(axes.y, series.y[i], chart.scale)});
  }
  return runs;
}

std::string bottom_line(const Canvas& canvas, const Axes& axes, std::size_t margin,
                        std::size_t columns) {
  std::string line(margin + columns + 1, ' ');
  std::size_t free = 0;  // labels do not overlap
  for (std::size_t i = 0; i < axes.x.values.size(); ++i) {
    const std::string& label = axes.x.labels[i];
    const std::size_t centre =
        margin + 1 + canvas.column_of(axis_position(axes.x, axes.x.values[i], Scale::linear));
    const std::size_t half = label.size() / 2;
    std::size_t begin = centre > half ? centre - half : 0;
    begin = std::min(begin, line.size() > label.size() ? line.size() - label.size() : 0);
    if (begin < free) continue;
    line.replace(begin, label.size(), label);
    free = begin + label.size() + 1;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

}  // namespace

std::string line_chart_text(const LineChart& chart, const Terminal& terminal,
                            const LineChartTextOptions& options) {
  detail::check_line_chart(chart);
  if (options.columns < fewest_columns || options.rows < fewest_rows) {
    throw Error(fmt::format("line_chart: a text needs {} columns and {} rows, got {} and {}",
                            fewest_columns, fewest_rows, options.columns, options.rows));
  }
  const Axes axes = axes_of(chart);
  std::size_t margin = 0;
  for (const std::string& label : axes.y.labels) margin = std::max(margin, label.size());
  ++margin;
  const std::size_t columns = options.columns - margin - 1;
  Canvas canvas(columns, options.rows);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    for (const auto& run : runs_of(chart, chart.series[i], axes)) {
      canvas.draw(run, static_cast<int>(i));
    }
  }

  std::vector<std::string> numbers(options.rows);
  for (std::size_t i = 0; i < axes.y.values.size(); ++i) {
    numbers[canvas.row_of(axis_position(axes.y, axes.y.values[i], chart.scale))] = axes.y.labels[i];
  }
  std::string text = chart.title;
  text += '\n';
  for (std::size_t row = 0; row < options.rows; ++row) {
    std::string line;
    for (std::size_t column = 0; column < columns; ++column) {
      const int series = canvas.at(column, row);
      line += series < 0 ? " " : sign_of(static_cast<std::size_t>(series), terminal);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += fmt::format(
        "{:>{}}{}{}\n", numbers[row], margin - 1,
        numbers[row].empty() ? (terminal.unicode ? " │" : " |") : (terminal.unicode ? " ┤" : " +"),
        line);
  }
  text += std::string(margin, ' ') + (terminal.unicode ? "└" : "+");
  for (std::size_t column = 0; column < columns; ++column) text += terminal.unicode ? "─" : "-";
  text += '\n';
  text += bottom_line(canvas, axes, margin, columns);
  std::string legend;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    if (chart.series[i].name.empty()) continue;
    legend += fmt::format("{}{} {}", legend.empty() ? "" : "   ", sign_of(i, terminal),
                          chart.series[i].name);
  }
  if (!chart.x_label.empty()) {
    legend += fmt::format("{}{}", legend.empty() ? "" : "   over ", chart.x_label);
  }
  if (!legend.empty()) text += fmt::format("{:{}}{}\n", "", margin + 1, legend);
  return text;
}

}  // namespace tensorette::pictures
