// Copies between layouts and dtypes.
#pragma once

#include <tensorette/tensor/tensor.hpp>

namespace tensorette::kernels {

/// Copies elements; both have the same shape and dtype, any strides, and do not overlap.
void copy_elements(const Tensor& source, Tensor& target);

/// Copies elements into a contiguous tensor of the same shape and another dtype.
void convert_elements(const Tensor& source, Tensor& target);

}  // namespace tensorette::kernels
