// The two 16-bit floating formats of files: binary16 ("half") and bfloat16.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tensorette::detail {

/// Exact. Denormals, infinities and NaN included.
[[nodiscard]] inline float from_half(std::uint16_t half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1F;
  const std::uint32_t mantissa = half & 0x3FF;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000 | (mantissa << 13));
  if (exponent == 0) {
    const float value = static_cast<float>(mantissa) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
  return std::bit_cast<float>(sign | ((exponent + 127 - 15) << 23) | (mantissa << 13));
}

/// Exact.
[[nodiscard]] inline float from_bfloat(std::uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// The nearest number of a 16-bit format with `mantissa_bits` and least exponent `least_exponent`;
/// ties go to the even one, too large ones to infinity, NaN stays NaN. From double, so that an f64
/// is rounded once, not by way of f32.
template <int mantissa_bits, int least_exponent>
[[nodiscard]] std::uint16_t round_to_16_bits(double value) noexcept {
  constexpr std::uint32_t infinity = 0x7FFF >> mantissa_bits << mantissa_bits;
  constexpr std::uint32_t quiet = 1U << (mantissa_bits - 1);
  const std::uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | quiet);
  const double magnitude = std::fabs(value);
  if (magnitude >= 0x1p128) return static_cast<std::uint16_t>(sign | infinity);

  int exponent = least_exponent;
  if (magnitude >= std::ldexp(1.0, least_exponent)) exponent = std::ilogb(magnitude);
  // In units of the last place: an integer up to 2^(mantissa_bits + 1), hidden bit included. Adding
  // it to the exponent field carries over where the rounding reaches the next power of two.
  const auto units =
      static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent)));
  const std::uint32_t bits =
      (static_cast<std::uint32_t>(exponent - least_exponent) << mantissa_bits) + units;
  return static_cast<std::uint16_t>(sign | (bits < infinity ? bits : infinity));
}

[[nodiscard]] inline std::uint16_t to_half(double value) noexcept {
  return round_to_16_bits<10, -14>(value);
}
[[nodiscard]] inline std::uint16_t to_bfloat(double value) noexcept {
  return round_to_16_bits<7, -126>(value);
}

}  // namespace tensorette::detail
