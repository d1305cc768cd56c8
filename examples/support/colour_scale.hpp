/// \file
/// The colours of heat maps: equal steps in value look like equal steps in colour, on light and on
/// dark ground.
#pragma once

#include <cstdint>
#include <string>

namespace tensorette::pictures {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

enum class Ground { light, dark };

/// Number of colours in the scale; a value is drawn in one of the levels 0 … colour_levels − 1.
inline constexpr int colour_levels = 64;

/// Level of `value` between `lowest` and `highest`; values outside take the nearest end.
/// `value` must not be NaN.
[[nodiscard]] int colour_level(double value, double lowest, double highest);

/// The colour of a level: from almost the ground itself to the strongest contrast with it.
/// Neighbours are equally far apart in OKLab (Ottosson, "A perceptual color space for image
/// processing", 2020).
[[nodiscard]] Colour level_colour(int level, Ground ground);

/// `#rrggbb`.
[[nodiscard]] std::string hex(Colour colour);

/// Lightness of `colour` in OKLab, 0 (black) to 1 (white).
[[nodiscard]] double perceived_lightness(Colour colour);

/// From this level on, a text upon the cell must take the colour of the ground to stay legible.
inline constexpr int strong_level = 33;

/// CSS rules `.h0{fill:…}` … for both grounds; dark within `@media (prefers-color-scheme: dark)`.
[[nodiscard]] std::string colour_scale_style();

}  // namespace tensorette::pictures
