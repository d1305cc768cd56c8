// The elementary functions behind the normal distribution, from +, −, ·, / and √ alone. IEEE 754
// fixes the result of each of these to the last bit, which it does not for a math library's log
// and sin: so a seed gives the same normal numbers on every IEEE machine, as long as the compiler
// does not fuse a multiplication with an addition (its sources are built with contraction off).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tensorette::kernels {

/// Natural logarithm of a normal number in (0, 1], error below 2 units in the last place.
[[nodiscard]] inline double log_of_unit(double x) noexcept {
  // x = 2^k · m with m in [√½, √2):  log x = k log 2 + log m,
  // log m = 2 artanh s = 2 (s + s³/3 + s⁵/5 + ...) with s = (m − 1)/(m + 1), |s| < 0.172.
  constexpr std::uint64_t sqrt_half = 0x3FE6A09E667F3BCD;
  constexpr std::uint64_t mantissa = 0x000FFFFFFFFFFFFF;
  constexpr std::uint64_t bits_of_1 = 0x3FF0000000000000;
  constexpr std::uint64_t bits_of_2_to_52 = 0x4330000000000000;
  constexpr double log_2 = 0.693147180559945309417;

  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) - sqrt_half + bits_of_1;
  const double m = std::bit_cast<double>((shifted & mantissa) + sqrt_half);
  // An integer below 2⁵² becomes a double by writing it into the mantissa of 2⁵²: unlike a
  // conversion of 64-bit integers, this vectorises.
  const double k = std::bit_cast<double>((shifted >> 52) | bits_of_2_to_52) - (0x1p52 + 1023);

  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double series = 1.0 / 21;
  series = series * z + 1.0 / 19;
  series = series * z + 1.0 / 17;
  series = series * z + 1.0 / 15;
  series = series * z + 1.0 / 13;
  series = series * z + 1.0 / 11;
  series = series * z + 1.0 / 9;
  series = series * z + 1.0 / 7;
  series = series * z + 1.0 / 5;
  series = series * z + 1.0 / 3;
  return k * log_2 + (2 * s + 2 * s * z * series);
}

struct SineCosine {
  double sine;
  double cosine;
};

/// Sine and cosine of a whole turn times `fraction`, a number in [0, 1).
[[nodiscard]] inline SineCosine sine_cosine_of_turn(double fraction) noexcept {
  // The nearest quarter turn is split off; Taylor's series converge fast on the rest, which is
  // at most π/4.
  constexpr double half_pi = 1.57079632679489661923;
  const double quarters = std::floor(4 * fraction + 0.5);
  const double angle = (4 * fraction - quarters) * half_pi;
  const double z = angle * angle;

  double sine = 1.0 / 355687428096000;  // 1/17!
  sine = sine * z - 1.0 / 1307674368000;
  sine = sine * z + 1.0 / 6227020800;
  sine = sine * z - 1.0 / 39916800;
  sine = sine * z + 1.0 / 362880;
  sine = sine * z - 1.0 / 5040;
  sine = sine * z + 1.0 / 120;
  sine = sine * z - 1.0 / 6;
  sine = angle + angle * z * sine;

  double cosine = 1.0 / 20922789888000;  // 1/16!
  cosine = cosine * z - 1.0 / 87178291200;
  cosine = cosine * z + 1.0 / 479001600;
  cosine = cosine * z - 1.0 / 3628800;
  cosine = cosine * z + 1.0 / 40320;
  cosine = cosine * z - 1.0 / 720;
  cosine = cosine * z + 1.0 / 24;
  cosine = 1 - 0.5 * z + z * z * cosine;

  const bool swapped = quarters == 1 || quarters == 3;
  const double along_y = swapped ? cosine : sine;
  const double along_x = swapped ? sine : cosine;
  const bool below = quarters == 2 || quarters == 3;
  const bool left = quarters == 1 || quarters == 2;
  return {below ? -along_y : along_y, left ? -along_x : along_x};
}

/// The x with Φ(x) = p, for a normal number p in (0, 1/2]: Wichura, "Algorithm AS 241: the
/// percentage points of the normal distribution", Applied Statistics 37 (1988); relative error
/// about 1e-16.
[[nodiscard]] double inverse_normal_cdf(double p) noexcept;

/// Φ(x) for x <= 0: the p whose inverse_normal_cdf() is x; 0 where it would be below 2⁻¹⁰²².
[[nodiscard]] double lower_normal_cdf(double x) noexcept;

}  // namespace tensorette::kernels
