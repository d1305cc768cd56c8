/// \file
/// Where an axis carries numbers.
#pragma once

#include <string>
#include <vector>

namespace tensorette::pictures {

enum class Scale { linear, logarithmic };

struct Ticks {
  double lowest = 0;             ///< the axis begins here, at or below the smallest value
  double highest = 1;            ///< and ends here
  std::vector<double> values{};  ///< ascending, all within the axis
  std::vector<std::string> labels{};
};

/// Ticks at 1, 2 or 5 times a power of ten, about `wanted` of them, around [lowest, highest].
/// Equal ends are spread apart so that a single value is drawn in the middle. On a logarithmic
/// scale both ends must be positive (and are taken within 1e±300); the ticks are powers of ten,
/// with 2 and 5 times these where the span is short. Throws Error for ends that are not finite, in
/// the wrong order or (logarithmic) not positive.
[[nodiscard]] Ticks nice_ticks(double lowest, double highest, int wanted, Scale scale);

/// Position of `value` on the axis: 0 at lowest or below, 1 at highest or above.
[[nodiscard]] double axis_position(const Ticks& ticks, double value, Scale scale);

}  // namespace tensorette::pictures
