// Fused multiply-add of SIMD vectors.
#pragma once

#include <type_traits>
#include <xsimd/xsimd.hpp>
#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

namespace tensorette::kernels {

/// a·b + c, in one instruction and with one rounding wherever the processor can. xsimd 8 has no
/// such instruction for AVX-512, nor for the short vectors beside AVX2, and takes two there.
template <class T, class Arch>
[[gnu::always_inline]] inline xsimd::batch<T, Arch> multiply_add(
    const xsimd::batch<T, Arch>& a, const xsimd::batch<T, Arch>& b,
    const xsimd::batch<T, Arch>& c) noexcept {
  [[maybe_unused]] constexpr bool is_float = std::is_same_v<T, float>;
  [[maybe_unused]] constexpr auto bytes = sizeof(T) * xsimd::batch<T, Arch>::size;
#if defined(__AVX512F__)
  if constexpr (bytes == 64 && is_float)
    return _mm512_fmadd_ps(a, b, c);
  else if constexpr (bytes == 64)
    return _mm512_fmadd_pd(a, b, c);
  else
#endif
#if defined(__FMA__)
      if constexpr (bytes == 16 && is_float)
    return _mm_fmadd_ps(a, b, c);
  else if constexpr (bytes == 16)
    return _mm_fmadd_pd(a, b, c);
  else
#endif
    return xsimd::fma(a, b, c);
}

}  // namespace tensorette::kernels
