#include <cmath>
#include <limits>
#include <support/colour_scale.hpp>
#include <support/heat_map.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "markup_checker.hpp"

using namespace tensorette::pictures;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;
using tensorette::pictures::testing::count;
using tensorette::pictures::testing::markup_fault;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

HeatMap small_map() {
  return {.title = "head 1",
          .queries = {"il", "dort"},
          .keys = {"the", "animal", "sleeps"},
          .values = {0.1, 0.9, 0.0, 0.25, 0.25, 0.5}};
}

HeatMap square_map(std::size_t size) {
  HeatMap map{.title = "large"};
  for (std::size_t i = 0; i < size; ++i) {
    map.queries.push_back("q" + std::to_string(i));
    map.keys.push_back("k" + std::to_string(i));
  }
  map.values.assign(size * size, 1.0 / static_cast<double>(size));
  return map;
}

}  // namespace

TEST_CASE("a heat map has a cell, a hover text and a number for each pair",
          "[pictures][heat_map]") {
  const std::string svg = heat_map_svg(small_map());
  CHECK_THAT(markup_fault(svg), Equals(""));
  CHECK(count(svg, "</title></rect>") == 6);
  CHECK_THAT(svg, ContainsSubstring("<title>il → animal: 0.900</title>"));
  CHECK_THAT(svg, ContainsSubstring("<title>dort → sleeps: 0.500</title>"));
  CHECK_THAT(svg, ContainsSubstring(">.90</text>"));
  CHECK(count(svg, "class=\"h57\"") >= 1);  // 0.9 of 63
  CHECK_THAT(svg, ContainsSubstring("heat map of 2 queries (rows) and 3 keys (columns)"));
}

TEST_CASE("queries are rows and keys are columns", "[pictures][heat_map]") {
  const std::string svg = heat_map_svg(small_map());
  const std::string rows = svg.substr(svg.find("class=\"rows\""),
                                      svg.find("class=\"columns\"") - svg.find("class=\"rows\""));
  CHECK(count(rows, "<text") == 2);
  CHECK_THAT(rows, ContainsSubstring(">il</text>"));
  const auto attribute = [&](const std::string& cell, const std::string& name) {
    const std::size_t title = svg.find("<title>" + cell);
    const std::size_t begin = svg.rfind("<rect", title);
    const std::size_t at = svg.find(" " + name + "=\"", begin) + name.size() + 3;
    return std::stod(svg.substr(at));
  };
  CHECK(attribute("il → the", "y") == attribute("il → sleeps", "y"));
  CHECK(attribute("il → the", "x") < attribute("il → animal", "x"));
  CHECK(attribute("il → the", "x") == attribute("dort → the", "x"));
  CHECK(attribute("il → the", "y") < attribute("dort → the", "y"));
}

TEST_CASE("masked and undefined values have a colour of their own", "[pictures][heat_map]") {
  HeatMap map = small_map();
  map.values = {-infinity, std::nan(""), infinity, -1, 2, 0.5};
  const std::string svg = heat_map_svg(map);
  CHECK(count(svg, "<rect class=\"missing\"") == 2);
  CHECK_THAT(svg, ContainsSubstring("il → the: masked (−∞)"));
  CHECK_THAT(svg, ContainsSubstring("il → animal: NaN"));
  CHECK_THAT(svg, ContainsSubstring("il → sleeps: ∞"));
  CHECK_THAT(svg, ContainsSubstring("dort → the: −1"));
  CHECK(count(svg, "nan") == 0);
}

TEST_CASE("raw scores are scaled to their own range", "[pictures][heat_map]") {
  HeatMap map = small_map();
  map.values = {-3, 5, -infinity, 1, 0, 2};
  const HeatMap scaled = scaled_to_values(map);
  CHECK(scaled.lowest == -3);
  CHECK(scaled.highest == 5);
  const std::string svg = heat_map_svg(scaled);
  CHECK_THAT(svg, ContainsSubstring("<title>il → the: −3</title>"));
  CHECK(cell_number(scaled, -3) == "−3");
  CHECK(cell_number(scaled, -0.123456) == "");  // too wide for a cell
  map.values.assign(6, 7.0);
  CHECK(scaled_to_values(map).lowest == 7.0);
  CHECK(scaled_to_values(map).highest == 8.0);
}

TEST_CASE("numbers in cells are short", "[pictures][heat_map]") {
  const HeatMap map = small_map();
  CHECK(cell_number(map, 0.254) == ".25");
  CHECK(cell_number(map, 0.004) == "");
  CHECK(cell_number(map, 1.0) == "1");
  CHECK(cell_number(map, 0.996) == "1");
  CHECK(cell_number(map, std::nan("")) == "");
}

TEST_CASE("a heat map grows with its words and stays a small file", "[pictures][heat_map]") {
  CHECK(count(heat_map_svg(square_map(1)), "</title></rect>") == 1);
  const std::string middle = heat_map_svg(square_map(40));
  CHECK(count(middle, "</title></rect>") == 1600);
  CHECK(count(middle, "class=\"values") == 0);  // no room for numbers
  const std::string large = heat_map_svg(square_map(400));
  CHECK_THAT(markup_fault(large), Equals(""));
  CHECK(count(large, "<title>q") == 0);
  CHECK(large.size() < 100'000);
}

TEST_CASE("a thumb nail joins neighbours of one colour", "[pictures][heat_map]") {
  HeatMap map = small_map();
  map.values = {1, 1, 0, 0, 0, 0};
  const std::string svg = heat_map_thumbnail(map);
  CHECK_THAT(svg, ContainsSubstring("viewBox=\"0 0 3 2\""));
  CHECK(count(svg, "<path") == 1);
  CHECK_THAT(svg, ContainsSubstring("<path class=\"h63\" d=\"M0 0h2v1h-2z\"/>"));
  CHECK_THAT(markup_fault(svg), Equals(""));
}

TEST_CASE("hostile and odd words are shown, not obeyed", "[pictures][heat_map]") {
  HeatMap map = small_map();
  map.queries = {"</text><script>", ""};
  map.keys = {"\"'&", " ", std::string(500, 'x')};
  const std::string svg = heat_map_svg(map);
  CHECK_THAT(markup_fault(svg), Equals(""));
  CHECK(count(svg, "<script") == 0);
  CHECK_THAT(svg, ContainsSubstring("∅ → ␣: 0.250"));
  CHECK_THAT(svg, ContainsSubstring(">" + std::string(17, 'x') + "…</text>"));
}

TEST_CASE("heat maps that cannot be drawn are refused", "[pictures][heat_map]") {
  HeatMap map = small_map();
  map.values.pop_back();
  CHECK_THROWS_AS(heat_map_svg(map), tensorette::ShapeError);
  CHECK_THROWS_WITH(heat_map_svg(map), "heat_map: \"head 1\" has 5 values for 2 queries × 3 keys");
  CHECK_THROWS_WITH(heat_map_svg({.title = "t"}),
                    "heat_map: \"t\" needs words on both axes, got 0 queries and 0 keys");
  CHECK_THROWS_WITH(heat_map_svg({}), "heat_map: the title is empty");
  map = small_map();
  map.highest = 0;
  CHECK_THROWS_WITH(heat_map_svg(map), "heat_map: \"head 1\" has no colour range from 0 to 0");
}
