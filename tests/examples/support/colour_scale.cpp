#include <cmath>
#include <support/colour_scale.hpp>
#include <tensorette_test.hpp>

#include "markup_checker.hpp"

using namespace tensorette::pictures;
using Catch::Approx;

TEST_CASE("perceived lightness agrees with OKLab's published values", "[pictures][colour]") {
  CHECK(perceived_lightness({0, 0, 0}) == Approx(0.0).margin(1e-6));
  CHECK(perceived_lightness({255, 255, 255}) == Approx(1.0).epsilon(1e-4));
  CHECK(perceived_lightness({255, 0, 0}) == Approx(0.628).epsilon(1e-3));
  CHECK(perceived_lightness({0, 0, 255}) == Approx(0.452).epsilon(1e-3));
}

TEST_CASE("a higher value stands out more on either ground", "[pictures][colour]") {
  for (int level = 1; level < colour_levels; ++level) {
    CAPTURE(level);
    CHECK(perceived_lightness(level_colour(level, Ground::light)) <
          perceived_lightness(level_colour(level - 1, Ground::light)));
    CHECK(perceived_lightness(level_colour(level, Ground::dark)) >
          perceived_lightness(level_colour(level - 1, Ground::dark)));
  }
}

TEST_CASE("numbers stay legible on every colour", "[pictures][colour]") {
  // Text is nearly black or nearly white; 0.35 of lightness is a contrast of at least about 3 : 1.
  for (int level = 0; level < colour_levels; ++level) {
    CAPTURE(level);
    const double light = perceived_lightness(level_colour(level, Ground::light));
    const double dark = perceived_lightness(level_colour(level, Ground::dark));
    CHECK(std::abs(light - (level >= strong_level ? 1.0 : 0.25)) > 0.33);
    CHECK(std::abs(dark - (level >= strong_level ? 0.22 : 0.95)) > 0.33);
  }
}

TEST_CASE("values are spread over the levels, outsiders take the ends", "[pictures][colour]") {
  CHECK(colour_level(0.0, 0, 1) == 0);
  CHECK(colour_level(1.0, 0, 1) == colour_levels - 1);
  CHECK(colour_level(0.5, 0, 1) == 32);
  CHECK(colour_level(-7, 0, 1) == 0);
  CHECK(colour_level(INFINITY, 0, 1) == colour_levels - 1);
  CHECK(colour_level(-2, -4, 0) == 32);
  CHECK(colour_level(3, 3, 3) == colour_levels - 1);
}

TEST_CASE("the style has every level for both grounds", "[pictures][colour]") {
  const std::string style = colour_scale_style();
  CHECK(testing::count(style, "{fill:#") == 2 * colour_levels);
  CHECK(testing::count(style, ".h63{fill:" + hex(level_colour(63, Ground::dark)) + "}") == 1);
  CHECK(hex({1, 171, 255}) == "#01abff");
}
