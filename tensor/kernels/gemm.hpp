// Products of matrices. All matrices are row-major; a leading dimension is the step from one stored
// row to the next, at least as large as the row.
#pragma once

#include <span>
#include <tensorette/tensor/shape.hpp>

namespace tensorette::kernels {

/// c = alpha·op(a)·op(b) + beta·c on the calling thread, op(x) being x or, where asked, xᵀ.
///
/// shape   op(a) [m, k], op(b) [k, n], c [m, n]: a transposed operand is stored as [k, m] ([n, k])
/// edge    beta = 0 overwrites c without reading it; k = 0 counts as a zero product; NaN and
///         infinity in an operand reach the result even where the other one is 0
/// alias   a and b may overlap each other, c must not overlap them
template <class T>
void gemm(bool transpose_a, bool transpose_b, Index m, Index n, Index k, T alpha, const T* a,
          Index lda, const T* b, Index ldb, T beta, T* c, Index ldc);

/// The same over several threads. Gives the same bits as gemm(), for any number of threads.
template <class T>
void parallel_gemm(bool transpose_a, bool transpose_b, Index m, Index n, Index k, T alpha,
                   const T* a, Index lda, const T* b, Index ldb, T beta, T* c, Index ldc);

/// One axis of a batch of products: how many, and the step from one to the next in each tensor. A
/// step of 0 uses the same operand again; c has no step of 0.
struct BatchAxis {
  Index count;
  Index step_a;
  Index step_b;
  Index step_c;
};

/// gemm() for each product of a batch whose axes are given outermost first; no axes make one
/// product. Threads share the products, or each product where there are too few of them. Gives the
/// same bits as gemm(), for any number of threads.
template <class T>
void batched_gemm(std::span<const BatchAxis> batch, bool transpose_a, bool transpose_b, Index m,
                  Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta,
                  T* c, Index ldc);

}  // namespace tensorette::kernels
