// One product of matrices, as the kernels pass it on.
#pragma once

#include <tensorette/tensor/shape.hpp>

namespace tensorette::kernels {

/// c = alpha·op(a)·op(b) + beta·c; see gemm().
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

  /// The part of the sums that goes over [step, step + steps) of k. One after the other, all parts
  /// make the product: those behind the first add to c.
  [[nodiscard]] Product part_of_sums(Index step, Index steps) const noexcept {
    Product part = *this;
    part.k = steps;
    part.a += transpose_a ? step * lda : step;
    part.b += transpose_b ? step : step * ldb;
    if (step > 0) part.beta = T{1};
    return part;
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

}  // namespace tensorette::kernels
