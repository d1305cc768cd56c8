// Reductions in two passes: the second measures each element against a number found by the first.
#include <cmath>
#include <limits>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/reduce.hpp>

#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/reduce.hpp>

namespace tensorette {

using kernels::check_reduction;
using kernels::CheckedReduction;
using kernels::dispatch_floating;

Tensor variance(const Tensor& x, const Axes& axes, KeepDims keepdims, Index correction) {
  const CheckedReduction reduction = check_reduction("variance", x, axes, keepdims);
  return dispatch_floating("variance", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Tensor means = mean(x, axes, keepdims);
    kernels::SquaredDistance<T> operation;
    operation.divisor =
        std::max(0.0, static_cast<double>(reduction.plan.reduced_count - correction));
    return kernels::reduce(x, reduction, operation, &means);
  });
}

namespace {

// Shifts the exponents so that the largest is 0; where it is infinite no shift helps.
template <class T>
Tensor exponent_shifts(const Tensor& x, const Axes& axes, KeepDims keepdims,
                       const CheckedReduction& reduction) {
  if (reduction.plan.reduced_count == 0) return zeros(reduction.result, x.dtype());
  Tensor shifts = max(x, axes, keepdims);
  T* shift = shifts.mutable_data<T>();
  for (Index i = 0; i < shifts.element_count(); ++i)
    if (std::isinf(shift[i])) shift[i] = 0;
  return shifts;
}

// True where squares of T may have lost precision: beyond its range, or near its small end.
template <class T>
bool has_extreme_norm(const Tensor& norms) {
  const double smallest = std::sqrt(static_cast<double>(std::numeric_limits<T>::min())) /
                          static_cast<double>(std::numeric_limits<T>::epsilon());
  const T* norm = norms.data<T>();
  for (Index i = 0; i < norms.element_count(); ++i)
    if (std::isinf(norm[i]) || static_cast<double>(norm[i]) < smallest) return true;
  return false;
}

}  // namespace

Tensor logsumexp(const Tensor& x, const Axes& axes, KeepDims keepdims) {
  const CheckedReduction reduction = check_reduction("logsumexp", x, axes, keepdims);
  return dispatch_floating("logsumexp", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Tensor shifts = exponent_shifts<T>(x, axes, keepdims, reduction);
    return kernels::reduce(x, reduction, kernels::LogSumExp<T>{}, &shifts);
  });
}

Tensor norm(const Tensor& x, const Axes& axes, KeepDims keepdims) {
  const CheckedReduction reduction = check_reduction("norm", x, axes, keepdims);
  return dispatch_floating("norm", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Tensor norms = kernels::reduce(x, reduction, kernels::EuclideanNorm<T>{});
    if (!has_extreme_norm<T>(norms)) return norms;
    const Tensor scales = kernels::reduce(x, reduction, kernels::LargestMagnitude<T>{});
    return kernels::reduce(x, reduction, kernels::ScaledNorm<T>{}, &scales);
  });
}

}  // namespace tensorette
