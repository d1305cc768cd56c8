#include "colour_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tensorette::pictures {
namespace {

struct Lab {
  double lightness;
  double a;
  double b;
};

struct Linear {
  double red;
  double green;
  double blue;
};

// The matrices are those of the OKLab definition.
Linear to_linear(const Lab& lab) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b);
  const double m = cube(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b);
  const double s = cube(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool displayable(const Linear& c) {
  const auto inside = [](double x) { return x >= -1e-6 && x <= 1.0 + 1e-6; };
  return inside(c.red) && inside(c.green) && inside(c.blue);
}

std::uint8_t encode(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  const double gamma = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1.0 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255.0 * gamma));
}

double decode(std::uint8_t value) {
  const double x = value / 255.0;
  return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
}

/// The colour of this lightness and hue, as vivid as wanted or as the display allows.
Lab vivid(double lightness, double chroma, double hue_degrees) {
  const double hue = hue_degrees * 3.14159265358979323846 / 180.0;
  for (double c = chroma; c > 0.0; c -= 0.002) {
    const Lab lab{lightness, c * std::cos(hue), c * std::sin(hue)};
    if (displayable(to_linear(lab))) return lab;
  }
  return {lightness, 0.0, 0.0};
}

/// A point of the scale's path before it is cut into equal steps; `t` from 0 to 1.
Lab path(double t, Ground ground) {
  const double chroma =
      0.012 + 0.21 * std::pow(std::sin(3.14159265358979323846 * std::pow(t, 0.75)), 0.85);
  if (ground == Ground::light) return vivid(0.965 - 0.695 * t, chroma, 80.0 - 130.0 * t);
  return vivid(0.235 + 0.715 * t, chroma, -70.0 + 160.0 * t);
}

double distance(const Lab& x, const Lab& y) {
  return std::hypot(x.lightness - y.lightness, x.a - y.a, x.b - y.b);
}

using Scale = std::array<Colour, colour_levels>;

/// Walks the path by its length, so that each step between neighbours is equally visible.
Scale make_scale(Ground ground) {
  constexpr int samples = 4096;
  std::vector<double> length(samples + 1, 0.0);
  Lab before = path(0.0, ground);
  for (int i = 1; i <= samples; ++i) {
    const Lab here = path(static_cast<double>(i) / samples, ground);
    length[static_cast<std::size_t>(i)] =
        length[static_cast<std::size_t>(i - 1)] + distance(before, here);
    before = here;
  }
  Scale scale;
  for (int level = 0; level < colour_levels; ++level) {
    const double wanted = length.back() * level / (colour_levels - 1);
    const auto found = std::lower_bound(length.begin(), length.end(), wanted);
    const double t = static_cast<double>(found - length.begin()) / samples;
    const Linear c = to_linear(path(std::min(t, 1.0), ground));
    scale[static_cast<std::size_t>(level)] = {encode(c.red), encode(c.green), encode(c.blue)};
  }
  return scale;
}

}  // namespace

int colour_level(double value, double lowest, double highest) {
  if (!(highest > lowest)) return value >= highest ? colour_levels - 1 : 0;
  const double t = std::clamp((value - lowest) / (highest - lowest), 0.0, 1.0);
  return static_cast<int>(std::lround(t * (colour_levels - 1)));
}

Colour level_colour(int level, Ground ground) {
  static const Scale light = make_scale(Ground::light);
  static const Scale dark = make_scale(Ground::dark);
  const auto index = static_cast<std::size_t>(std::clamp(level, 0, colour_levels - 1));
  return ground == Ground::light ? light[index] : dark[index];
}

std::string hex(Colour colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

double perceived_lightness(Colour colour) {
  const double r = decode(colour.red);
  const double g = decode(colour.green);
  const double b = decode(colour.blue);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
}

std::string colour_scale_style() {
  const auto rules = [](Ground ground) {
    std::string css;
    for (int level = 0; level < colour_levels; ++level) {
      css += fmt::format(".h{}{{fill:{}}}", level, hex(level_colour(level, ground)));
    }
    return css;
  };
  return rules(Ground::light) + "\n@media (prefers-color-scheme: dark){" + rules(Ground::dark) +
         "}\n";
}

}  // namespace tensorette::pictures
