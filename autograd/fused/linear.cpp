#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette {
namespace {

void check(const Variable& x, const Variable& weight, const Variable& bias) {
  detail::require<Error>(x.is_defined() && weight.is_defined(), "linear: got an undefined tensor");
  detail::require(weight.rank() == 2, "linear: the weight is [out, in], got {}", weight.shape());
  detail::require(x.rank() >= 1 && x.size(-1) == weight.size(1),
                  "linear: x is {}, its last axis must be {} wide: the weight is {}", x.shape(),
                  weight.size(1), weight.shape());
  detail::require(!bias.is_defined() || bias.shape() == Shape{weight.size(0)},
                  "linear: the bias is {}, the weight {}", bias.shape(), weight.shape());
  detail::require<DTypeError>(
      x.dtype() == weight.dtype() && (!bias.is_defined() || bias.dtype() == x.dtype()),
      "linear: dtypes differ: x is {}, the weight {}", x.dtype(), weight.dtype());
}

Tensor forward(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  Shape shape = x.shape();
  shape[shape.rank() - 1] = weight.size(0);
  Tensor y(shape, x.dtype());
  if (y.element_count() == 0) return y;
  Tensor rows = reshape(y, {-1, weight.size(0)});
  if (bias.is_defined()) copy_(rows, bias);
  matmul_into(rows, reshape(x, {rows.size(0), x.size(-1)}), transpose(weight), bias.is_defined());
  return y;
}

}  // namespace

Variable linear(const Variable& x, const Variable& weight, const Variable& bias) {
  check(x, weight, bias);
  // y = x W^T + b:  dx = g W, dW = g^T x, db = sum of the rows of g
  return record(Op::linear, {x, weight, bias}, forward(x.value(), weight.value(), bias.value()),
                Save::input(0, weight.requires_grad()) | Save::input(1, x.requires_grad()),
                [](const VjpContext& c) {
                  Grads d(3);
                  const Index out = c.output_shape()[c.output_shape().rank() - 1];
                  if (c.needs(0)) d[0] = matmul(c.grad(), c.input(1));
                  if (!c.needs(1) && !c.needs(2)) return d;
                  const Index count = out == 0 ? 0 : c.grad().element_count() / out;
                  const Variable rows = reshape(c.grad(), {count, out});
                  if (c.needs(1)) {
                    const Variable x_rows = reshape(c.input(0), {count, c.input_shape(1)[1]});
                    d[1] = matmul(transpose(rows), x_rows);
                  }
                  if (c.needs(2)) d[2] = sum(rows, 0);
                  return d;
                });
}

}  // namespace tensorette
