// The few SIMD words that reductions and row kernels need, the same for packs and single numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <tensorette/tensor/kernels/math.hpp>
#include <tensorette/tensor/shape.hpp>
#include <type_traits>
#include <xsimd/xsimd.hpp>

namespace tensorette::kernels {

/// As many numbers as one SIMD register holds.
template <class T>
using Pack = xsimd::batch<T>;

template <class T>
inline constexpr Index lanes = static_cast<Index>(Pack<T>::size);

/// The next lanes<T> elements, converted where the memory holds another type.
template <class T, class Source>
[[nodiscard]] inline Pack<T> load(const Source* from) {
  if constexpr (std::is_same_v<T, Source>) {
    return Pack<T>::load_unaligned(from);
  } else {
    alignas(64) T converted[static_cast<std::size_t>(lanes<T>)];
    for (Index lane = 0; lane < lanes<T>; ++lane) converted[lane] = static_cast<T>(from[lane]);
    return Pack<T>::load_aligned(converted);
  }
}

// Inlined by force, so that the polynomial's constants stay in registers.
template <class V>
[[nodiscard, gnu::always_inline]] inline V exponential(V x) {
  if constexpr (std::is_arithmetic_v<V>)
    return std::exp(x);
  else
    return math::exp<typename V::value_type>(x);
}

/// The larger of two; NaN where either is NaN, whatever the order.
template <class V>
[[nodiscard]] inline V larger(V a, V b) {
  if constexpr (std::is_integral_v<V>)
    return b > a ? b : a;
  else if constexpr (std::is_arithmetic_v<V>)
    return b > a || std::isnan(b) ? b : a;
  else if constexpr (std::is_integral_v<typename V::value_type>)
    return xsimd::select(b > a, b, a);
  else
    return xsimd::select((b > a) | xsimd::isnan(b), b, a);
}

/// The smaller of two; NaN where either is NaN, whatever the order.
template <class V>
[[nodiscard]] inline V smaller(V a, V b) {
  if constexpr (std::is_integral_v<V>)
    return b < a ? b : a;
  else if constexpr (std::is_arithmetic_v<V>)
    return b < a || std::isnan(b) ? b : a;
  else if constexpr (std::is_integral_v<typename V::value_type>)
    return xsimd::select(b < a, b, a);
  else
    return xsimd::select((b < a) | xsimd::isnan(b), b, a);
}

}  // namespace tensorette::kernels
