#include "line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tensorette/tensor/error.hpp>

#include "html.hpp"
#include "line_chart_check.hpp"

namespace tensorette::pictures {

namespace detail {

void check_line_chart(const LineChart& chart) {
  if (chart.title.empty()) throw Error("line_chart: the title is empty");
  if (chart.series.empty())
    throw Error(fmt::format("line_chart: \"{}\" has no series", chart.title));
  for (const Series& series : chart.series) {
    if (!series.x.empty() && series.x.size() != series.y.size()) {
      throw ShapeError(fmt::format("line_chart: series \"{}\" has {} x values and {} y values",
                                   series.name, series.x.size(), series.y.size()));
    }
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const bool ascending = i == 0 || series.x[i - 1] <= series.x[i];
      if (!std::isfinite(series.x[i]) || !ascending) {
        throw Error(fmt::format("line_chart: series \"{}\": x[{}] = {} is not finite and ascending",
                                series.name, i, series.x[i]));
      }
    }
  }
}

}  // namespace detail

namespace {

constexpr std::size_t series_colours = 6;
constexpr double tick_font = 12;
constexpr double label_font = 13;

struct Area {
  double left, right, top, bottom;
};

struct Plot {
  const LineChart& chart;
  std::vector<std::vector<Point>> points;  // of each series, also those that cannot be drawn
  Ticks x_ticks, y_ticks;
  Area area;
  std::size_t undrawable = 0;

  bool drawable(double y) const {
    return std::isfinite(y) && (chart.scale == Scale::linear || y > 0.0);
  }
  double at_x(double x) const {
    return area.left + axis_position(x_ticks, x, Scale::linear) * (area.right - area.left);
  }
  double at_y(double y) const {
    return area.bottom - axis_position(y_ticks, y, chart.scale) * (area.bottom - area.top);
  }
};

void check_size(const LineChartOptions& options) {
  if (!(options.width >= 200 && options.height >= 150)) {
    throw Error(fmt::format("line_chart: the picture must be at least 200 × 150, got {} × {}",
                            options.width, options.height));
  }
}

std::vector<Point> points_of(const Series& series) {
  std::vector<Point> points(series.y.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = {series.x.empty() ? static_cast<double>(i) : series.x[i], series.y[i]};
  }
  return points;
}

std::size_t series_class(std::size_t index) {
  return index % series_colours;
}

/// Past the sixth series the colours return, with dashes.
std::string curve_class(std::size_t index) {
  return fmt::format("curve s{}{}", series_class(index), index >= series_colours ? " dash" : "");
}

/// The curve, not a round number, ends the x axis; and there is no half of a step or an epoch.
void end_axis_at_data(Ticks& ticks, const std::vector<double>& xs) {
  if (xs.empty()) return;
  const auto [lowest, highest] = std::minmax_element(xs.begin(), xs.end());
  if (*lowest != *highest) {
    ticks.lowest = *lowest;
    ticks.highest = *highest;
  }
  const auto whole = [](double x) { return x == std::floor(x); };
  const bool all_whole = std::all_of(xs.begin(), xs.end(), whole);
  Ticks kept{ticks.lowest, ticks.highest, {}, {}};
  for (std::size_t i = 0; i < ticks.values.size(); ++i) {
    const double value = ticks.values[i];
    if (value < ticks.lowest || value > ticks.highest || (all_whole && !whole(value))) continue;
    kept.values.push_back(value);
    kept.labels.push_back(ticks.labels[i]);
  }
  if (all_whole) {
    for (std::size_t i = 0; i < kept.values.size(); ++i)
      kept.labels[i] = fixed_text(kept.values[i], 0);
  }
  ticks = kept;
}

Plot make_plot(const LineChart& chart, const LineChartOptions& options) {
  Plot plot{chart, {}, {}, {}, {}};
  std::vector<double> xs, ys;
  for (const Series& series : chart.series) {
    plot.points.push_back(points_of(series));
    for (const Point& point : plot.points.back()) {
      xs.push_back(point.x);
      if (plot.drawable(point.y)) {
        ys.push_back(point.y);
      } else {
        ++plot.undrawable;
      }
    }
  }
  const auto ticks = [](const std::vector<double>& values, int wanted, Scale scale) {
    if (values.empty()) return Ticks{};
    const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
    return nice_ticks(*lowest, *highest, wanted, scale);
  };
  plot.x_ticks = ticks(xs, static_cast<int>(options.width / 100), Scale::linear);
  plot.y_ticks = ticks(ys, static_cast<int>(options.height / 65), chart.scale);
  end_axis_at_data(plot.x_ticks, xs);
  double widest = 0;
  for (const std::string& label : plot.y_ticks.labels) {
    widest = std::max(widest, text_width(label, tick_font));
  }
  const bool legend = chart.series.size() > 1;
  plot.area = {24 + widest + 12, options.width - 28, legend ? 84.0 : 60.0,
               options.height - (plot.undrawable > 0 ? 68.0 : 50.0)};
  return plot;
}

std::string draw_axes(const Plot& plot) {
  const Area& area = plot.area;
  std::string svg;
  for (std::size_t i = 0; i < plot.y_ticks.values.size(); ++i) {
    const double y = plot.at_y(plot.y_ticks.values[i]);
    svg += fmt::format("<path class=\"grid\" d=\"M{} {}H{}\"/>\n", coordinate(area.left),
                       coordinate(y), coordinate(area.right));
    svg += fmt::format(
        "<text class=\"quiet number\" x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"end\">{}"
        "</text>\n",
        coordinate(area.left - 10), coordinate(y + 4), tick_font, plot.y_ticks.labels[i]);
  }
  svg += fmt::format("<path class=\"axis\" d=\"M{} {}H{}\"/>\n", coordinate(area.left),
                     coordinate(area.bottom), coordinate(area.right));
  for (std::size_t i = 0; i < plot.x_ticks.values.size(); ++i) {
    svg += fmt::format(
        "<text class=\"quiet number\" x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"middle\">{}"
        "</text>\n",
        coordinate(plot.at_x(plot.x_ticks.values[i])), coordinate(area.bottom + 20), tick_font,
        plot.x_ticks.labels[i]);
  }
  svg += fmt::format(
      "<text class=\"quiet\" x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"middle\">{}</text>\n",
      coordinate((area.left + area.right) / 2), coordinate(area.bottom + 40), label_font,
      escape(plot.chart.x_label));
  return svg;
}

std::string draw_title_and_legend(const Plot& plot, double width) {
  const LineChart& chart = plot.chart;
  std::string svg =
      fmt::format("<text class=\"strong\" x=\"24\" y=\"32\" font-size=\"16\">{}</text>\n",
                  escape(fit_width(chart.title, width - 48, 17)));
  if (!chart.y_label.empty()) {
    const double after = 24 + text_width(chart.title, 17) + 12;
    if (after + text_width(chart.y_label, label_font) < width) {
      svg += fmt::format("<text class=\"quiet\" x=\"{}\" y=\"32\" font-size=\"{}\">{}</text>\n",
                         coordinate(after), label_font, escape(chart.y_label));
    }
  }
  if (chart.series.size() < 2) return svg;
  double x = 24;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string name = fit_width(chart.series[i].name, 180, label_font);
    svg += fmt::format("<path class=\"{}\" d=\"M{} 54h22\"/>\n", curve_class(i), coordinate(x));
    svg += fmt::format("<text x=\"{}\" y=\"58.5\" font-size=\"{}\">{}</text>\n", coordinate(x + 30),
                       label_font, escape(name));
    x += 30 + text_width(name, label_font) + 22;
  }
  return svg;
}

/// One path per series, with a new beginning after every value that cannot be drawn. A point with
/// no neighbour on either side would be invisible as a line and becomes a dot.
std::string draw_curve(const Plot& plot, std::size_t index) {
  const auto limit = static_cast<std::size_t>(4 * (plot.area.right - plot.area.left));
  std::string path, dots;
  std::vector<Point> run;
  const auto draw_run = [&] {
    if (run.size() == 1) {
      dots +=
          fmt::format("<circle class=\"s{}\" cx=\"{}\" cy=\"{}\" r=\"4\"/>\n", series_class(index),
                      coordinate(plot.at_x(run[0].x)), coordinate(plot.at_y(run[0].y)));
    } else {
      char command = 'M';
      for (const Point& point : thin_out(run, limit)) {
        path += fmt::format("{}{} {}", command, coordinate(plot.at_x(point.x)),
                            coordinate(plot.at_y(point.y)));
        command = 'L';
      }
    }
    run.clear();
  };
  for (const Point& point : plot.points[index]) {
    if (plot.drawable(point.y)) {
      run.push_back(point);
    } else if (!run.empty()) {
      draw_run();
    }
  }
  if (!run.empty()) draw_run();
  if (path.empty()) return dots;
  return fmt::format("<path class=\"{}\" d=\"{}\"/>\n{}", curve_class(index), path, dots);
}

/// The value of a series that stands nearest to `x`, if one is within `reach`.
const Point* nearest(const std::vector<Point>& points, double x, double reach) {
  const auto after =
      std::lower_bound(points.begin(), points.end(), x,
                       [](const Point& point, double value) { return point.x < value; });
  const Point* best = nullptr;
  for (const auto& candidate : {after, after == points.begin() ? after : std::prev(after)}) {
    if (candidate == points.end() || std::abs(candidate->x - x) > reach) continue;
    if (!best || std::abs(candidate->x - x) < std::abs(best->x - x)) best = &*candidate;
  }
  return best;
}

/// Invisible strips over the plot; the one under the pointer shows a line, dots, and the values.
std::string draw_strips(const Plot& plot) {
  std::vector<double> xs;
  for (const auto& points : plot.points) {
    for (const Point& point : points) xs.push_back(point.x);
  }
  std::sort(xs.begin(), xs.end());
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  const Area& area = plot.area;
  const auto most =
      std::min<std::size_t>(xs.size(), static_cast<std::size_t>((area.right - area.left) / 4));
  std::string svg;
  for (std::size_t strip = 0; strip < most; ++strip) {
    const auto at = [&](std::size_t i) {
      return xs[most == 1 ? 0 : i * (xs.size() - 1) / (most - 1)];
    };
    const double x = at(strip);
    const double from = strip == 0 ? area.left : (plot.at_x(at(strip - 1)) + plot.at_x(x)) / 2;
    const double to =
        strip + 1 == most ? area.right : (plot.at_x(at(strip + 1)) + plot.at_x(x)) / 2;
    const double reach =
        (to - from) / (area.right - area.left) * (plot.x_ticks.highest - plot.x_ticks.lowest);
    std::string marks, text = fmt::format("{} {}", plot.chart.x_label, number_text(x, 6));
    for (std::size_t i = 0; i < plot.points.size(); ++i) {
      const Point* point = nearest(plot.points[i], x, reach);
      if (!point) continue;
      text += fmt::format("\n{}: {}", plot.chart.series[i].name, number_text(point->y));
      if (!plot.drawable(point->y)) continue;
      marks +=
          fmt::format("<circle class=\"mark s{}\" cx=\"{}\" cy=\"{}\" r=\"4\"/>", series_class(i),
                      coordinate(plot.at_x(point->x)), coordinate(plot.at_y(point->y)));
    }
    svg += fmt::format(
        "<g class=\"strip\"><title>{}</title><rect class=\"catch\" x=\"{}\" y=\"{}\" width=\"{}\""
        " height=\"{}\"/><path class=\"mark cross\" d=\"M{} {}V{}\"/>{}</g>\n",
        escape(text), coordinate(from), coordinate(area.top), coordinate(to - from),
        coordinate(area.bottom - area.top), coordinate(plot.at_x(x)), coordinate(area.top),
        coordinate(area.bottom), marks);
  }
  return svg;
}

std::string describe(const Plot& plot) {
  std::string text = plot.chart.title;
  for (std::size_t i = 0; i < plot.points.size(); ++i) {
    const auto& points = plot.points[i];
    text += fmt::format(". {}: ", plot.chart.series[i].name);
    if (points.empty()) {
      text += "no data";
    } else {
      text += fmt::format("from {} to {} over {} points", number_text(points.front().y),
                          number_text(points.back().y), points.size());
    }
  }
  return text;
}

}  // namespace

std::vector<Point> thin_out(const std::vector<Point>& points, std::size_t limit) {
  if (points.size() <= limit || limit < 8) return points;
  const std::size_t intervals = limit / 4;
  const double first = points.front().x;
  const double width = (points.back().x - first) / static_cast<double>(intervals);
  std::vector<Point> kept;
  for (std::size_t begin = 0, interval = 1; begin < points.size(); ++interval) {
    std::size_t end = begin;
    const double limit_x = first + width * static_cast<double>(interval);
    const bool last = interval >= intervals;
    while (end < points.size() && (last || points[end].x < limit_x)) ++end;
    if (end == begin) continue;
    const auto from = points.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto to = points.begin() + static_cast<std::ptrdiff_t>(end);
    const auto [low, high] =
        std::minmax_element(from, to, [](const Point& a, const Point& b) { return a.y < b.y; });
    std::vector<std::ptrdiff_t> chosen{0, low - from, high - from, to - from - 1};
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    for (const std::ptrdiff_t i : chosen) kept.push_back(from[i]);
    begin = end;
  }
  return kept;
}

std::string line_chart_svg(const LineChart& chart, const LineChartOptions& options) {
  check_size(options);
  detail::check_line_chart(chart);
  const Plot plot = make_plot(chart, options);
  std::string svg = open_svg({.width = options.width,
                              .height = options.height,
                              .name = describe(plot),
                              .css_class = "line-chart",
                              .placement = options.placement});
  svg += draw_title_and_legend(plot, options.width);
  svg += draw_axes(plot);
  for (std::size_t i = 0; i < plot.points.size(); ++i) svg += draw_curve(plot, i);
  if (plot.y_ticks.values.empty()) {
    svg += fmt::format(
        "<text class=\"quiet\" x=\"{}\" y=\"{}\" font-size=\"15\" text-anchor=\"middle\">no data"
        "</text>\n",
        coordinate((plot.area.left + plot.area.right) / 2),
        coordinate((plot.area.top + plot.area.bottom) / 2));
  }
  if (plot.undrawable > 0) {
    svg += fmt::format(
        "<text class=\"quiet\" x=\"24\" y=\"{}\" font-size=\"{}\">{} not drawn: {}</text>\n",
        coordinate(options.height - 10), tick_font,
        plot.undrawable == 1 ? "1 value" : fmt::format("{} values", plot.undrawable),
        chart.scale == Scale::linear ? "not finite" : "not finite or not positive");
  }
  return svg.append(draw_strips(plot)).append(close_svg);
}

}  // namespace tensorette::pictures
