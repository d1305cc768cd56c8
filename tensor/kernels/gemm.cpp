// kernels/gemm.cpp: products of matrices, one, split over threads, or a batch.
// Before: product.hpp, tile_gemm.hpp, packed_gemm.hpp, blas.hpp.
//
// The sizes and layouts of a product alone decide which method computes it and where it is cut into
// blocks that BLAS sums in an order of its own; threads only share the work. So the result has the
// same bits for any number of threads.
#include <algorithm>
#include <tensorette/tensor/kernels/blas.hpp>
#include <tensorette/tensor/kernels/gemm.hpp>
#include <tensorette/tensor/kernels/packed_gemm.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/kernels/product.hpp>
#include <tensorette/tensor/kernels/tile_gemm.hpp>

namespace tensorette::kernels {

namespace {

/// Operations that make a second thread worth its start: fewer where each element of an operand is
/// used just once, for then memory is what takes the time.
template <class T>
double operations_per_thread(const Product<T>& p) noexcept {
  return std::min(p.m, p.n) <= 4 ? 2e5 : 1e6;
}

/// c = beta·c
template <class T>
void scale(const Product<T>& product) noexcept {
  for (Index row = 0; row < product.m; ++row) {
    T* line = product.c + row * product.ldc;
    if (product.beta == T{0})
      std::fill_n(line, product.n, T{0});
    else
      for (Index column = 0; column < product.n; ++column) line[column] *= product.beta;
  }
}

enum class Method { scale, dot, tile, packed, blas };

/// The fastest way for a product of this size and layout, by measurement.
template <class T>
Method method_of(const Product<T>& p) noexcept {
  if (p.k == 0) return Method::scale;
  if (!p.transpose_a && p.transpose_b && (p.m <= 3 || p.n <= 3) && p.k >= 16) return Method::dot;
  // Tiles win until operands leave the cache, which is sooner where a is read across its rows.
  const double most_operations = (p.transpose_a ? 64e6 : 280e6) / sizeof(T);
  if (p.operations() <= most_operations || p.m <= 4) return Method::tile;
  // A BLAS chooses its vectors when the program starts; these were chosen when it was built.
  const bool is_for_blas = !has_wide_vectors && fits_blas(p.m, p.n, p.k, p.lda, p.ldb, p.ldc);
  return is_for_blas ? Method::blas : Method::packed;
}

/// A vector can be read as a row or as a column: as one that dot products or tiles take best.
template <class T>
void choose_orientation(Product<T>& p) noexcept {
  if (p.n == 1 && p.ldc == 1) {  // cᵀ = op(b)ᵀ·op(a)ᵀ is one long row
    std::swap(p.m, p.n);
    std::swap(p.a, p.b);
    std::swap(p.lda, p.ldb);
    std::swap(p.transpose_a, p.transpose_b);
    p.transpose_a = !p.transpose_a;
    p.transpose_b = !p.transpose_b;
    p.ldc = p.n;
  }
  if (p.m == 1 && p.transpose_a && p.lda == 1) {
    p.transpose_a = false;
    p.lda = p.k;
  }
}

/// A multiple of the height of all tiles.
constexpr Index row_block = 12;

/// A grid of blocks that covers a result.
struct Blocks {
  Index rows, columns;         // of a block; those at the end may be smaller
  Index down = 1, across = 1;  // number of blocks

  /// For BLAS: blocks of its own order of summation, so their borders follow from the sizes.
  static Blocks for_blas(Index m, Index n, Index k) noexcept {
    // Each block works through its operands once more, so there are just enough of them to share,
    // and none is small.
    const double whole =
        2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    const double operations_per_block = std::max(8e6, whole / 8);
    constexpr Index least_size = 96;  // of a side that is halved
    constexpr Index alignment = 16;   // whole register tiles of most kernels of BLAS
    Blocks blocks{m, n};
    const auto operations = [&] {
      return 2.0 * static_cast<double>(blocks.rows) * static_cast<double>(blocks.columns) *
             static_cast<double>(k);
    };
    while (operations() >= 2 * operations_per_block) {
      Index& longer = blocks.rows >= blocks.columns ? blocks.rows : blocks.columns;
      if (longer < least_size) break;
      longer = (longer / 2 + alignment - 1) / alignment * alignment;
      blocks.down = (m + blocks.rows - 1) / blocks.rows;
      blocks.across = (n + blocks.columns - 1) / blocks.columns;
    }
    return blocks;
  }

  /// For tiles and dot products, which give the same bits wherever they are cut.
  static Blocks for_tiles(Index m, Index n) noexcept {
    // Neighbours are computed as one.
    if (m >= n) return {row_block, n, (m + row_block - 1) / row_block, 1};
    return {m, column_block, 1, (n + column_block - 1) / column_block};
  }

  /// For packed copies, which give the same bits wherever they are cut: at most `parts` equal
  /// blocks, of a form for which as little as possible is copied.
  static Blocks for_packed(Index m, Index n, Index parts) noexcept {
    const auto side = [](Index size, Index count, Index unit) {
      const Index length = (size + count - 1) / count;
      return std::min(size, (length + unit - 1) / unit * unit);
    };
    Blocks best{m, n};
    for (Index down = 1; down <= parts; ++down) {
      if (parts % down != 0) continue;
      const Index rows = side(m, down, row_block), columns = side(n, parts / down, column_block);
      if (down == 1 || rows + columns < best.rows + best.columns)
        best = {rows, columns, (m + rows - 1) / rows, (n + columns - 1) / columns};
    }
    return best;
  }

  [[nodiscard]] Index count() const noexcept { return down * across; }

  /// The part of a product that gives neighbouring blocks [begin, end), as far as they form one
  /// rectangle: all of them where there is a single row or column of blocks.
  template <class T>
  [[nodiscard]] Product<T> of(const Product<T>& whole, Index begin, Index end) const noexcept {
    const Index row = begin / across * rows, column = begin % across * columns;
    const Index last_row = ((end - 1) / across + 1) * rows;
    const Index last_column = ((end - 1) % across + 1) * columns;
    return whole.block(row, std::min(last_row, whole.m) - row, column,
                       std::min(last_column, whole.n) - column);
  }
};

template <class T>
void multiply_by_blas(const Product<T>& product, bool in_parallel) {
  const Blocks blocks = Blocks::for_blas(product.m, product.n, product.k);
  const auto run = [&](Index begin, Index end) {
    for (Index number = begin; number < end; ++number) {
      const Product<T> p = blocks.of(product, number, number + 1);
      blas_gemm(p.transpose_a, p.transpose_b, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb,
                p.beta, p.c, p.ldc);
    }
  };
  if (in_parallel)
    parallel_for(blocks.count(), 1, run);
  else
    run(0, blocks.count());
}

template <class T>
void multiply_packed(const Product<T>& product, bool in_parallel) {
  if (!in_parallel) return packed_gemm(product);
  // Each block copies what it needs of a and b, so only large products have several for a thread.
  const auto for_a_thread = product.operations() / (num_threads() * 100e6);
  const Index parts = num_threads() * std::clamp<Index>(static_cast<Index>(for_a_thread), 1, 4);
  const Blocks blocks = Blocks::for_packed(product.m, product.n, parts);
  parallel_for(blocks.count(), 1, [&](Index begin, Index end) {
    for (Index number = begin; number < end; ++number)
      packed_gemm(blocks.of(product, number, number + 1));
  });
}

template <class T>
void multiply_by_tiles(const Product<T>& product, Method method, bool in_parallel) {
  const Index k_block = k_block_of(product);
  const auto run = [&](const Product<T>& part) {
    if (method == Method::dot)
      dot_gemm(part);
    else
      tile_gemm(part, k_block);
  };
  const double wanted = operations_per_thread(product);
  if (!in_parallel || product.operations() < 2 * wanted) return run(product);
  const Blocks blocks = Blocks::for_tiles(product.m, product.n);
  const double share = product.operations() / static_cast<double>(blocks.count());
  const Index equal_shares = (blocks.count() + num_threads() - 1) / num_threads();
  parallel_for(blocks.count(), std::max(equal_shares, 1 + static_cast<Index>(wanted / share)),
               [&](Index begin, Index end) { run(blocks.of(product, begin, end)); });
}

template <class T>
void multiply(Product<T> product, bool in_parallel) {
  if (product.m == 0 || product.n == 0) return;
  choose_orientation(product);
  const Method method = method_of(product);
  if (method == Method::scale)
    scale(product);
  else if (method == Method::packed)
    multiply_packed(product, in_parallel);
  else if (method == Method::blas)
    multiply_by_blas(product, in_parallel);
  else
    multiply_by_tiles(product, method, in_parallel);
}

}  // namespace

template <class T>
void gemm(bool transpose_a, bool transpose_b, Index m, Index n, Index k, T alpha, const T* a,
          Index lda, const T* b, Index ldb, T beta, T* c, Index ldc) {
  multiply<T>({transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, false);
}

template <class T>
void parallel_gemm(bool transpose_a, bool transpose_b, Index m, Index n, Index k, T alpha,
                   const T* a, Index lda, const T* b, Index ldb, T beta, T* c, Index ldc) {
  multiply<T>({transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, true);
}

template <class T>
void batched_gemm(std::span<const BatchAxis> batch, bool transpose_a, bool transpose_b, Index m,
                  Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta,
                  T* c, Index ldc) {
  const Product<T> first{transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
  if (batch.empty()) return multiply(first, true);
  Index count = 1;
  for (const BatchAxis& axis : batch) count *= axis.count;
  const auto run = [&](Index begin, Index end, bool in_parallel) {
    for (Index number = begin; number < end; ++number) {
      Product<T> product = first;
      Index rest = number;
      for (std::size_t axis = batch.size(); axis-- > 0;) {
        const Index position = rest % batch[axis].count;
        rest /= batch[axis].count;
        product.a += position * batch[axis].step_a;
        product.b += position * batch[axis].step_b;
        product.c += position * batch[axis].step_c;
      }
      multiply(product, in_parallel);
    }
  };
  // Few large products: uneven shares would leave threads idle.
  constexpr double large = 16e6;
  if (first.operations() >= large && count < 4 * num_threads()) return run(0, count, true);
  const double share = 1.0 + first.operations();
  parallel_for(count, 1 + static_cast<Index>(operations_per_thread(first) / share),
               [&](Index begin, Index end) { run(begin, end, false); });
}

template void gemm(bool, bool, Index, Index, Index, float, const float*, Index, const float*, Index,
                   float, float*, Index);
template void gemm(bool, bool, Index, Index, Index, double, const double*, Index, const double*,
                   Index, double, double*, Index);
template void parallel_gemm(bool, bool, Index, Index, Index, float, const float*, Index,
                            const float*, Index, float, float*, Index);
template void parallel_gemm(bool, bool, Index, Index, Index, double, const double*, Index,
                            const double*, Index, double, double*, Index);
template void batched_gemm(std::span<const BatchAxis>, bool, bool, Index, Index, Index, float,
                           const float*, Index, const float*, Index, float, float*, Index);
template void batched_gemm(std::span<const BatchAxis>, bool, bool, Index, Index, Index, double,
                           const double*, Index, const double*, Index, double, double*, Index);

}  // namespace tensorette::kernels
