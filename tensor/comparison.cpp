#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/kernels/arithmetic_kernels.hpp>

namespace tensorette {

using kernels::apply;

Tensor equal(const Tensor& a, const Tensor& b) {
  return apply(kernels::equal_operation, a, b);
}
Tensor not_equal(const Tensor& a, const Tensor& b) {
  return apply(kernels::not_equal_operation, a, b);
}
Tensor less(const Tensor& a, const Tensor& b) {
  return apply(kernels::less_operation, a, b);
}
Tensor less_equal(const Tensor& a, const Tensor& b) {
  return apply(kernels::less_equal_operation, a, b);
}
Tensor greater(const Tensor& a, const Tensor& b) {
  return apply(kernels::greater_operation, a, b);
}
Tensor greater_equal(const Tensor& a, const Tensor& b) {
  return apply(kernels::greater_equal_operation, a, b);
}

Tensor equal(const Tensor& a, Scalar b) {
  return apply(kernels::equal_operation, a, b);
}
Tensor not_equal(const Tensor& a, Scalar b) {
  return apply(kernels::not_equal_operation, a, b);
}
Tensor less(const Tensor& a, Scalar b) {
  return apply(kernels::less_operation, a, b);
}
Tensor less_equal(const Tensor& a, Scalar b) {
  return apply(kernels::less_equal_operation, a, b);
}
Tensor greater(const Tensor& a, Scalar b) {
  return apply(kernels::greater_operation, a, b);
}
Tensor greater_equal(const Tensor& a, Scalar b) {
  return apply(kernels::greater_equal_operation, a, b);
}

Tensor logical_and(const Tensor& a, const Tensor& b) {
  return apply(kernels::logical_and_operation, a, b);
}
Tensor logical_or(const Tensor& a, const Tensor& b) {
  return apply(kernels::logical_or_operation, a, b);
}
Tensor logical_xor(const Tensor& a, const Tensor& b) {
  return apply(kernels::logical_xor_operation, a, b);
}
Tensor logical_not(const Tensor& a) {
  return apply(kernels::logical_not_operation, a);
}

}  // namespace tensorette
