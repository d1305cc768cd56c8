#include <cmath>
#include <cstring>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/kernels/arithmetic_kernels.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/elementwise.hpp>
#include <tensorette/tensor/kernels/function_kernels.hpp>

namespace tensorette {

using detail::require;
using kernels::apply;
using kernels::apply_in_place;

Tensor add(const Tensor& a, const Tensor& b) {
  return apply(kernels::add_operation, a, b);
}
Tensor subtract(const Tensor& a, const Tensor& b) {
  return apply(kernels::subtract_operation, a, b);
}
Tensor multiply(const Tensor& a, const Tensor& b) {
  return apply(kernels::multiply_operation, a, b);
}
Tensor divide(const Tensor& a, const Tensor& b) {
  return apply(kernels::divide_operation, a, b);
}
Tensor pow(const Tensor& a, const Tensor& b) {
  return apply(kernels::pow_operation, a, b);
}
Tensor maximum(const Tensor& a, const Tensor& b) {
  return apply(kernels::maximum_operation, a, b);
}
Tensor minimum(const Tensor& a, const Tensor& b) {
  return apply(kernels::minimum_operation, a, b);
}

Tensor add(const Tensor& a, Scalar b) {
  return apply(kernels::add_operation, a, b);
}
Tensor subtract(const Tensor& a, Scalar b) {
  return apply(kernels::subtract_operation, a, b);
}
Tensor subtract(Scalar a, const Tensor& b) {
  return apply(kernels::subtract_operation, a, b);
}
Tensor multiply(const Tensor& a, Scalar b) {
  return apply(kernels::multiply_operation, a, b);
}
Tensor divide(const Tensor& a, Scalar b) {
  return apply(kernels::divide_operation, a, b);
}
Tensor divide(Scalar a, const Tensor& b) {
  return apply(kernels::divide_operation, a, b);
}
Tensor pow(const Tensor& a, Scalar b) {
  const double exponent = b.as<double>();
  if (exponent == 2) return apply(kernels::pow_2_operation, a);
  if (exponent == 3) return apply(kernels::pow_3_operation, a);
  if (exponent == -1) return apply(kernels::pow_minus_1_operation, a);
  return apply(kernels::pow_operation, a, b);
}
Tensor pow(Scalar a, const Tensor& b) {
  return apply(kernels::pow_operation, a, b);
}
Tensor maximum(const Tensor& a, Scalar b) {
  return apply(kernels::maximum_operation, a, b);
}
Tensor minimum(const Tensor& a, Scalar b) {
  return apply(kernels::minimum_operation, a, b);
}

bool all_close(const Tensor& a, const Tensor& b, double relative, double absolute, bool nan_equal) {
  kernels::require_defined("all_close", a);
  kernels::require_defined("all_close", b);
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const Tensor dense_a = a.contiguous();
  const Tensor dense_b = b.contiguous();
  return kernels::dispatch_any(a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const first = dense_a.data<T>();
    const T* const second = dense_b.data<T>();
    const auto close = [&](T p, T q) {
      if (p == q) return true;  // also equal infinities
      const double x = static_cast<double>(p);
      const double y = static_cast<double>(q);
      if (std::isnan(x) || std::isnan(y)) return nan_equal && std::isnan(x) && std::isnan(y);
      if (std::isinf(x) || std::isinf(y)) return false;
      return std::abs(x - y) <= absolute + relative * std::abs(y);
    };
    return std::equal(first, first + a.element_count(), second, close);
  });
}

bool identical(const Tensor& a, const Tensor& b) {
  kernels::require_defined("identical", a);
  kernels::require_defined("identical", b);
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const Tensor dense_a = a.contiguous();
  const Tensor dense_b = b.contiguous();
  return kernels::dispatch_any(a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto bytes = static_cast<std::size_t>(a.element_count()) * sizeof(T);
    return bytes == 0 || std::memcmp(dense_a.data<T>(), dense_b.data<T>(), bytes) == 0;
  });
}

void add_(Tensor& target, const Tensor& source, Scalar scale) {
  const auto& operation = kernels::add_scaled_operation;
  static_cast<void>(kernels::checked_kernel(operation, target));
  const kernels::Splat parameter(operation.name, scale, target.dtype());
  apply_in_place(operation, target, source, parameter.data());
}

void subtract_(Tensor& target, const Tensor& source) {
  apply_in_place(kernels::subtract_in_place_operation, target, source);
}

void multiply_(Tensor& target, const Tensor& source) {
  apply_in_place(kernels::multiply_in_place_operation, target, source);
}

void multiply_(Tensor& target, Scalar factor) {
  apply_in_place(kernels::multiply_in_place_operation, target, factor);
}

void copy_(Tensor& target, const Tensor& source) {
  apply_in_place(kernels::copy_operation, target, source);
}

void fill_(Tensor& target, Scalar value) {
  apply_in_place(kernels::fill_operation, target, value);
}

}  // namespace tensorette
