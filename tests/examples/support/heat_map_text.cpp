#include <limits>
#include <sstream>
#include <support/heat_map_text.hpp>
#include <support/utf8.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "markup_checker.hpp"

using namespace tensorette::pictures;
using Catch::Matchers::ContainsSubstring;

namespace {

HeatMap small_map() {
  return {.title = "head 1",
          .queries = {"né", "動物"},
          .keys = {"the", "street"},
          .values = {0.1, 0.9, 0.5, -std::numeric_limits<double>::infinity()}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("a heat map in the terminal lines up by columns", "[pictures][heat_map]") {
  const std::string expected =
      "head 1\n"
      "      the  street\n"
      "  né 0.10  0.90█\n"
      "動物 0.50▒   · ·\n";
  CHECK(heat_map_text(small_map()) == expected);
}

TEST_CASE("a terminal without Unicode gets ASCII alone", "[pictures][heat_map]") {
  const std::string text = heat_map_text(small_map(), {.unicode = false});
  for (const char c : text) CHECK(static_cast<unsigned char>(c) < 0x80);
  CHECK_THAT(text, ContainsSubstring("n? 0.10. 0.90%"));
  CHECK_THAT(text, ContainsSubstring("x x"));
}

TEST_CASE("a narrow terminal gets upright words and small cells", "[pictures][heat_map]") {
  const std::string expected =
      "head 1\n"
      "       s\n"
      "       t\n"
      "       r\n"
      "     t e\n"
      "     h e\n"
      "     e t\n"
      "  né   ██\n"
      "動物 ▒▒··\n";
  CHECK(heat_map_text(small_map(), {.columns = 12}) == expected);
}

TEST_CASE("keys that do not fit go to further blocks", "[pictures][heat_map]") {
  HeatMap map{.title = "t", .queries = {"query"}};
  for (int i = 0; i < 50; ++i) map.keys.push_back("k");
  map.values.assign(50, 1.0);
  const std::vector<std::string> lines = lines_of(heat_map_text(map, {.columns = 46}));
  std::size_t cells = 0;
  for (const std::string& line : lines) {
    CHECK(column_width(line) <= 46);
    cells += testing::count(line, "██");
  }
  CHECK(cells == 50);
  CHECK(lines.size() == 7);  // the title, and three blocks of a heading and a row
}

TEST_CASE("with colours each cell brings its ground and takes it back", "[pictures][heat_map]") {
  HeatMap map = small_map();
  const Terminal wide{.colours = Colours::truecolor},
      narrow{.colours = Colours::truecolor, .columns = 12};
  for (const Terminal& terminal : {wide, narrow}) {
    const std::string text = heat_map_text(map, terminal);
    CHECK(testing::count(text, "\x1b[48;2;") == 3);
    CHECK(testing::count(text, "\x1b[0m") == 3);
  }
  CHECK(testing::count(heat_map_text(map), "\x1b") == 0);
}

TEST_CASE("a terminal of no width at all still shows something", "[pictures][heat_map]") {
  CHECK(testing::count(heat_map_text(small_map(), {.columns = 0}), "動物") == 2);
  CHECK_THROWS_AS(heat_map_text({.title = "t"}), tensorette::Error);
}
