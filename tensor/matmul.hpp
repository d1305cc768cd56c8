/// \file
/// The matrix product.
#pragma once

#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

/// The product of matrices, by NumPy's matmul rules for every pair of ranks: a 1-D operand is a
/// row on the left and a column on the right and leaves no axis; leading axes are a batch and
/// broadcast. Transposed and sliced operands are read where they lie.
/// \throws ShapeError for a scalar operand or inner sizes that differ; DTypeError unless both are
/// f32 or both f64.
[[nodiscard]] Tensor matmul(const Tensor& a, const Tensor& b);

}  // namespace tensorette
