// The BLAS library, as far as products of matrices need it.
#pragma once

#include <tensorette/tensor/shape.hpp>

namespace tensorette::kernels {

/// Whether the sizes and leading dimensions of a product fit the integers of BLAS.
[[nodiscard]] bool fits_blas(Index m, Index n, Index k, Index lda, Index ldb, Index ldc) noexcept;

/// c = alpha·op(a)·op(b) + beta·c, row-major, by the BLAS library, on the calling thread alone.
///
/// The library spreads products over threads itself. OpenBLAS would do so on top, so it is limited
/// to one thread: its pthread flavour for the whole process, at the first product; its OpenMP
/// flavour for the duration of each call, on the calling thread.
template <class T>
void blas_gemm(bool transpose_a, bool transpose_b, Index m, Index n, Index k, T alpha, const T* a,
               Index lda, const T* b, Index ldb, T beta, T* c, Index ldc);

}  // namespace tensorette::kernels
