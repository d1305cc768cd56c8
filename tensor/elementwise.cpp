#include <tensorette/tensor/elementwise.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/function_kernels.hpp>

namespace tensorette {

using detail::require;
using kernels::apply;

Tensor negate(const Tensor& x) {
  return apply(kernels::negate_operation, x);
}
Tensor abs(const Tensor& x) {
  return apply(kernels::abs_operation, x);
}
Tensor sign(const Tensor& x) {
  return apply(kernels::sign_operation, x);
}
Tensor square(const Tensor& x) {
  return apply(kernels::square_operation, x);
}
Tensor reciprocal(const Tensor& x) {
  return apply(kernels::reciprocal_operation, x);
}
Tensor exp(const Tensor& x) {
  return apply(kernels::exp_operation, x);
}
Tensor expm1(const Tensor& x) {
  return apply(kernels::expm1_operation, x);
}
Tensor log(const Tensor& x) {
  return apply(kernels::log_operation, x);
}
Tensor log1p(const Tensor& x) {
  return apply(kernels::log1p_operation, x);
}
Tensor sqrt(const Tensor& x) {
  return apply(kernels::sqrt_operation, x);
}
Tensor rsqrt(const Tensor& x) {
  return apply(kernels::rsqrt_operation, x);
}
Tensor sin(const Tensor& x) {
  return apply(kernels::sin_operation, x);
}
Tensor cos(const Tensor& x) {
  return apply(kernels::cos_operation, x);
}
Tensor tanh(const Tensor& x) {
  return apply(kernels::tanh_operation, x);
}
Tensor sigmoid(const Tensor& x) {
  return apply(kernels::sigmoid_operation, x);
}
Tensor erf(const Tensor& x) {
  return apply(kernels::erf_operation, x);
}
Tensor relu(const Tensor& x) {
  return apply(kernels::relu_operation, x);
}
Tensor gelu(const Tensor& x) {
  return apply(kernels::gelu_operation, x);
}
Tensor gelu_tanh(const Tensor& x) {
  return apply(kernels::gelu_tanh_operation, x);
}
Tensor silu(const Tensor& x) {
  return apply(kernels::silu_operation, x);
}
Tensor softplus(const Tensor& x) {
  return apply(kernels::softplus_operation, x);
}
Tensor isnan(const Tensor& x) {
  return apply(kernels::isnan_operation, x);
}
Tensor isfinite(const Tensor& x) {
  return apply(kernels::isfinite_operation, x);
}

Tensor clamp(const Tensor& x, Scalar low, Scalar high) {
  static_cast<void>(kernels::checked_kernel(kernels::clamp_operation, x));
  return kernels::dispatch_numeric("clamp", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const Scalar bound : {low, high}) kernels::require_element("clamp", bound, x.dtype());
    const kernels::Bounds<T> bounds{low.as<T>(), high.as<T>()};
    require<Error>(bounds.low <= bounds.high, "clamp: the lower bound {} is above the upper, {}",
                   bounds.low, bounds.high);
    return apply(kernels::clamp_operation, x, &bounds);
  });
}

namespace {

void require_condition(const char* operation, const Tensor& condition) {
  kernels::require_defined(operation, condition);
  require<DTypeError>(condition.dtype() == DType::boolean,
                      "{}: the condition must be boolean, got {}", operation, condition.dtype());
}

// Selects between operands that broadcast to `shape`, which has been checked.
Tensor select_elements(const Shape& shape, DType dtype, const Tensor& condition,
                       const kernels::Operand& on_true, const kernels::Operand& on_false) {
  Tensor result(shape, dtype);
  const kernels::Operand inputs[] = {kernels::operand_of(condition), on_true, on_false};
  kernels::run_elementwise(kernels::select_kernel(dtype), nullptr, kernels::elements_per_thread,
                           inputs, result);
  return result;
}

}  // namespace

Tensor where(const Tensor& condition, const Tensor& on_true, const Tensor& on_false) {
  require_condition("where", condition);
  kernels::require_defined("where", on_true);
  kernels::require_defined("where", on_false);
  kernels::require_same_dtype("where", on_true, on_false);
  const Shape values = broadcast_shapes("where", on_true.shape(), on_false.shape());
  const Shape shape = broadcast_shapes("where", condition.shape(), values);
  return select_elements(shape, on_true.dtype(), condition, kernels::operand_of(on_true),
                         kernels::operand_of(on_false));
}

Tensor where(const Tensor& condition, const Tensor& on_true, Scalar on_false) {
  require_condition("where", condition);
  kernels::require_defined("where", on_true);
  const kernels::Splat number("where", on_false, on_true.dtype());
  const Shape shape = broadcast_shapes("where", condition.shape(), on_true.shape());
  return select_elements(shape, on_true.dtype(), condition, kernels::operand_of(on_true),
                         kernels::operand_of(number, on_true.dtype()));
}

Tensor where(const Tensor& condition, Scalar on_true, const Tensor& on_false) {
  require_condition("where", condition);
  kernels::require_defined("where", on_false);
  const kernels::Splat number("where", on_true, on_false.dtype());
  const Shape shape = broadcast_shapes("where", condition.shape(), on_false.shape());
  return select_elements(shape, on_false.dtype(), condition,
                         kernels::operand_of(number, on_false.dtype()),
                         kernels::operand_of(on_false));
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value) {
  kernels::require_defined("masked_fill", x);
  require_condition("masked_fill", mask);
  require(is_broadcastable_to(mask.shape(), x.shape()),
          "masked_fill: the mask {} does not broadcast to {}", mask.shape(), x.shape());
  const kernels::Splat number("masked_fill", value, x.dtype());
  return select_elements(x.shape(), x.dtype(), mask, kernels::operand_of(number, x.dtype()),
                         kernels::operand_of(x));
}

}  // namespace tensorette
