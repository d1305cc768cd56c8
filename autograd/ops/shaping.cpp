#include <algorithm>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops/basic.hpp>
#include <tensorette/autograd/ops/reduce.hpp>
#include <tensorette/autograd/ops/shaping.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette {
namespace {

// y = x under another shape:  dx = g under the shape of x
Variable reshaped(const Variable& x, Tensor value) {
  return record(Op::reshape, {x}, std::move(value), Save::nothing(),
                [](const VjpContext& c) -> Grads { return reshape(c.grad(), c.input_shape(0)); });
}

}  // namespace

Variable reshape(const Variable& x, const Shape& shape) {
  return reshaped(x, reshape(x.value(), shape));
}
Variable flatten(const Variable& x, int first, int last) {
  return reshaped(x, flatten(x.value(), first, last));
}
Variable squeeze(const Variable& x) {
  return reshaped(x, squeeze(x.value()));
}
Variable squeeze(const Variable& x, const Axes& axes) {
  return reshaped(x, squeeze(x.value(), axes));
}
Variable unsqueeze(const Variable& x, int axis) {
  return reshaped(x, unsqueeze(x.value(), axis));
}

Variable transpose(const Variable& x, int axis_a, int axis_b) {
  // y = x with two axes swapped:  dx = g with them swapped back
  return record(Op::permute, {x}, transpose(x.value(), axis_a, axis_b), Save::nothing(),
                [axis_a, axis_b](const VjpContext& c) -> Grads {
                  return transpose(c.grad(), axis_a, axis_b);
                });
}

Variable permute(const Variable& x, const std::vector<int>& order) {
  Tensor value = permute(x.value(), order);
  std::vector<int> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int from = normalize_axis("permute", order[i], x.rank());
    inverse[static_cast<std::size_t>(from)] = static_cast<int>(i);
  }
  // y = x with its axes in another order:  dx = g with its axes in the old order
  return record(Op::permute, {x}, std::move(value), Save::nothing(),
                [inverse](const VjpContext& c) -> Grads { return permute(c.grad(), inverse); });
}

Variable expand(const Variable& x, const Shape& shape) {
  // y = x repeated along new axes:  dx = sum of g over them
  return record(Op::expand, {x}, expand(x.value(), shape), Save::nothing(),
                [](const VjpContext& c) -> Grads { return sum_to(c.grad(), c.input_shape(0)); });
}

namespace {

// The transpose of slice: zeros of `shape` with x put at start, start + step, ... along the axis.
Variable embed_slice(const Variable& x, const Shape& shape, int axis, Index start, Index step) {
  Tensor value = zeros(shape, x.dtype());
  const Index count = x.size(axis);
  if (count > 0) {
    Tensor target = slice(value, axis, start, start + (count - 1) * step + 1, step);
    copy_(target, x.value());
  }
  // y = x put into zeros:  dx = g at the places of x
  return record(Op::slice, {x}, std::move(value), Save::nothing(),
                [axis, start, step, count](const VjpContext& c) -> Grads {
                  const Index stop = count > 0 ? start + (count - 1) * step + 1 : start;
                  return slice(c.grad(), axis, start, stop, step);
                });
}

}  // namespace

Variable slice(const Variable& x, int axis, Index start, std::optional<Index> stop, Index step) {
  Tensor value = slice(x.value(), axis, start, stop, step);
  const Index size = x.size(axis);
  const Index first = std::clamp<Index>(start < 0 ? start + size : start, 0, size);
  // y = x[start:stop:step]:  dx = g there, 0 elsewhere
  return record(Op::slice, {x}, std::move(value), Save::nothing(),
                [axis, first, step](const VjpContext& c) -> Grads {
                  return embed_slice(c.grad(), c.input_shape(0), axis, first, step);
                });
}

Variable narrow(const Variable& x, int axis, Index start, Index length) {
  Tensor value = narrow(x.value(), axis, start, length);
  return record(Op::slice, {x}, std::move(value), Save::nothing(),
                [axis, start](const VjpContext& c) -> Grads {
                  return embed_slice(c.grad(), c.input_shape(0), axis, start, 1);
                });
}

Variable select(const Variable& x, int axis, Index index) {
  const Tensor checked = select(x.value(), axis, index);
  const Index size = x.size(axis);
  return reshape(narrow(x, axis, index < 0 ? index + size : index, 1), checked.shape());
}

std::vector<Variable> split(const Variable& x, Index size, int axis) {
  std::vector<Variable> parts;
  Index start = 0;
  for (const Tensor& part : split(x.value(), size, axis)) {
    const Index length = part.size(axis);
    parts.push_back(narrow(x, axis, start, length));
    start += length;
  }
  return parts;
}

Variable concat(std::span<const Variable> parts, int axis) {
  std::vector<Tensor> values;
  values.reserve(parts.size());
  for (const Variable& part : parts) values.push_back(part.value());
  Tensor value = concat(std::span<const Tensor>(values), axis);
  std::vector<Index> sizes;
  sizes.reserve(parts.size());
  for (const Tensor& part : values) sizes.push_back(part.size(axis));
  // y = [a, b, ...]:  da, db, ... = the pieces of g
  return record(Op::concat, parts, std::move(value), Save::nothing(),
                [axis, sizes = std::move(sizes)](const VjpContext& c) {
                  Grads d(sizes.size());
                  Index start = 0;
                  for (std::size_t i = 0; i < sizes.size(); ++i) {
                    if (c.needs(i)) d[i] = narrow(c.grad(), axis, start, sizes[i]);
                    start += sizes[i];
                  }
                  return d;
                });
}

Variable concat(std::initializer_list<Variable> parts, int axis) {
  return concat(std::span<const Variable>(parts.begin(), parts.size()), axis);
}

Variable stack(std::span<const Variable> parts, int axis) {
  std::vector<Variable> widened;
  widened.reserve(parts.size());
  for (const Variable& part : parts) widened.push_back(unsqueeze(part, axis));
  return concat(std::span<const Variable>(widened), axis);
}

Variable stack(std::initializer_list<Variable> parts, int axis) {
  return stack(std::span<const Variable>(parts.begin(), parts.size()), axis);
}

Variable repeat(const Variable& x, const Shape& counts) {
  // y = x side by side:  dx = sum of g over the copies
  return record(Op::repeat, {x}, repeat(x.value(), counts), Save::nothing(),
                [counts](const VjpContext& c) -> Grads {
                  const Shape& shape = c.input_shape(0);
                  const int added = counts.rank() - shape.rank();
                  Variable gradient = c.grad();
                  // One axis at a time, read as [before, copies, size · after]: summing the
                  // copies needs no more axes than that, whatever the rank.
                  for (int axis = 0; axis < counts.rank(); ++axis) {
                    Shape left = gradient.shape();
                    left[axis] = axis < added ? 1 : shape[axis - added];
                    Index before = 1;
                    for (int i = 0; i < axis; ++i) before *= left[i];
                    Index after = 1;
                    for (int i = axis; i < left.rank(); ++i) after *= left[i];
                    const Variable copies = reshape(gradient, {before, counts[axis], after});
                    gradient = reshape(sum(copies, 1), left);
                  }
                  return reshape(gradient, shape);
                });
}

Variable flip(const Variable& x, const Axes& axes) {
  // y = x in reverse order:  dx = g in reverse order
  return record(Op::flip, {x}, flip(x.value(), axes), Save::nothing(),
                [axes](const VjpContext& c) -> Grads { return flip(c.grad(), axes); });
}

Variable tril(const Variable& x, Index diagonal) {
  // y = lower triangle of x:  dx = lower triangle of g
  return record(Op::tril, {x}, tril(x.value(), diagonal), Save::nothing(),
                [diagonal](const VjpContext& c) -> Grads { return tril(c.grad(), diagonal); });
}

Variable triu(const Variable& x, Index diagonal) {
  // y = upper triangle of x:  dx = upper triangle of g
  return record(Op::triu, {x}, triu(x.value(), diagonal), Save::nothing(),
                [diagonal](const VjpContext& c) -> Grads { return triu(c.grad(), diagonal); });
}

}  // namespace tensorette
