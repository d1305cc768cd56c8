/// \file
/// Functions of one tensor, element by element. Floating dtypes only unless said otherwise.
#pragma once

#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

/// −x; also i64.
[[nodiscard]] Tensor negate(const Tensor& x);
/// |x|; also i64.
[[nodiscard]] Tensor abs(const Tensor& x);
/// −1, 0 or 1 (NaN for NaN); also i64.
[[nodiscard]] Tensor sign(const Tensor& x);
/// x²; also i64.
[[nodiscard]] Tensor square(const Tensor& x);
/// 1/x
[[nodiscard]] Tensor reciprocal(const Tensor& x);
[[nodiscard]] Tensor exp(const Tensor& x);
/// eˣ − 1, exact near 0.
[[nodiscard]] Tensor expm1(const Tensor& x);
[[nodiscard]] Tensor log(const Tensor& x);
/// log(1 + x), exact near 0.
[[nodiscard]] Tensor log1p(const Tensor& x);
[[nodiscard]] Tensor sqrt(const Tensor& x);
/// 1/√x
[[nodiscard]] Tensor rsqrt(const Tensor& x);
[[nodiscard]] Tensor sin(const Tensor& x);
[[nodiscard]] Tensor cos(const Tensor& x);
[[nodiscard]] Tensor tanh(const Tensor& x);
/// 1/(1 + e⁻ˣ), without overflow on either side.
[[nodiscard]] Tensor sigmoid(const Tensor& x);
[[nodiscard]] Tensor erf(const Tensor& x);
/// max(x, 0); NaN stays NaN.
[[nodiscard]] Tensor relu(const Tensor& x);
/// x·Φ(x), Φ by erf (Hendrycks and Gimpel 2016).
[[nodiscard]] Tensor gelu(const Tensor& x);
/// x/2·(1 + tanh(√(2/π)(x + 0.044715 x³))): the approximation in the same paper.
[[nodiscard]] Tensor gelu_tanh(const Tensor& x);
/// x·sigmoid(x)
[[nodiscard]] Tensor silu(const Tensor& x);
/// log(1 + eˣ), without overflow.
[[nodiscard]] Tensor softplus(const Tensor& x);

/// x limited to [low, high]; NaN stays NaN. \throws Error if low > high.
[[nodiscard]] Tensor clamp(const Tensor& x, Scalar low, Scalar high);

/// `on_true` where the condition holds, else `on_false`; all three broadcast.
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& on_true, const Tensor& on_false);
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& on_true, Scalar on_false);
[[nodiscard]] Tensor where(const Tensor& condition, Scalar on_true, const Tensor& on_false);
/// `value` where the mask is true, else x; the mask broadcasts to x.
[[nodiscard]] Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value);

/// Booleans.
[[nodiscard]] Tensor isnan(const Tensor& x);
[[nodiscard]] Tensor isfinite(const Tensor& x);

inline Tensor operator-(const Tensor& x) {
  return negate(x);
}

}  // namespace tensorette
