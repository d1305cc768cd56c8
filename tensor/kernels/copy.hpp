// Copies between layouts and dtypes.
#pragma once

#include <tensorette/tensor/tensor.hpp>

namespace tensorette::kernels {

/// Copies elements; both have the same shape and dtype, any strides, and do not overlap.
void copy_elements(const Tensor& source, Tensor& target);

/// Copies elements into a contiguous tensor of the same shape and another dtype. Numbers become
/// integers by cutting the fraction, saturating at both ends of the range, NaN giving 0; a boolean
/// is whether the number differs from 0.
void convert_elements(const Tensor& source, Tensor& target);

}  // namespace tensorette::kernels
