// kernels/tile_gemm.cpp: products of small matrices.
// Before: product.hpp.  Next: gemm.cpp, which decides between this and BLAS.
//
// A tile of c, a few rows by two vectors, stays in registers while k runs: at each step the two
// vectors of b are loaded once, and each element of a is spread over a vector and multiplied into
// its row. So a is read element by element and may be transposed at no cost; only a transposed b is
// copied, one panel of columns at a time.
#include <algorithm>
#include <tensorette/tensor/kernels/tile_gemm.hpp>
#include <tensorette/tensor/kernels/tile_kernel.hpp>

namespace tensorette::kernels {

namespace {

/// Sums over k are cut into parts of this length, so that the panel of b they use stays in cache.
inline constexpr Index k_block = 512;

/// From this many rows on, a panel of b is read often enough to be worth a copy ...
inline constexpr Index tall = 8 * tile_rows;
/// ... if b takes more than the first-level cache, where its rows compete for the same lines.
template <class T>
inline constexpr Index far_apart = 16384 / static_cast<Index>(sizeof(T));

/// `columns` columns of c from `column` on, at most those of a tile.
template <class V, bool transpose_a, int vectors, class T = typename V::value_type>
void multiply_panel(const Product<T>& p, Index column, Index columns, bool is_packed) noexcept {
  constexpr Index width = vectors * lanes<V>;
  alignas(64) thread_local T packed[k_block * width];
  const bool is_full = columns == width;
  const T* b = p.b + column;
  Index ldb = p.ldb;
  if (is_packed || !is_full) {
    pack_panel<width>(p, column, packed);
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
    if (is_full)
      kernel(p.k, p.alpha, a, p.lda, b, ldb, p.beta, c, p.ldc);
    else
      multiply_narrow_tile<width>(kernel, height, columns, p.k, p.alpha, a, p.lda, b, ldb, p.beta,
                                  c, p.ldc);
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
    const Product<T> part = product.part_of_sums(start, std::min(block, product.k - start));
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
