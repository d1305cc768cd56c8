// Elementary functions of SIMD batches, f32 and f64: exp, expm1, log, log1p, tanh and erf within 2
// units in the last place for all inputs, sigmoid and softplus within 2.1, denormals included;
// infinities and NaN as the standard library has them. For sin, cos and tanh xsimd's are as good;
// its exp and expm1 overflow too early, its log loses denormals and its erf is off by up to 68.
// Included by .cpp files of kernels only. All are inlined by force: in a loop their constants then
// stay in registers, which doubles the speed. The polynomials are minimax fits (Remez) to the
// function named beside them, made for this file.
#pragma once

#include <array>
#include <limits>
#include <tensorette/tensor/kernels/math_constants.hpp>
#include <tensorette/tensor/kernels/multiply_add.hpp>
#include <type_traits>
#include <xsimd/xsimd.hpp>

namespace tensorette::kernels::math {

template <class T>
using Batch = xsimd::batch<T>;

/// Polynomial with coefficients from the lowest power up, by Horner's rule.
template <class T, std::size_t count>
[[gnu::always_inline]] inline Batch<T> polynomial(const Batch<T>& x,
                                                  const std::array<T, count>& coefficients) {
  Batch<T> sum(coefficients[count - 1]);
  for (std::size_t i = count - 1; i-- > 0;) sum = multiply_add(sum, x, Batch<T>(coefficients[i]));
  return sum;
}

/// Added to a number whose last bit counts ones, n appears in the low bits as an integer, here with
/// the bias that it has as an exponent.
template <class T>
inline constexpr T exponent_offset = Constants<T>::round_to_integer + Constants<T>::exponent_bias;

/// 2ⁿ from n + exponent_offset, where 2ⁿ is a normal number; 0 for the n below.
template <class T>
[[gnu::always_inline]] inline Batch<T> power_from_offset(const Batch<T>& offset_exponent) {
  using Bits = Batch<typename Constants<T>::Bits>;
  return xsimd::bitwise_cast<Batch<T>>(xsimd::bitwise_cast<Bits>(offset_exponent)
                                       << Constants<T>::mantissa_bits);
}
template <class T>
[[gnu::always_inline]] inline Batch<T> power_of_two(const Batch<T>& n) {
  return power_from_offset<T>(n + Batch<T>(exponent_offset<T>));
}

/// x = n·ln 2 + r with whole n and |r| <= ln 2 / 2; scale = 2ⁿ, as power_from_offset gives it.
template <class T>
struct ReducedExponent {
  Batch<T> n;
  Batch<T> r;
  Batch<T> scale;
};
template <class T>
[[gnu::always_inline]] inline ReducedExponent<T> reduce_exponent(const Batch<T>& x) {
  using C = Constants<T>;
  const Batch<T> offset(exponent_offset<T>);
  const Batch<T> rounded = multiply_add(x, Batch<T>(C::log2_e), offset);
  const Batch<T> n = rounded - offset;
  const Batch<T> high = multiply_add(n, Batch<T>(-C::ln_2_high), x);
  return {n, multiply_add(n, Batch<T>(-C::ln_2_low), high), power_from_offset<T>(rounded)};
}

/// eʳ − 1 for |r| <= ln 2 / 2.
template <class T>
[[gnu::always_inline]] inline Batch<T> expm1_reduced(const Batch<T>& r) {
  return multiply_add(r * r, polynomial<T>(r, Constants<T>::exp), r);
}

/// eˣ where neither x nor the result is extreme: −88 <= x < 80 for f32, −709 <= x < 700 for f64;
/// 0 where the result would be below half of the smallest normal number.
template <class T>
[[gnu::always_inline]] inline Batch<T> exp_moderate(const Batch<T>& x) {
  const auto [n, r, scale] = reduce_exponent(x);
  return multiply_add(expm1_reduced(r), scale, scale);
}

/// eˣ
template <class T>
[[gnu::always_inline]] inline Batch<T> exp(const Batch<T>& x) {
  using C = Constants<T>;
  // NaN passes both limits: each returns its second operand where the comparison fails.
  const Batch<T> limited =
      xsimd::max(Batch<T>(C::exp_lowest), xsimd::min(Batch<T>(C::exp_highest), x));
  const auto [n, r, scale] = reduce_exponent(limited);
  const Batch<T> fraction = expm1_reduced(r);
  // Elements that are not extreme come out the same by either way.
  if (xsimd::all(xsimd::abs(n) <= Batch<T>(C::exponent_bias - 2))) [[likely]] {
    return multiply_add(fraction, scale, scale);
  }
  // In two steps, because neither denormal results nor 2¹²⁸ have a factor of their own.
  const Batch<T> round(C::round_to_integer);
  const Batch<T> first = (n * Batch<T>(T(0.5)) + round) - round;
  const Batch<T> half = power_of_two(first);
  return multiply_add(fraction, half, half) * power_of_two(n - first);
}

/// eˣ for x < 80, with 0 where the result would be denormal or nearly so: what softmax asks for,
/// without a branch, since hidden elements are at −∞.
template <class T>
[[gnu::always_inline]] inline Batch<T> exp_or_zero(const Batch<T>& x) {
  return exp_moderate(xsimd::max(Batch<T>(Constants<T>::exp_is_zero), x));  // NaN passes
}

/// eˣ − 1
template <class T>
[[gnu::always_inline]] inline Batch<T> expm1(const Batch<T>& x) {
  using C = Constants<T>;
  const Batch<T> limited =
      xsimd::max(Batch<T>(C::expm1_lowest), xsimd::min(Batch<T>(C::exp_highest), x));
  const auto [n, r, scale] = reduce_exponent(limited);
  const Batch<T> fraction = expm1_reduced(r);
  // 2ⁿ(1 + f) − 1 = 2(sf + (s − 1/2)) with s = 2ⁿ⁻¹, which exists even for the largest n.
  const Batch<T> s = power_of_two(n - Batch<T>(T(1)));
  const Batch<T> half = multiply_add(s, fraction, s - Batch<T>(T(0.5)));
  const Batch<T> value = xsimd::select(n == Batch<T>(T(0)), fraction, half + half);
  return xsimd::copysign(value, x);  // −0 stays −0
}

/// log x
template <class T>
[[gnu::always_inline]] inline Batch<T> log(const Batch<T>& x) {
  using C = Constants<T>;
  using Bits = Batch<typename C::Bits>;
  const Batch<T> one(T(1));
  const auto is_denormal = x < Batch<T>(std::numeric_limits<T>::min());
  const Batch<T> normal = xsimd::select(is_denormal, x * Batch<T>(C::denormal_scale), x);
  // x = 2ᵉ·m with m in [√½, √2): both are read off the bits, shifted so that m begins at √½.
  const Bits shifted = xsimd::bitwise_cast<Bits>(normal) + Bits(C::bits_one - C::bits_sqrt_half);
  const Batch<T> biased =
      xsimd::bitwise_cast<Batch<T>>((shifted >> C::mantissa_bits) | Bits(C::bits_two_to_mantissa));
  const Batch<T> exponent = biased - xsimd::select(is_denormal, Batch<T>(C::exponent_of_denormal),
                                                   Batch<T>(C::exponent_of_normal));
  const Batch<T> m =
      xsimd::bitwise_cast<Batch<T>>((shifted & Bits(C::mantissa_mask)) + Bits(C::bits_sqrt_half));
  // log(1 + f) = 2 artanh(s) = f − (f²/2 − s(f²/2 + R(s²))) with s = f/(2 + f).
  const Batch<T> f = m - one;
  const Batch<T> s = f / (f + Batch<T>(T(2)));
  const Batch<T> s2 = s * s;
  const Batch<T> rest = s2 * polynomial<T>(s2, C::log);
  const Batch<T> half_square = Batch<T>(T(0.5)) * f * f;
  const Batch<T> correction = multiply_add(s, half_square + rest, exponent * Batch<T>(C::ln_2_low));
  const Batch<T> value =
      multiply_add(exponent, Batch<T>(C::ln_2_high), f - (half_square - correction));
  const Batch<T> infinity(std::numeric_limits<T>::infinity());
  const Batch<T> at_zero =
      xsimd::select(x == Batch<T>(T(0)), -infinity, Batch<T>(std::numeric_limits<T>::quiet_NaN()));
  const Batch<T> special = xsimd::select(x > Batch<T>(T(0)), x, at_zero);
  return xsimd::select((x > Batch<T>(T(0))) & (x < infinity), value, special);
}

/// log(1 + x)
template <class T>
[[gnu::always_inline]] inline Batch<T> log1p(const Batch<T>& x) {
  const Batch<T> one(T(1));
  const Batch<T> sum = one + x;
  // What rounding took from the sum comes back to first order.
  const Batch<T> lost = xsimd::select(x > one, one - (sum - x), x - (sum - one));
  const Batch<T> log_of_sum = log(sum);
  const Batch<T> infinity(std::numeric_limits<T>::infinity());
  const auto is_regular = (sum > Batch<T>(T(0))) & (sum < infinity);
  const Batch<T> value = xsimd::select(is_regular, log_of_sum + lost / sum, log_of_sum);
  return xsimd::select(sum == one, x, value);
}

/// tanh x
template <class T>
[[gnu::always_inline]] inline Batch<T> tanh(const Batch<T>& x) {
  // On its way xsimd casts a multiple of x to an integer, and neither NaN nor infinity fits into
  // one.
  const Batch<T> one(T(1));
  const Batch<T> gives_one(T(20));
  const auto is_moderate = xsimd::abs(x) < gives_one;
  const Batch<T> value = xsimd::tanh(xsimd::select(is_moderate, x, gives_one));
  const Batch<T> special = xsimd::select(xsimd::isnan(x), x, xsimd::copysign(one, x));
  return xsimd::select(is_moderate, value, special);
}

/// 1/(1 + e⁻ˣ)
template <class T>
[[gnu::always_inline]] inline Batch<T> sigmoid(const Batch<T>& x) {
  // e to a negative power can't overflow; eˣ/(1 + eˣ) is the same number on the left side.
  const Batch<T> one(T(1));
  const Batch<T> e = exp(-xsimd::abs(x));
  return xsimd::select(x >= Batch<T>(T(0)), one, e) / (one + e);
}

/// erf x
template <class T>
[[gnu::always_inline]] inline Batch<T> erf(const Batch<T>& x) {
  using C = Constants<T>;
  const Batch<T> magnitude = xsimd::min(Batch<T>(C::erf_is_one), xsimd::abs(x));
  const Batch<T> square = magnitude * magnitude;
  const Batch<T> small = multiply_add(magnitude, polynomial<T>(square, C::erf_small), magnitude);
  // 1 − erfc, with a polynomial for log erfc: erfc is small here, and so are its errors.
  const Batch<T> large = Batch<T>(T(1)) - exp_moderate(polynomial<T>(magnitude, C::log_erfc));
  const auto is_small = !(magnitude > Batch<T>(C::erf_small_end));
  return xsimd::copysign(xsimd::select(is_small, small, large), x);
}

/// log(1 + eˣ)
template <class T>
[[gnu::always_inline]] inline Batch<T> softplus(const Batch<T>& x) {
  const Batch<T> positive = xsimd::select(x <= Batch<T>(T(0)), Batch<T>(T(0)), x);
  return positive + log1p(exp(-xsimd::abs(x)));
}

/// x·weight for a weight in [0, 1] that vanishes faster than x grows: 0 where it is 0, even at −∞.
template <class T>
[[gnu::always_inline]] inline Batch<T> gated(const Batch<T>& x, const Batch<T>& weight) {
  return xsimd::select(weight == Batch<T>(T(0)), Batch<T>(T(0)), x * weight);
}

/// x·sigmoid(x)
template <class T>
[[gnu::always_inline]] inline Batch<T> silu(const Batch<T>& x) {
  return gated(x, sigmoid(x));
}

/// erf x with an error below 2⁻²², for where it is added to 1: half the work of erf().
[[gnu::always_inline]] inline Batch<float> erf_beside_one(const Batch<float>& x) {
  using C = Constants<float>;
  const Batch<float> one(1.0F);
  const Batch<float> square = x * x;
  const Batch<float> numerator = polynomial<float>(square, C::erf_numerator);
  const Batch<float> denominator =
      multiply_add(square, polynomial<float>(square, C::erf_denominator), one);
  const auto is_inside = xsimd::abs(x) < Batch<float>(C::erf_is_one);
  const Batch<float> outside = xsimd::select(xsimd::isnan(x), x, xsimd::copysign(one, x));
  return xsimd::select(is_inside, x * numerator / denominator, outside);
}

/// x·Φ(x) with Φ(x) = (1 + erf(x/√2))/2
template <class T>
[[gnu::always_inline]] inline Batch<T> gelu(const Batch<T>& x) {
  const Batch<T> half(T(0.5));
  const Batch<T> argument = x * Batch<T>(T(0.70710678118654752440));
  if constexpr (std::is_same_v<T, float>) {
    // The error of the erf may take it below −1.
    const Batch<T> weight = multiply_add(half, erf_beside_one(argument), half);
    return gated(x, xsimd::max(Batch<T>(T(0)), weight));
  } else {
    return gated(x, multiply_add(half, erf(argument), half));
  }
}

/// x/2·(1 + tanh(√(2/π)(x + 0.044715 x³)))
template <class T>
[[gnu::always_inline]] inline Batch<T> gelu_tanh(const Batch<T>& x) {
  const Batch<T> half(T(0.5));
  const Batch<T> cubic = multiply_add(x * x, x * Batch<T>(T(0.044715)), x);
  return gated(x, multiply_add(half, tanh(cubic * Batch<T>(T(0.79788456080286535588))), half));
}

}  // namespace tensorette::kernels::math
