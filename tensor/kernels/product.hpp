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
