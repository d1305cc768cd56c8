// The innermost part of a product of matrices: a tile of c that stays in registers while k runs,
// and the panel of b that it reads. Included by tile_gemm.cpp and packed_gemm.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <tensorette/tensor/kernels/multiply_add.hpp>
#include <tensorette/tensor/kernels/product.hpp>
#include <tensorette/tensor/kernels/transpose_tile.hpp>
#include <type_traits>
#include <utility>
#include <xsimd/xsimd.hpp>

namespace tensorette::kernels {

template <class T>
using Vector = xsimd::batch<T>;

/// Vectors for what is left of the columns: short ones where the processor has both kinds.
template <class T>
using RestVector = std::conditional_t<std::is_void_v<ShortBatch<T>>, Vector<T>, ShortBatch<T>>;

template <class V>
inline constexpr Index lanes = static_cast<Index>(V::size);

/// Rows of a tile: with two vectors a row, as many as the registers hold beside those of b.
inline constexpr int tile_rows =
#if defined(__AVX512F__) || defined(__aarch64__)
    12;  // of 32 registers
#else
    6;  // of 16 registers
#endif

/// Calls `body` with std::integral_constant<int, 0>, ..., <int, count - 1>.
template <int count, class Body>
[[gnu::always_inline]] inline void unroll(Body&& body) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (body(std::integral_constant<int, i>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

/// The tile c[rows, vectors · lanes] of alpha·op(a)·b + beta·c.
template <class V, bool transpose_a, int rows, int vectors, class T = typename V::value_type>
void multiply_tile(Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
                   Index ldc) noexcept {
  V sums[rows][vectors];
  unroll<rows>(
      [&](auto row) { unroll<vectors>([&](auto vector) { sums[row][vector] = V(T{0}); }); });
  for (Index step = 0; step < k; ++step) {
    V loaded[vectors];
    unroll<vectors>([&](auto vector) {
      loaded[vector] = V::load_unaligned(b + step * ldb + vector * lanes<V>);
    });
    unroll<rows>([&](auto row) {
      const V factor(transpose_a ? a[step * lda + row] : a[row * lda + step]);
      unroll<vectors>([&](auto vector) {
        sums[row][vector] = multiply_add(factor, loaded[vector], sums[row][vector]);
      });
    });
  }
  const V scale(alpha), keep(beta);
  unroll<rows>([&](auto row) {
    unroll<vectors>([&](auto vector) {
      T* place = c + row * ldc + vector * lanes<V>;
      V value = scale * sums[row][vector];
      if (beta != T{0}) value = multiply_add(keep, V::load_unaligned(place), value);
      value.store_unaligned(place);
    });
  });
}

template <class T>
using TileKernel = void (*)(Index, T, const T*, Index, const T*, Index, T, T*, Index) noexcept;

/// The kernels for 1, 2, ..., tile_rows rows.
template <class V, bool transpose_a, int vectors>
inline constexpr auto kernels_by_rows = []<int... i>(std::integer_sequence<int, i...>) {
  using T = typename V::value_type;
  return std::array<TileKernel<T>, sizeof...(i)>{multiply_tile<V, transpose_a, i + 1, vectors>...};
}
(std::make_integer_sequence<int, tile_rows>{});

/// The first columns of a tile that is `width` wide, with the same bits as those of a whole one.
template <Index width, class T>
void multiply_narrow_tile(TileKernel<T> kernel, Index rows, Index columns, Index k, T alpha,
                          const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
                          Index ldc) noexcept {
  alignas(64) T whole[tile_rows * width];
  if (beta != T{0}) {
    std::fill_n(whole, rows * width, T{0});
    for (Index row = 0; row < rows; ++row) std::copy_n(c + row * ldc, columns, whole + row * width);
  }
  kernel(k, alpha, a, lda, b, ldb, beta, whole, width);
  for (Index row = 0; row < rows; ++row) std::copy_n(whole + row * width, columns, c + row * ldc);
}

/// Copies `count` elements, at most `most`: nearly always so many, which is a few vectors then.
template <Index most, class T>
void copy_up_to(const T* source, Index count, T* target) noexcept {
  if (count >= most)
    std::memcpy(target, source, most * sizeof(T));
  else
    std::copy_n(source, count, target);
}

/// Copies `width` columns of op(b) from `column` on side by side; zeros take the place of those
/// that it does not have.
template <Index width, class T>
void pack_panel(const Product<T>& p, Index column, T* packed) noexcept {
  const Index columns = std::min(width, p.n - column);
  if (columns < width) std::fill_n(packed, p.k * width, T{0});
  if (p.transpose_b)
    return transpose_tile(p.b + column * p.ldb, p.ldb, packed, width, p.k, columns);
  for (Index step = 0; step < p.k; ++step)
    copy_up_to<width>(p.b + step * p.ldb + column, columns, packed + step * width);
}

}  // namespace tensorette::kernels
