#include <tensorette/autograd/fused/embedding.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/index.hpp>

namespace tensorette {

Variable embedding(const Variable& table, const Tensor& ids, double scale,
                   std::optional<Index> padding) {
  Tensor rows = take_rows(table.value(), ids);
  if (scale != 1.0) multiply_(rows, scale);
  // y = s W[ids]:  dW = s times the sum of the rows of g at their id, 0 at the padding id
  return record(Op::embedding, {table}, std::move(rows), Save::nothing(),
                [scale, padding](const VjpContext& c) -> Grads {
                  Variable gradient = sum_rows(c.grad(), c.extra(0), c.input_shape(0)[0]);
                  if (scale != 1.0) gradient = gradient * scale;
                  if (!padding) return gradient;
                  const Tensor is_padding =
                      equal(unsqueeze(arange(c.input_shape(0)[0]), 1), *padding);
                  return masked_fill(gradient, is_padding, 0);
                },
                {ids});
}

}  // namespace tensorette
