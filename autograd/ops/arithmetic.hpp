/// \file
/// Arithmetic on variables, element by element, with NumPy's broadcasting; see
/// tensor/arithmetic.hpp for dtypes and errors, op_table.cpp for the gradients.
#pragma once

#include <tensorette/autograd/variable.hpp>
#include <tensorette/tensor/arithmetic.hpp>

namespace tensorette {

[[nodiscard]] Variable add(const Variable& a, const Variable& b);
[[nodiscard]] Variable subtract(const Variable& a, const Variable& b);
[[nodiscard]] Variable multiply(const Variable& a, const Variable& b);
[[nodiscard]] Variable divide(const Variable& a, const Variable& b);
[[nodiscard]] Variable pow(const Variable& a, const Variable& b);
/// The gradient is shared equally among ties.
[[nodiscard]] Variable maximum(const Variable& a, const Variable& b);
[[nodiscard]] Variable minimum(const Variable& a, const Variable& b);

[[nodiscard]] Variable add(const Variable& a, Scalar b);
[[nodiscard]] Variable subtract(const Variable& a, Scalar b);
[[nodiscard]] Variable subtract(Scalar a, const Variable& b);
[[nodiscard]] Variable multiply(const Variable& a, Scalar b);
[[nodiscard]] Variable divide(const Variable& a, Scalar b);
[[nodiscard]] Variable divide(Scalar a, const Variable& b);
[[nodiscard]] Variable pow(const Variable& a, Scalar b);
[[nodiscard]] Variable pow(Scalar a, const Variable& b);
[[nodiscard]] Variable maximum(const Variable& a, Scalar b);
[[nodiscard]] Variable minimum(const Variable& a, Scalar b);

inline Variable operator+(const Variable& a, const Variable& b) {
  return add(a, b);
}
inline Variable operator-(const Variable& a, const Variable& b) {
  return subtract(a, b);
}
inline Variable operator*(const Variable& a, const Variable& b) {
  return multiply(a, b);
}
inline Variable operator/(const Variable& a, const Variable& b) {
  return divide(a, b);
}
inline Variable operator+(const Variable& a, Scalar b) {
  return add(a, b);
}
inline Variable operator+(Scalar a, const Variable& b) {
  return add(b, a);
}
inline Variable operator-(const Variable& a, Scalar b) {
  return subtract(a, b);
}
inline Variable operator-(Scalar a, const Variable& b) {
  return subtract(a, b);
}
inline Variable operator*(const Variable& a, Scalar b) {
  return multiply(a, b);
}
inline Variable operator*(Scalar a, const Variable& b) {
  return multiply(b, a);
}
inline Variable operator/(const Variable& a, Scalar b) {
  return divide(a, b);
}
inline Variable operator/(Scalar a, const Variable& b) {
  return divide(a, b);
}

/// Comparisons give boolean tensors: they have no gradient.
inline Tensor operator<(const Variable& a, const Variable& b) {
  return less(a.value(), b.value());
}
inline Tensor operator>(const Variable& a, const Variable& b) {
  return greater(a.value(), b.value());
}
inline Tensor operator<=(const Variable& a, const Variable& b) {
  return less_equal(a.value(), b.value());
}
inline Tensor operator>=(const Variable& a, const Variable& b) {
  return greater_equal(a.value(), b.value());
}
inline Tensor operator<(const Variable& a, Scalar b) {
  return less(a.value(), b);
}
inline Tensor operator>(const Variable& a, Scalar b) {
  return greater(a.value(), b);
}
inline Tensor operator<=(const Variable& a, Scalar b) {
  return less_equal(a.value(), b);
}
inline Tensor operator>=(const Variable& a, Scalar b) {
  return greater_equal(a.value(), b);
}

}  // namespace tensorette
