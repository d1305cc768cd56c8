/// \file
/// Arithmetic and comparison of two tensors, element by element, with NumPy's broadcasting.
/// Both operands have the same dtype (DTypeError otherwise); a plain number takes the tensor's.
#pragma once

#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor subtract(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor multiply(const Tensor& a, const Tensor& b);
/// True division: floating dtypes only.
[[nodiscard]] Tensor divide(const Tensor& a, const Tensor& b);
/// a to the power b, as std::pow; floating dtypes only.
[[nodiscard]] Tensor pow(const Tensor& a, const Tensor& b);
/// The larger element; NaN where either is NaN.
[[nodiscard]] Tensor maximum(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor minimum(const Tensor& a, const Tensor& b);

[[nodiscard]] Tensor add(const Tensor& a, Scalar b);
[[nodiscard]] Tensor subtract(const Tensor& a, Scalar b);
[[nodiscard]] Tensor subtract(Scalar a, const Tensor& b);
[[nodiscard]] Tensor multiply(const Tensor& a, Scalar b);
[[nodiscard]] Tensor divide(const Tensor& a, Scalar b);
[[nodiscard]] Tensor divide(Scalar a, const Tensor& b);
[[nodiscard]] Tensor pow(const Tensor& a, Scalar b);
[[nodiscard]] Tensor pow(Scalar a, const Tensor& b);
[[nodiscard]] Tensor maximum(const Tensor& a, Scalar b);
[[nodiscard]] Tensor minimum(const Tensor& a, Scalar b);

/// Comparisons give booleans; NaN compares unequal to everything.
[[nodiscard]] Tensor equal(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor not_equal(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor less(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor less_equal(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor greater(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor greater_equal(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor equal(const Tensor& a, Scalar b);
[[nodiscard]] Tensor not_equal(const Tensor& a, Scalar b);
[[nodiscard]] Tensor less(const Tensor& a, Scalar b);
[[nodiscard]] Tensor less_equal(const Tensor& a, Scalar b);
[[nodiscard]] Tensor greater(const Tensor& a, Scalar b);
[[nodiscard]] Tensor greater_equal(const Tensor& a, Scalar b);

/// Booleans only.
[[nodiscard]] Tensor logical_and(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor logical_or(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor logical_xor(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor logical_not(const Tensor& a);

/// Same shape, same dtype, and |a - b| <= absolute + relative * |b| everywhere; equal infinities
/// count as close, NaN as close to NaN only if `nan_equal`.
[[nodiscard]] bool all_close(const Tensor& a, const Tensor& b, double relative = 1e-5,
                             double absolute = 1e-8, bool nan_equal = false);
/// Same shape, same dtype and the same bits in every element (so NaN equals itself).
[[nodiscard]] bool identical(const Tensor& a, const Tensor& b);

// --- writing into the first argument; the others broadcast to its shape and may overlap it ---

/// target += scale * source
void add_(Tensor& target, const Tensor& source, Scalar scale = 1);
void subtract_(Tensor& target, const Tensor& source);
void multiply_(Tensor& target, const Tensor& source);
void multiply_(Tensor& target, Scalar factor);
/// Copies elements; `source` broadcasts, its dtype must be the same. \throws ShapeError if the
/// rank of `source` is higher, whatever its sizes.
void copy_(Tensor& target, const Tensor& source);
void fill_(Tensor& target, Scalar value);

inline Tensor operator+(const Tensor& a, const Tensor& b) {
  return add(a, b);
}
inline Tensor operator-(const Tensor& a, const Tensor& b) {
  return subtract(a, b);
}
inline Tensor operator*(const Tensor& a, const Tensor& b) {
  return multiply(a, b);
}
inline Tensor operator/(const Tensor& a, const Tensor& b) {
  return divide(a, b);
}
inline Tensor operator+(const Tensor& a, Scalar b) {
  return add(a, b);
}
inline Tensor operator+(Scalar a, const Tensor& b) {
  return add(b, a);
}
inline Tensor operator-(const Tensor& a, Scalar b) {
  return subtract(a, b);
}
inline Tensor operator-(Scalar a, const Tensor& b) {
  return subtract(a, b);
}
inline Tensor operator*(const Tensor& a, Scalar b) {
  return multiply(a, b);
}
inline Tensor operator*(Scalar a, const Tensor& b) {
  return multiply(b, a);
}
inline Tensor operator/(const Tensor& a, Scalar b) {
  return divide(a, b);
}
inline Tensor operator/(Scalar a, const Tensor& b) {
  return divide(a, b);
}
inline Tensor operator<(const Tensor& a, const Tensor& b) {
  return less(a, b);
}
inline Tensor operator<=(const Tensor& a, const Tensor& b) {
  return less_equal(a, b);
}
inline Tensor operator>(const Tensor& a, const Tensor& b) {
  return greater(a, b);
}
inline Tensor operator>=(const Tensor& a, const Tensor& b) {
  return greater_equal(a, b);
}
inline Tensor operator<(const Tensor& a, Scalar b) {
  return less(a, b);
}
inline Tensor operator<=(const Tensor& a, Scalar b) {
  return less_equal(a, b);
}
inline Tensor operator>(const Tensor& a, Scalar b) {
  return greater(a, b);
}
inline Tensor operator>=(const Tensor& a, Scalar b) {
  return greater_equal(a, b);
}
inline Tensor operator!(const Tensor& a) {
  return logical_not(a);
}

}  // namespace tensorette
