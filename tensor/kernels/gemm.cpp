// kernels/gemm.cpp: products of matrices, one, split over threads, or a batch.
// Before: blas.hpp.
//
// How a product is cut into blocks follows from its sizes alone, never from the number of threads;
// threads only share the blocks. So the result has the same bits for any number of threads,
// whatever order of summation the BLAS library picks for a block.
#include <algorithm>
#include <tensorette/tensor/kernels/blas.hpp>
#include <tensorette/tensor/kernels/gemm.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>

namespace tensorette::kernels {

namespace {

/// The arguments of one product.
template <class T>
struct Product {
  bool transpose_a, transpose_b;
  Index m, n, k;
  T alpha;
  const T* a;
  Index lda;
  const T* b;
  Index ldb;
  T beta;
  T* c;
  Index ldc;

  [[nodiscard]] double operations() const noexcept {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }

  /// The product that gives rows [row, row + rows) and columns [column, column + columns) of c.
  [[nodiscard]] Product block(Index row, Index rows, Index column, Index columns) const noexcept {
    Product part = *this;
    part.m = rows;
    part.n = columns;
    part.a += transpose_a ? row : row * lda;
    part.b += transpose_b ? column * ldb : column;
    part.c += row * ldc + column;
    return part;
  }
};

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

/// One block, on the calling thread.
template <class T>
void multiply_block(const Product<T>& p) {
  if (p.k == 0) return scale(p);
  blas_gemm(p.transpose_a, p.transpose_b, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta,
            p.c, p.ldc);
}

/// A grid of blocks that covers the result.
struct Blocks {
  Index rows, columns;  // of a block; those at the end may be smaller
  Index down, across;   // number of blocks

  Blocks(Index m, Index n, Index k) noexcept : rows(m), columns(n), down(1), across(1) {
    // Smaller blocks repeat too much work on their operands.
    constexpr double operations_per_block = 64e6;
    constexpr Index most_blocks = 64;
    // Borders fall on multiples of all register tiles.
    constexpr Index alignment = 48;
    const auto half = [](Index size) { return (size / 2 + alignment - 1) / alignment * alignment; };
    const auto operations = [&] {
      return 2.0 * static_cast<double>(rows) * static_cast<double>(columns) *
             static_cast<double>(k);
    };
    while (operations() >= 2 * operations_per_block && down * across < most_blocks) {
      if (std::max(rows, columns) < 2 * alignment) break;
      (rows >= columns ? rows : columns) = half(std::max(rows, columns));
      down = (m + rows - 1) / rows;
      across = (n + columns - 1) / columns;
    }
  }

  [[nodiscard]] Index count() const noexcept { return down * across; }

  template <class T>
  [[nodiscard]] Product<T> of(const Product<T>& whole, Index number) const noexcept {
    const Index row = number / across * rows;
    const Index column = number % across * columns;
    return whole.block(row, std::min(rows, whole.m - row), column,
                       std::min(columns, whole.n - column));
  }
};

template <class T>
void multiply(const Product<T>& product) {
  if (product.m == 0 || product.n == 0) return;
  const Blocks blocks(product.m, product.n, product.k);
  for (Index number = 0; number < blocks.count(); ++number)
    multiply_block(blocks.of(product, number));
}

template <class T>
void multiply_in_parallel(const Product<T>& product) {
  if (product.m == 0 || product.n == 0) return;
  const Blocks blocks(product.m, product.n, product.k);
  parallel_for(blocks.count(), 1, [&](Index begin, Index end) {
    for (Index number = begin; number < end; ++number) multiply_block(blocks.of(product, number));
  });
}

}  // namespace

template <class T>
void gemm(bool transpose_a, bool transpose_b, Index m, Index n, Index k, T alpha, const T* a,
          Index lda, const T* b, Index ldb, T beta, T* c, Index ldc) {
  multiply(Product<T>{transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});
}

template <class T>
void parallel_gemm(bool transpose_a, bool transpose_b, Index m, Index n, Index k, T alpha,
                   const T* a, Index lda, const T* b, Index ldb, T beta, T* c, Index ldc) {
  multiply_in_parallel(
      Product<T>{transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});
}

template <class T>
void batched_gemm(std::span<const BatchAxis> batch, bool transpose_a, bool transpose_b, Index m,
                  Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta,
                  T* c, Index ldc) {
  const Product<T> first{transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
  Index count = 1;
  for (const BatchAxis& axis : batch) count *= axis.count;
  const auto product_at = [&](Index number) {
    Product<T> product = first;
    for (std::size_t axis = batch.size(); axis-- > 0;) {
      const Index position = number % batch[axis].count;
      number /= batch[axis].count;
      product.a += position * batch[axis].step_a;
      product.b += position * batch[axis].step_b;
      product.c += position * batch[axis].step_c;
    }
    return product;
  };
  if (Blocks(m, n, k).count() > 1 && count < 4 * num_threads()) {
    for (Index number = 0; number < count; ++number) multiply_in_parallel(product_at(number));
    return;
  }
  // About as much work as makes a second thread worth its start.
  constexpr double operations_per_thread = 1e6;
  const Index grain = 1 + static_cast<Index>(operations_per_thread / (1.0 + first.operations()));
  parallel_for(count, grain, [&](Index begin, Index end) {
    for (Index number = begin; number < end; ++number) multiply(product_at(number));
  });
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
