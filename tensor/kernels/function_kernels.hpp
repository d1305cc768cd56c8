// The operations of one tensor, and selections, by dtype.
#pragma once

#include <tensorette/tensor/kernels/elementwise.hpp>

namespace tensorette::kernels {

extern const Operation negate_operation;
extern const Operation abs_operation;
extern const Operation sign_operation;
extern const Operation square_operation;
extern const Operation reciprocal_operation;
extern const Operation sqrt_operation;
extern const Operation rsqrt_operation;
extern const Operation relu_operation;
extern const Operation isnan_operation;
extern const Operation isfinite_operation;

/// The parameter is a Bounds<T>.
extern const Operation clamp_operation;
template <class T>
struct Bounds {
  T low;
  T high;
};

extern const Operation exp_operation;
extern const Operation expm1_operation;
extern const Operation log_operation;
extern const Operation log1p_operation;
extern const Operation sin_operation;
extern const Operation cos_operation;
extern const Operation tanh_operation;
extern const Operation sigmoid_operation;
extern const Operation erf_operation;
extern const Operation gelu_operation;
extern const Operation gelu_tanh_operation;
extern const Operation silu_operation;
extern const Operation softplus_operation;

/// pow with an exponent that needs no logarithm.
extern const Operation pow_2_operation;
extern const Operation pow_3_operation;
extern const Operation pow_minus_1_operation;

/// Three inputs: booleans, what to take where they hold, and what elsewhere. Any dtype.
[[nodiscard]] RunKernel select_kernel(DType dtype) noexcept;

}  // namespace tensorette::kernels
