#include "axis_ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorette/tensor/error.hpp>

#include "html.hpp"

namespace tensorette::pictures {
namespace {

/// The smallest of 1, 2, 5 times a power of ten that is at least `raw`.
double nice_step(double raw) {
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power * (1.0 + 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

std::string tick_label(double value, double step) {
  if (value == 0.0) return "0";
  const double size = std::abs(value);
  if (size >= 1e6 || size < 1e-4) return number_text(value, 3);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  return fixed_text(value, decimals);
}

Ticks linear_ticks(double lowest, double highest, int wanted) {
  if (lowest == highest) {
    const double margin = lowest == 0.0 ? 1.0 : std::abs(lowest) * 0.5;
    lowest -= margin;
    highest += margin;
  }
  // Dividing first keeps the span finite for ends near the largest double; the floor keeps the
  // count of ticks an exact number for a tiny span between large ends.
  const double size = std::max(std::abs(lowest), std::abs(highest));
  const double parts = std::max(2, wanted);
  const double step = nice_step(std::max({highest / parts - lowest / parts, size * 1e-12, 1e-300}));
  const double first = std::floor(lowest / step + 1e-9);
  const double last = std::max(std::ceil(highest / step - 1e-9), first + 1);
  constexpr double limit = std::numeric_limits<double>::max();
  Ticks ticks{std::max(first * step, -limit), std::min(last * step, limit), {}, {}};
  for (double i = first; i <= last; ++i) {
    if (!std::isfinite(i * step)) continue;
    ticks.values.push_back(i * step);
    ticks.labels.push_back(tick_label(i * step, step));
  }
  return ticks;
}

/// The nearest of 1, 2, 5 times a power of ten at or below `value`, or at or above it.
double nice_neighbour(double value, bool above) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  if (above) return nice_step(value);
  for (const double factor : {5.0, 2.0}) {
    if (value >= factor * power * (1.0 - 1e-9)) return factor * power;
  }
  return power;
}

Ticks logarithmic_ticks(double lowest, double highest, int wanted) {
  lowest = std::clamp(lowest, 1e-300, 1e300);
  highest = std::clamp(highest, 1e-300, 1e300);
  if (lowest == highest) {
    lowest /= 2;
    highest *= 2;
  }
  const double decades = std::log10(highest) - std::log10(lowest);
  const bool short_span = decades <= 2.5;
  if (short_span) {
    lowest = nice_neighbour(lowest, false);
    highest = nice_neighbour(highest, true);
    if (highest <= lowest) highest = nice_neighbour(1.5 * lowest, true);
  }
  const double stride = std::max(1.0, std::ceil(decades / std::max(1, wanted)));
  Ticks ticks{lowest, highest, {}, {}};
  const double last_exponent = std::ceil(std::log10(highest));
  for (double exponent = std::floor(std::log10(lowest)); exponent <= last_exponent;
       exponent += stride) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor != 1.0 && !short_span) continue;
      const double value = factor * std::pow(10.0, exponent);
      if (value < lowest * (1 - 1e-9) || value > highest * (1 + 1e-9)) continue;
      ticks.values.push_back(value);
      ticks.labels.push_back(number_text(value, 3));
    }
  }
  return ticks;
}

}  // namespace

Ticks nice_ticks(double lowest, double highest, int wanted, Scale scale) {
  if (!std::isfinite(lowest) || !std::isfinite(highest) || lowest > highest) {
    throw Error(fmt::format("nice_ticks: no axis from {} to {}", lowest, highest));
  }
  if (scale == Scale::linear) return linear_ticks(lowest, highest, wanted);
  if (lowest <= 0.0) {
    throw Error(fmt::format("nice_ticks: a logarithmic axis cannot begin at {}", lowest));
  }
  return logarithmic_ticks(lowest, highest, wanted);
}

double axis_position(const Ticks& ticks, double value, Scale scale) {
  double position = 0.0;
  if (scale == Scale::linear) {
    const double half_span = ticks.highest / 2 - ticks.lowest / 2;
    position = (value / 2 - ticks.lowest / 2) / half_span;
  } else {
    const double span = std::log(ticks.highest) - std::log(ticks.lowest);
    position = (std::log(value) - std::log(ticks.lowest)) / span;
  }
  return std::clamp(position, 0.0, 1.0);
}

}  // namespace tensorette::pictures
