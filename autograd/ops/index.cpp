#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops/index.hpp>
#include <tensorette/autograd/ops/shaping.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/index.hpp>

namespace tensorette {

Variable index_select(const Variable& x, int axis, const Tensor& indices) {
  // y = slices of x at the indices:  dx = sum of the slices of g at their index
  return record(
      Op::index_select, {x}, index_select(x.value(), axis, indices), Save::nothing(),
      [axis](const VjpContext& c) -> Grads {
        // With the chosen axis in front, slices are rows.
        const Shape& shape = c.input_shape(0);
        const Variable front = transpose(c.grad(), 0, axis);
        const Index rows = shape[normalize_axis("index_select", axis, shape.rank())];
        const Index width = front.size(0) == 0 ? 0 : front.element_count() / front.size(0);
        const Variable summed = sum_rows(reshape(front, {front.size(0), width}), c.extra(0), rows);
        Shape moved = front.shape();
        moved[0] = rows;
        if (summed.element_count() != moved.element_count())
          return Variable(zeros(shape, c.grad().dtype()));
        return transpose(reshape(summed, moved), 0, axis);
      },
      {indices});
}

Variable take_rows(const Variable& table, const Tensor& ids) {
  // y = rows of x at the ids:  dx = sum of the rows of g at their id
  return record(Op::take_rows, {table}, take_rows(table.value(), ids), Save::nothing(),
                [](const VjpContext& c) -> Grads {
                  return sum_rows(c.grad(), c.extra(0), c.input_shape(0)[0]);
                },
                {ids});
}

Variable sum_rows(const Variable& updates, const Tensor& ids, Index rows) {
  // y = sum of the rows of x at their id:  dx = rows of g at the ids
  return record(Op::sum_rows, {updates}, sum_rows(updates.value(), ids, rows), Save::nothing(),
                [](const VjpContext& c) -> Grads { return take_rows(c.grad(), c.extra(0)); },
                {ids});
}

Variable gather(const Variable& x, int axis, const Tensor& indices) {
  // y = elements of x at the indices:  dx = sum of the elements of g at their index
  return record(Op::gather, {x}, gather(x.value(), axis, indices), Save::nothing(),
                [axis](const VjpContext& c) -> Grads {
                  const Variable nothing = zeros(c.input_shape(0), c.grad().dtype());
                  return scatter_add(nothing, axis, c.extra(0), c.grad());
                },
                {indices});
}

Variable scatter_add(const Variable& x, int axis, const Tensor& indices, const Variable& source) {
  // y = x + sum of the elements of s at their index:  dx = g; ds = elements of g at the indices
  return record(Op::scatter_add, {x, source}, scatter_add(x.value(), axis, indices, source.value()),
                Save::nothing(),
                [axis](const VjpContext& c) {
                  Grads d(2);
                  if (c.needs(0)) d[0] = c.grad();
                  if (c.needs(1)) d[1] = gather(c.grad(), axis, c.extra(0));
                  return d;
                },
                {indices});
}

VariableAndIndices topk(const Variable& x, Index k, int axis) {
  const Tensor indices = topk(x.value(), k, axis).indices;
  return {gather(x, axis, indices), indices};
}

VariableAndIndices sort(const Variable& x, int axis, Order order) {
  const Tensor indices = sort(x.value(), axis, order).indices;
  return {gather(x, axis, indices), indices};
}

}  // namespace tensorette
