/// \file
/// The matrix product.
#pragma once

#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

/// The product of matrices, by NumPy's matmul rules for every pair of ranks: a 1-D operand is a
/// row on the left and a column on the right and leaves no axis; leading axes are a batch and
/// broadcast. Transposed and sliced operands are read where they lie.
///
/// A sum over no elements is 0. NaN and infinity reach the result even where they meet a 0. The
/// result has the same bits for any number of threads.
///
/// All threads are this library's own (num_threads()). Where the BLAS library is OpenBLAS with its
/// pthread interface, the first large product sets it to one thread, for the whole process.
/// \throws ShapeError for a scalar operand or inner sizes that differ; DTypeError unless both are
/// f32 or both f64.
[[nodiscard]] Tensor matmul(const Tensor& a, const Tensor& b);

/// Writes matmul(a, b) into `target`, or with `accumulate` adds it to what `target` holds; without
/// it the elements of `target` are not read. The target has exactly the shape and dtype of
/// matmul(a, b), may be any view whose elements are distinct, and may overlap the operands.
/// \throws ShapeError, DTypeError as matmul, and where the target does not fit.
void matmul_into(Tensor& target, const Tensor& a, const Tensor& b, bool accumulate = false);

}  // namespace tensorette
