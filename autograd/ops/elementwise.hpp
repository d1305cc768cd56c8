/// \file
/// Functions of one variable, element by element; see tensor/elementwise.hpp for the functions,
/// op_table.cpp for the gradients.
#pragma once

#include <tensorette/autograd/variable.hpp>
#include <tensorette/tensor/elementwise.hpp>

namespace tensorette {

[[nodiscard]] Variable negate(const Variable& x);
/// Subgradient 0 at 0.
[[nodiscard]] Variable abs(const Variable& x);
/// Its gradient is 0 everywhere.
[[nodiscard]] Variable sign(const Variable& x);
[[nodiscard]] Variable square(const Variable& x);
[[nodiscard]] Variable reciprocal(const Variable& x);
[[nodiscard]] Variable exp(const Variable& x);
[[nodiscard]] Variable expm1(const Variable& x);
[[nodiscard]] Variable log(const Variable& x);
[[nodiscard]] Variable log1p(const Variable& x);
[[nodiscard]] Variable sqrt(const Variable& x);
[[nodiscard]] Variable rsqrt(const Variable& x);
[[nodiscard]] Variable sin(const Variable& x);
[[nodiscard]] Variable cos(const Variable& x);
[[nodiscard]] Variable tanh(const Variable& x);
[[nodiscard]] Variable sigmoid(const Variable& x);
[[nodiscard]] Variable erf(const Variable& x);
/// Subgradient 0 at 0.
[[nodiscard]] Variable relu(const Variable& x);
[[nodiscard]] Variable gelu(const Variable& x);
[[nodiscard]] Variable gelu_tanh(const Variable& x);
[[nodiscard]] Variable silu(const Variable& x);
[[nodiscard]] Variable softplus(const Variable& x);
/// The gradient passes at the bounds themselves.
[[nodiscard]] Variable clamp(const Variable& x, Scalar low, Scalar high);

/// Selects in both directions: the branch not taken gets exactly 0, never 0 · NaN. A function
/// whose own slope is not finite there still turns that 0 into NaN; guard its input as well:
/// `where(x > 0, sqrt(where(x > 0, x, 1)), x)`.
[[nodiscard]] Variable where(const Tensor& condition, const Variable& on_true,
                             const Variable& on_false);
[[nodiscard]] Variable where(const Tensor& condition, const Variable& on_true, Scalar on_false);
[[nodiscard]] Variable where(const Tensor& condition, Scalar on_true, const Variable& on_false);
[[nodiscard]] Variable masked_fill(const Variable& x, const Tensor& mask, Scalar value);

inline Variable operator-(const Variable& x) {
  return negate(x);
}

}  // namespace tensorette
