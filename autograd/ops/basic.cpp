#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops/basic.hpp>
#include <tensorette/autograd/ops/reduce.hpp>
#include <tensorette/autograd/ops/shaping.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <vector>

namespace tensorette {

Variable alias(const Variable& x) {
  // y = x:  dx = g
  return record(Op::alias, {x}, x.value(), Save::nothing(),
                [](const VjpContext& c) -> Grads { return c.grad(); });
}

Variable to(const Variable& x, DType dtype) {
  detail::require<DTypeError>(is_floating(dtype) || !x.requires_grad(),
                              "to: a variable that requires a gradient can't become {}", dtype);
  if (x.dtype() == dtype) return x;
  // y = x in another dtype:  dx = g in the dtype of x
  return record(Op::to_dtype, {x}, x.value().to(dtype), Save::nothing(),
                [from = x.dtype()](const VjpContext& c) -> Grads { return to(c.grad(), from); });
}

Variable sum_to(const Variable& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  detail::require(is_broadcastable_to(shape, x.shape()), "sum_to: {} is not what {} broadcasts to",
                  x.shape(), shape);
  std::vector<int> axes;
  const int added = x.rank() - shape.rank();
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool was_expanded = axis >= added && shape[axis - added] == 1 && x.shape()[axis] != 1;
    if (axis < added || was_expanded) axes.push_back(axis);
  }
  return reshape(sum(x, axes), shape);
}

}  // namespace tensorette
