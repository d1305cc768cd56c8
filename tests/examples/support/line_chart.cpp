#include <cmath>
#include <limits>
#include <support/line_chart.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "markup_checker.hpp"

using namespace tensorette::pictures;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;
using tensorette::pictures::testing::count;
using tensorette::pictures::testing::markup_fault;

namespace {

LineChart chart_of(std::vector<double> y, Scale scale = Scale::linear) {
  return {
      .title = "Loss", .x_label = "step", .series = {{"train", {}, std::move(y)}}, .scale = scale};
}

const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("charts of 0, 1, 2 and 10 000 points", "[pictures][chart]") {
  const std::string none = line_chart_svg(chart_of({}));
  CHECK_THAT(markup_fault(none), Equals(""));
  CHECK_THAT(none, ContainsSubstring(">no data</text>"));
  CHECK(count(none, "class=\"strip\"") == 0);

  const std::string one = line_chart_svg(chart_of({3.5}));
  CHECK_THAT(markup_fault(one), Equals(""));
  CHECK(count(one, "<circle class=\"s0\"") == 1);  // a line of one point would be invisible
  CHECK(count(one, "class=\"curve") == 0);

  const std::string two = line_chart_svg(chart_of({3.5, 1.25}));
  CHECK(count(two, "<path class=\"curve s0\"") == 1);
  CHECK(count(two, "<title>step 0\ntrain: 3.5</title>") == 1);
  CHECK(count(two, "<title>step 1\ntrain: 1.25</title>") == 1);

  std::vector<double> many(10000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = std::sin(static_cast<double>(i));
  const std::string svg = line_chart_svg(chart_of(many));
  CHECK_THAT(markup_fault(svg), Equals(""));
  CHECK(svg.size() < 120'000);
  CHECK_THAT(svg, ContainsSubstring("from 0 to 0.6361 over 10000 points"));
}

TEST_CASE("thinning keeps ends and peaks", "[pictures][chart]") {
  std::vector<Point> points;
  for (int i = 0; i < 10000; ++i) points.push_back({static_cast<double>(i), 1.0});
  points[4321].y = 99;
  points[7777].y = -99;
  const std::vector<Point> kept = thin_out(points, 400);
  CHECK(kept.size() <= 400);
  CHECK(kept.front().x == 0.0);
  CHECK(kept.back().x == 9999.0);
  const auto has = [&](double y) {
    for (const Point& point : kept) {
      if (point.y == y) return true;
    }
    return false;
  };
  CHECK(has(99));
  CHECK(has(-99));
  for (std::size_t i = 1; i < kept.size(); ++i) CHECK(kept[i - 1].x < kept[i].x);
  CHECK(thin_out(points, 10000).size() == 10000);
  CHECK(thin_out(std::vector<Point>(1000, Point{5, 5}), 100).size() <= 4);  // no width to divide
}

TEST_CASE("values that are not finite break the curve and are counted", "[pictures][chart]") {
  const std::string svg = line_chart_svg(chart_of({1, 2, not_a_number, 3, infinity, 4, 5}));
  CHECK_THAT(markup_fault(svg), Equals(""));
  const std::size_t begin = svg.find("<path class=\"curve s0\"");
  const std::string path = svg.substr(begin, svg.find("/>", begin) - begin);
  CHECK(count(path, "M") == 2);                    // two runs of more than one point
  CHECK(count(svg, "<circle class=\"s0\"") == 1);  // and the lonely 3
  CHECK_THAT(svg, ContainsSubstring("2 values not drawn: not finite"));
  CHECK_THAT(svg, ContainsSubstring("train: NaN"));
  CHECK(count(svg, "nan") == 0);
  CHECK(count(svg, "inf") == 0);

  const std::string all = line_chart_svg(chart_of({not_a_number, -infinity}));
  CHECK_THAT(all, ContainsSubstring("no data"));
  CHECK(count(all, "nan") == 0);
}

TEST_CASE("a logarithmic chart leaves out what has no logarithm", "[pictures][chart]") {
  const std::string svg = line_chart_svg(chart_of({10, 0, -1, 0.1, 0.01}, Scale::logarithmic));
  CHECK_THAT(svg, ContainsSubstring("2 values not drawn: not finite or not positive"));
  CHECK_THAT(svg, ContainsSubstring(">0.1</text>"));
  CHECK_THAT(markup_fault(svg), Equals(""));
}

TEST_CASE("several series have a legend, own colours and common hover texts", "[pictures][chart]") {
  LineChart chart{.title = "Accuracy", .x_label = "epoch"};
  for (int i = 0; i < 8; ++i) {
    chart.series.push_back({"series " + std::to_string(i), {1, 2, 3}, {0.1 * i, 0.2, 0.3}});
  }
  const std::string svg = line_chart_svg(chart);
  for (int i = 0; i < 8; ++i) CHECK(count(svg, ">series " + std::to_string(i) + "</text>") == 1);
  CHECK(count(svg, "class=\"curve s0 dash\"") == 2);  // the seventh: in the legend and drawn
  CHECK_THAT(svg, ContainsSubstring("epoch 2\nseries 0: 0.2\nseries 1: 0.2"));
  CHECK(count(svg, ">1.5</text>") == 0);  // there is no half of an epoch
}

TEST_CASE("hostile names are escaped in charts", "[pictures][chart]") {
  const std::string bad = "<script>&\"'";
  const std::string svg = line_chart_svg({.title = bad,
                                          .x_label = bad,
                                          .y_label = bad,
                                          .series = {{bad, {}, {1, 2}}, {bad, {}, {2, 1}}}});
  CHECK_THAT(markup_fault(svg), Equals(""));
  CHECK(count(svg, "<script") == 0);
}

TEST_CASE("a chart that stands alone brings its style, one in a page does not",
          "[pictures][chart]") {
  const std::string alone = line_chart_svg(chart_of({1, 2}));
  CHECK_THAT(alone, ContainsSubstring("xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK_THAT(alone, ContainsSubstring("prefers-color-scheme: dark"));
  CHECK(count(line_chart_svg(chart_of({1, 2}), {.placement = Placement::in_page}), "<style>") == 0);
  CHECK_THAT(line_chart_svg(chart_of({1}), {.width = 300, .height = 200}),
             ContainsSubstring("viewBox=\"0 0 300 200\""));
}

TEST_CASE("charts that cannot be drawn are refused", "[pictures][chart]") {
  CHECK_THROWS_WITH(line_chart_svg({.title = ""}), "line_chart: the title is empty");
  CHECK_THROWS_WITH(line_chart_svg({.title = "Loss"}), "line_chart: \"Loss\" has no series");
  const LineChart uneven{.title = "Loss", .series = {{"train", {1, 2}, {1, 2, 3}}}};
  CHECK_THROWS_AS(line_chart_svg(uneven), tensorette::ShapeError);
  CHECK_THROWS_WITH(line_chart_svg(uneven),
                    "line_chart: series \"train\" has 2 x values and 3 y values");
  CHECK_THROWS_WITH(line_chart_svg({.title = "Loss", .series = {{"train", {2, 1}, {1, 2}}}}),
                    "line_chart: series \"train\": x[1] = 1 is not finite and ascending");
  CHECK_THROWS_AS(line_chart_svg({.title = "Loss", .series = {{"train", {not_a_number}, {1}}}}),
                  tensorette::Error);
  CHECK_THROWS_WITH(line_chart_svg(chart_of({1}), {.width = 100, .height = 100}),
                    "line_chart: the picture must be at least 200 × 150, got 100 × 100");
}
