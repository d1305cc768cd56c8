#include <tensorette/tensor/reduce.hpp>

#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/reduce.hpp>

namespace tensorette {

using kernels::check_reduction;
using kernels::dispatch_floating;
using kernels::dispatch_numeric;

Tensor sum(const Tensor& x, const Axes& axes, KeepDims keepdims) {
  const auto reduction = check_reduction("sum", x, axes, keepdims);
  if (x.dtype() == DType::boolean) return kernels::reduce(x, reduction, kernels::Count{});
  return dispatch_numeric("sum", x.dtype(), [&](auto tag) {
    return kernels::reduce(x, reduction, kernels::Sum<typename decltype(tag)::type>{});
  });
}

Tensor prod(const Tensor& x, const Axes& axes, KeepDims keepdims) {
  const auto reduction = check_reduction("prod", x, axes, keepdims);
  return dispatch_numeric("prod", x.dtype(), [&](auto tag) {
    return kernels::reduce(x, reduction, kernels::Product<typename decltype(tag)::type>{});
  });
}

Tensor mean(const Tensor& x, const Axes& axes, KeepDims keepdims) {
  const auto reduction = check_reduction("mean", x, axes, keepdims);
  return dispatch_floating("mean", x.dtype(), [&](auto tag) {
    kernels::Mean<typename decltype(tag)::type> operation;
    operation.count = static_cast<double>(reduction.plan.reduced_count);
    return kernels::reduce(x, reduction, operation);
  });
}

Tensor max(const Tensor& x, const Axes& axes, KeepDims keepdims) {
  const auto reduction = check_reduction("max", x, axes, keepdims);
  return dispatch_numeric("max", x.dtype(), [&](auto tag) {
    kernels::require_elements("max", x, reduction.plan);
    return kernels::reduce(x, reduction, kernels::Largest<typename decltype(tag)::type>{});
  });
}

Tensor min(const Tensor& x, const Axes& axes, KeepDims keepdims) {
  const auto reduction = check_reduction("min", x, axes, keepdims);
  return dispatch_numeric("min", x.dtype(), [&](auto tag) {
    kernels::require_elements("min", x, reduction.plan);
    return kernels::reduce(x, reduction, kernels::Smallest<typename decltype(tag)::type>{});
  });
}

namespace {

void require_boolean(const char* operation, const Tensor& x) {
  detail::require<DTypeError>(x.dtype() == DType::boolean, "{}: takes boolean, got {}", operation,
                              x.dtype());
}

}  // namespace

Tensor any(const Tensor& x, const Axes& axes, KeepDims keepdims) {
  const auto reduction = check_reduction("any", x, axes, keepdims);
  require_boolean("any", x);
  return kernels::reduce(x, reduction, kernels::Any{});
}

Tensor all(const Tensor& x, const Axes& axes, KeepDims keepdims) {
  const auto reduction = check_reduction("all", x, axes, keepdims);
  require_boolean("all", x);
  return kernels::reduce(x, reduction, kernels::All{});
}

}  // namespace tensorette
