// kernels/packed_gemm.cpp: products of matrices that do not fit in cache.
// Before: product.hpp, tile_kernel.hpp.  Next: gemm.cpp, which decides when this is used.
//
// Both operands are copied block by block into the order in which the innermost loop reads them: a
// strip of a, as high as a tile, stays in the first-level cache while panels of b, as wide as a
// tile, pass it; the panels stay in the second level while all strips pass. So c is written along
// its rows, and each element is summed in the same order wherever c is cut. (Goto and van de Geijn,
// Anatomy of High-Performance Matrix Multiplication, 2008, with a and b in each other's place.)
#include <algorithm>
#include <tensorette/tensor/kernels/packed_gemm.hpp>
#include <tensorette/tensor/kernels/scratch.hpp>
#include <tensorette/tensor/kernels/tile_kernel.hpp>

namespace tensorette::kernels {

namespace {

template <class T>
inline constexpr Index panel_width = 2 * lanes<Vector<T>>;

/// Sums over k are cut into equal parts of at most this length, for which a strip of a takes half
/// of the first-level cache.
inline constexpr Index most_depth = 512;

/// Rows of a copied at a time.
inline constexpr Index block_rows = 10 * tile_rows;

/// Bytes of b copied at a time, which stay in the second-level cache: half of it, or less.
inline constexpr Index most_bytes = (tile_rows == 12 ? 512 : 256) * 1024;

/// Up to this many panels, rows of a are read where they are: too seldom to be worth a copy.
inline constexpr Index few_panels = 8;

/// `total` in equal parts, none longer than `most`, all but the last a multiple of `unit`.
Index part_length(Index total, Index most, Index unit) noexcept {
  const Index parts = (total + most - 1) / most;
  const Index length = (total + parts - 1) / parts;
  return std::min(total, (length + unit - 1) / unit * unit);
}

/// The rows of op(a) in strips: [strip][step][row within the strip].
template <class T>
void pack_rows(const Product<T>& p, T* packed) noexcept {
  if (!p.transpose_a) {
    for (Index row = 0; row < p.m; row += tile_rows)
      transpose_tile(p.a + row * p.lda, p.lda, packed + row * p.k, Index{tile_rows}, p.k,
                     std::min<Index>(tile_rows, p.m - row));
    return;
  }
  // A few stored rows at a time: each may lie in a page of its own, and has elements of all strips.
  constexpr Index few_steps = 16;
  for (Index first = 0; first < p.k; first += few_steps)
    for (Index row = 0; row < p.m; row += tile_rows)
      for (Index step = first; step < std::min(first + few_steps, p.k); ++step)
        copy_up_to<tile_rows>(p.a + step * p.lda + row, p.m - row,
                              packed + row * p.k + step * tile_rows);
}

/// `rows` rows of c, at most those of a tile, from packed operands.
template <class T, bool is_packed>
void multiply_strip(const Product<T>& p, const T* a, Index lda, const T* b) noexcept {
  constexpr Index width = panel_width<T>;
  const auto kernel = kernels_by_rows<Vector<T>, is_packed, 2>[static_cast<std::size_t>(p.m - 1)];
  for (Index column = 0; column < p.n; column += width, b += p.k * width) {
    const Index columns = p.n - column;
    if (columns >= width)
      kernel(p.k, p.alpha, a, lda, b, width, p.beta, p.c + column, p.ldc);
    else
      multiply_narrow_tile<width>(kernel, p.m, columns, p.k, p.alpha, a, lda, b, width, p.beta,
                                  p.c + column, p.ldc);
  }
}

/// A block of rows of c from the packed columns of b.
template <class T>
void multiply_block(const Product<T>& p, T* packed_rows, const T* packed_columns) noexcept {
  const bool is_direct = !p.transpose_a && p.n <= few_panels * panel_width<T>;
  if (!is_direct) pack_rows(p, packed_rows);
  for (Index row = 0; row < p.m; row += tile_rows) {
    const Product<T> strip = p.block(row, std::min<Index>(tile_rows, p.m - row), 0, p.n);
    if (is_direct)
      multiply_strip<T, false>(strip, strip.a, strip.lda, packed_columns);
    else
      multiply_strip<T, true>(strip, packed_rows + row * p.k, tile_rows, packed_columns);
  }
}

}  // namespace

template <class T>
void packed_gemm(const Product<T>& product) {
  constexpr Index width = panel_width<T>;
  const Index depth = part_length(product.k, most_depth, 1);
  const Index columns = part_length(product.n, most_bytes / Index{sizeof(T)} / depth, width);
  const Scratch<T> packed_rows(block_rows * depth);
  const Scratch<T> packed_columns((columns + width - 1) / width * width * depth);
  for (Index column = 0; column < product.n; column += columns) {
    for (Index step = 0; step < product.k; step += depth) {
      const Product<T> slab =
          product.block(0, product.m, column, std::min(columns, product.n - column))
              .part_of_sums(step, std::min(depth, product.k - step));
      for (Index panel = 0; panel < slab.n; panel += width)
        pack_panel<width>(slab, panel, packed_columns.data() + panel * slab.k);
      for (Index row = 0; row < product.m; row += block_rows)
        multiply_block(slab.block(row, std::min(block_rows, product.m - row), 0, slab.n),
                       packed_rows.data(), packed_columns.data());
    }
  }
}

template void packed_gemm(const Product<float>&);
template void packed_gemm(const Product<double>&);

}  // namespace tensorette::kernels
