// kernels/tile_gemm.cpp: products of small matrices.
// Before: product.hpp.  Next: gemm.cpp, which decides between this and BLAS.
//
// A tile of c, a few rows by two vectors, stays in registers while k runs: at each step the two
// vectors of b are loaded once, and each element of a is spread over a vector and multiplied into
// its row. So a is read element by element and may be transposed at no cost; only a transposed b is
// copied, one panel of columns at a time.
#include <algorithm>
#include <array>
#include <tensorette/tensor/kernels/multiply_add.hpp>
#include <tensorette/tensor/kernels/tile_gemm.hpp>
#include <tensorette/tensor/kernels/transpose_tile.hpp>
#include <type_traits>
#include <utility>
#include <xsimd/xsimd.hpp>

namespace tensorette::kernels {

namespace {

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

/// Sums over k are cut into parts of this length, so that the panel of b they use stays in cache.
inline constexpr Index k_block = 512;

/// From this many rows on, a panel of b is read often enough to be worth a copy ...
inline constexpr Index tall = 8 * tile_rows;
/// ... if b takes more than the first-level cache, where its rows compete for the same lines.
template <class T>
inline constexpr Index far_apart = 16384 / static_cast<Index>(sizeof(T));

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

/// Copies columns [column, column + columns) of op(b) side by side, filled up with zeros to rows
/// of `width`.
template <class T>
void pack_panel(const Product<T>& p, Index column, Index columns, Index width, T* packed) noexcept {
  if (columns < width) std::fill_n(packed, p.k * width, T{0});
  if (p.transpose_b) {
    transpose_tile(p.b + column * p.ldb, p.ldb, packed, width, p.k, columns);
  } else {
    for (Index step = 0; step < p.k; ++step)
      for (Index i = 0; i < columns; ++i) packed[step * width + i] = p.b[step * p.ldb + column + i];
  }
}

/// `columns` columns of c from `column` on, at most those of a tile.
template <class V, bool transpose_a, int vectors, class T = typename V::value_type>
void multiply_panel(const Product<T>& p, Index column, Index columns, bool is_packed) noexcept {
  constexpr Index width = vectors * lanes<V>;
  alignas(64) thread_local T packed[k_block * width];
  const bool is_full = columns == width;
  const T* b = p.b + column;
  Index ldb = p.ldb;
  if (is_packed || !is_full) {
    pack_panel(p, column, columns, width, packed);
    b = packed;
    ldb = width;
  }
  // Tiles of even height: 16 rows are better done as 8 + 8 than as 12 + 4.
  const Index tiles = (p.m + tile_rows - 1) / tile_rows;
  for (Index tile = 0, row = 0; tile < tiles; ++tile) {
    const Index height = (p.m - row + tiles - tile - 1) / (tiles - tile);
    const auto kernel =
        kernels_by_rows<V, transpose_a, vectors>[static_cast<std::size_t>(height - 1)];
    const T* a = p.a + (transpose_a ? row : row * p.lda);
    T* c = p.c + row * p.ldc + column;
    if (is_full) {
      kernel(p.k, p.alpha, a, p.lda, b, ldb, p.beta, c, p.ldc);
    } else {
      T part[tile_rows * width];
      kernel(p.k, p.alpha, a, p.lda, b, ldb, T{0}, part, width);
      for (Index i = 0; i < height; ++i)
        for (Index j = 0; j < columns; ++j) {
          T& element = c[i * p.ldc + j];
          element = p.beta == T{0} ? part[i * width + j] : p.beta * element + part[i * width + j];
        }
    }
    row += height;
  }
}

/// The product for one part of k.
template <class T, bool transpose_a>
void multiply_part(const Product<T>& p) noexcept {
  using Wide = Vector<T>;
  using Rest = RestVector<T>;
  const bool is_packed = p.transpose_b || (p.m >= tall && p.k * p.ldb >= far_apart<T>);
  Index column = 0;
  for (; column + 2 * lanes<Wide> <= p.n; column += 2 * lanes<Wide>)
    multiply_panel<Wide, transpose_a, 2>(p, column, 2 * lanes<Wide>, is_packed);
  for (; column + lanes<Wide> <= p.n; column += lanes<Wide>)
    multiply_panel<Wide, transpose_a, 1>(p, column, lanes<Wide>, is_packed);
  for (; column < p.n; column += lanes<Rest>)
    multiply_panel<Rest, transpose_a, 1>(p, column, std::min(lanes<Rest>, p.n - column), is_packed);
}

}  // namespace

template <class T>
Index k_block_of(const Product<T>& product) noexcept {
  // A few rows use each element of b just once: go along its rows, as memory is fetched.
  const bool is_stream =
      product.m <= 4 && !product.transpose_b && product.k * product.ldb >= far_apart<T>;
  return is_stream ? 16 : k_block;
}

template <class T>
void tile_gemm(const Product<T>& product, Index block) noexcept {
  for (Index start = 0; start < product.k; start += block) {
    Product<T> part = product;
    part.k = std::min(block, product.k - start);
    part.a += product.transpose_a ? start * product.lda : start;
    part.b += product.transpose_b ? start : start * product.ldb;
    if (start > 0) part.beta = T{1};
    if (product.transpose_a)
      multiply_part<T, true>(part);
    else
      multiply_part<T, false>(part);
  }
}

template Index k_block_of(const Product<float>&) noexcept;
template Index k_block_of(const Product<double>&) noexcept;
template void tile_gemm(const Product<float>&, Index) noexcept;
template void tile_gemm(const Product<double>&, Index) noexcept;

}  // namespace tensorette::kernels
