/// \file
/// The matrix product of variables.
#pragma once

#include <tensorette/autograd/variable.hpp>
#include <tensorette/tensor/matmul.hpp>

namespace tensorette {

/// As for tensors: NumPy's rules for every pair of ranks. dA = g Bᵀ, dB = Aᵀ g, summed over
/// broadcast batch axes.
[[nodiscard]] Variable matmul(const Variable& a, const Variable& b);

}  // namespace tensorette
