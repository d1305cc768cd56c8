#include <cmath>
#include <limits>
#include <support/line_chart_text.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

using namespace tensorette::pictures;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;

namespace {

LineChart chart_of(std::vector<double> y) {
  return {.title = "A", .x_label = "step", .series = {{"one", {}, std::move(y)}}};
}

}  // namespace

TEST_CASE("a chart in text, character by character", "[pictures][chart]") {
  const Terminal ascii{.unicode = false};
  CHECK_THAT(line_chart_text(chart_of({0, 1, 2, 3, 4}), ascii, {.columns = 24, .rows = 5}),
             Equals("A\n"
                    "4 +                  ooo\n"
                    "3 +             ooooo\n"
                    "2 +        ooooo\n"
                    "1 +   ooooo\n"
                    "0 +ooo\n"
                    "  +---------------------\n"
                    "   0    1    2    3    4\n"
                    "   o one   over step\n"));
}

TEST_CASE("a chart in text shows several series, breaks and numbers below zero",
          "[pictures][chart]") {
  const double gap = std::numeric_limits<double>::quiet_NaN();
  const LineChart chart{.title = "B",
                        .series = {{"flat", {-1, 0, 1}, {0, 0, 0}},
                                   {"broken", {-1, -0.5, 0, 0.5, 1}, {-1, -1, gap, 1, 1}}}};
  const std::string text = line_chart_text(chart, {}, {.columns = 25, .rows = 5});
  CHECK_THAT(text, ContainsSubstring("• flat   × broken\n"));
  CHECK_THAT(text, ContainsSubstring(" 1.0 ┤              ×××××\n"));
  CHECK_THAT(text, ContainsSubstring("   0 ┤•••••••••••••••••••\n"));
  CHECK_THAT(text, ContainsSubstring("-1.0 ┤××××××\n"));
}

TEST_CASE("a chart in text of nothing, and what it refuses", "[pictures][chart]") {
  const double gap = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(line_chart_text(chart_of({gap})), !ContainsSubstring("•••"));
  CHECK_THAT(line_chart_text(chart_of({})), ContainsSubstring("A\n"));
  CHECK_THROWS_AS(line_chart_text({.title = "", .series = {{"x", {}, {1}}}}), tensorette::Error);
  CHECK_THROWS_AS(line_chart_text({.title = "A"}), tensorette::Error);
  CHECK_THROWS_AS(line_chart_text(chart_of({1, 2}), {}, {.columns = 10}), tensorette::Error);
  CHECK_THROWS_AS(line_chart_text(chart_of({1, 2}), {}, {.rows = 1}), tensorette::Error);
}
