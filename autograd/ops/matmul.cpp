#include <array>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops/matmul.hpp>
#include <tensorette/autograd/ops/shaping.hpp>
#include <tensorette/tensor/matmul.hpp>

namespace tensorette {
namespace {

// y = a b, both of rank 2 or more:  da = g b^T, db = a^T g.
// Batch axes that broadcasting added are summed by the engine.
Variable matrix_product(const Variable& a, const Variable& b) {
  return record(Op::matmul, {a, b}, matmul(a.value(), b.value()),
                Save::input(0, b.requires_grad()) | Save::input(1, a.requires_grad()),
                [a_shape = a.shape(), b_shape = b.shape()](const VjpContext& c) {
                  Grads d(2);
                  if (c.needs(0))
                    d[0] = matmul(c.grad(), transpose(c.input(1)));  // [.., m, n] [.., n, k]
                  if (c.needs(1)) {
                    if (b_shape.rank() == 2 && a_shape.rank() > 2) {
                      // A batch of rows against one matrix: one product over all rows sums the
                      // batch.
                      const Variable rows = reshape(c.input(0), {-1, a_shape[a_shape.rank() - 1]});
                      const Variable gradients = reshape(c.grad(), {rows.size(0), b_shape[1]});
                      d[1] = matmul(transpose(rows), gradients);
                    } else {
                      d[1] = matmul(transpose(c.input(0)), c.grad());  // [.., k, m] [.., m, n]
                    }
                  }
                  return d;
                });
}

}  // namespace

Variable matmul(const Variable& a, const Variable& b) {
  if (a.rank() >= 2 && b.rank() >= 2) return matrix_product(a, b);
  Tensor checked = matmul(a.value(), b.value());
  if (!detail::wants_recording(std::array{&a, &b})) return checked;
  // A vector is a row on the left and a column on the right; the axis it added goes again.
  const Variable left = a.rank() == 1 ? unsqueeze(a, 0) : a;
  const Variable right = b.rank() == 1 ? unsqueeze(b, 1) : b;
  return reshape(matrix_product(left, right), checked.shape());
}

}  // namespace tensorette
