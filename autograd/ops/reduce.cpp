#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops/arithmetic.hpp>
#include <tensorette/autograd/ops/elementwise.hpp>
#include <tensorette/autograd/ops/reduce.hpp>
#include <tensorette/autograd/ops/shaping.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <vector>

namespace tensorette {
namespace {

// The shape of a reduction with its axes kept at size 1: what lines up with x again.
Shape kept_shape(const char* operation, const Shape& shape, const Axes& axes) {
  return reduced_shape(operation, shape, axes, KeepDims::yes);
}

// How many elements become one.
Index reduced_count(const Shape& shape, const Shape& kept) {
  Index count = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (kept[axis] != shape[axis]) count *= shape[axis];
  }
  return count;
}

// What a gradient is divided by where the value was divided by `count`. The gradient of a mean of
// nothing has no elements, so any divisor does; 1 keeps derivatives with respect to g finite.
double divisor(const Shape& shape, const Shape& kept, Index correction = 0) {
  const Index count = reduced_count(shape, kept);
  return count == 0 ? 1.0 : static_cast<double>(count - correction);
}

}  // namespace

Variable sum(const Variable& x, const Axes& axes, KeepDims keepdims) {
  // y = sum x:  dx = g, expanded
  return record(Op::sum, {x}, sum(x.value(), axes, keepdims), Save::nothing(),
                [kept = kept_shape("sum", x.shape(), axes)](const VjpContext& c) -> Grads {
                  return expand(reshape(c.grad(), kept), c.input_shape(0));
                });
}

Variable mean(const Variable& x, const Axes& axes, KeepDims keepdims) {
  const Shape kept = kept_shape("mean", x.shape(), axes);
  // y = sum x / n:  dx = g / n, expanded
  return record(Op::mean, {x}, mean(x.value(), axes, keepdims), Save::nothing(),
                [kept, count = divisor(x.shape(), kept)](const VjpContext& c) -> Grads {
                  const Variable share = c.grad() / count;
                  return expand(reshape(share, kept), c.input_shape(0));
                });
}

Variable variance(const Variable& x, const Axes& axes, KeepDims keepdims, Index correction) {
  const Shape kept = kept_shape("variance", x.shape(), axes);
  const double degrees = divisor(x.shape(), kept, correction);
  // y = sum (x - mean)^2 / (n - c):  dx = 2 g (x - mean) / (n - c)
  return record(Op::variance, {x}, variance(x.value(), axes, keepdims, correction), Save::input(0),
                [kept, axes, degrees](const VjpContext& c) -> Grads {
                  const Variable input = c.input(0);
                  const Variable centred = input - mean(input, axes, KeepDims::yes);
                  return centred * (reshape(c.grad(), kept) * (2.0 / degrees));
                });
}

namespace {

Variable extremum(Op op, const Variable& x, Tensor value, const Axes& axes) {
  // y = max x:  dx = g / ties where x = y, else 0
  return record(op, {x}, std::move(value), Save::input(0) | Save::result(),
                [axes, kept = kept_shape("max", x.shape(), axes)](const VjpContext& c) -> Grads {
                  const Tensor input = c.input(0).value();
                  const Tensor best = reshape(c.output().value(), kept);
                  const Tensor hits = equal(input, best).to(input.dtype());
                  const Tensor share = hits / sum(hits, axes, KeepDims::yes);
                  return reshape(c.grad(), kept) * Variable(share);
                });
}

}  // namespace

Variable max(const Variable& x, const Axes& axes, KeepDims keepdims) {
  return extremum(Op::max, x, max(x.value(), axes, keepdims), axes);
}

Variable min(const Variable& x, const Axes& axes, KeepDims keepdims) {
  return extremum(Op::min, x, min(x.value(), axes, keepdims), axes);
}

Variable logsumexp(const Variable& x, const Axes& axes, KeepDims keepdims) {
  // y = log sum e^x:  dx = g e^(x - y), 0 where y = -inf
  return record(Op::logsumexp, {x}, logsumexp(x.value(), axes, keepdims),
                Save::input(0) | Save::result(),
                [kept = kept_shape("logsumexp", x.shape(), axes)](const VjpContext& c) -> Grads {
                  const Variable y = reshape(c.output(), kept);
                  const Tensor empty = logical_and(y.value() < 0, !isfinite(y.value()));
                  const Variable share = exp(c.input(0) - masked_fill(y, empty, 0));
                  return reshape(c.grad(), kept) * share;
                });
}

Variable norm(const Variable& x, const Axes& axes, KeepDims keepdims) {
  // y = sqrt(sum x^2):  dx = g x / y, 0 where y = 0
  return record(Op::norm, {x}, norm(x.value(), axes, keepdims), Save::input(0) | Save::result(),
                [kept = kept_shape("norm", x.shape(), axes)](const VjpContext& c) -> Grads {
                  const Variable y = reshape(c.output(), kept);
                  // Dividing 0 by 1 instead of by 0 makes the subgradient at the zero vector 0.
                  const Variable safe = masked_fill(y, equal(y.value(), 0), 1);
                  return c.input(0) * (reshape(c.grad(), kept) / safe);
                });
}

Variable cumsum(const Variable& x, int axis) {
  // y_i = sum_{j<=i} x_j:  dx_j = sum_{i>=j} g_i
  return record(Op::cumsum, {x}, cumsum(x.value(), axis), Save::nothing(),
                [axis](const VjpContext& c) -> Grads {
                  return flip(cumsum(flip(c.grad(), axis), axis), axis);
                });
}

Variable softmax(const Variable& x, int axis) {
  // y = e^x / sum e^x:  dx = y (g - sum g y)
  return record(Op::softmax, {x}, softmax(x.value(), axis), Save::result(),
                [axis](const VjpContext& c) -> Grads {
                  const Variable y = c.output();
                  const Variable gy = c.grad() * y;
                  return gy - y * sum(gy, axis, KeepDims::yes);
                });
}

Variable log_softmax(const Variable& x, int axis) {
  // y = x - log sum e^x:  dx = g - e^y sum g
  return record(Op::log_softmax, {x}, log_softmax(x.value(), axis), Save::result(),
                [axis](const VjpContext& c) -> Grads {
                  return c.grad() - exp(c.output()) * sum(c.grad(), axis, KeepDims::yes);
                });
}

namespace {

// The product of all other elements of a row [.., n], for each element: a running product from
// the left times one from the right. Exact zeros need no case of their own.
Variable product_of_others(const Variable& rows) {
  const Index count = rows.size(-1);
  std::vector<Variable> left(static_cast<std::size_t>(count));
  std::vector<Variable> others(static_cast<std::size_t>(count));
  Variable running = ones_like(narrow(rows.value(), -1, 0, 1));
  for (Index i = 0; i < count; ++i) {
    left[static_cast<std::size_t>(i)] = running;
    if (i + 1 < count) running = running * narrow(rows, -1, i, 1);
  }
  running = ones_like(narrow(rows.value(), -1, 0, 1));
  for (Index i = count - 1; i >= 0; --i) {
    others[static_cast<std::size_t>(i)] = left[static_cast<std::size_t>(i)] * running;
    if (i > 0) running = running * narrow(rows, -1, i, 1);
  }
  return concat(others, -1);
}

}  // namespace

Variable prod(const Variable& x, const Axes& axes, KeepDims keepdims) {
  // y = prod x:  dx_i = g prod_{j != i} x_j
  return record(Op::prod, {x}, prod(x.value(), axes, keepdims), Save::input(0),
                [axes, kept = kept_shape("prod", x.shape(), axes)](const VjpContext& c) -> Grads {
                  const Variable input = c.input(0);
                  if (input.element_count() == 0) return zeros_like(input.value());
                  // Reduced axes go last and merge into one; afterwards everything returns to its
                  // place.
                  const auto reduced = axes.resolve("prod", input.rank());
                  std::vector<int> order;
                  for (int pass = 0; pass < 2; ++pass) {
                    for (int axis = 0; axis < input.rank(); ++axis) {
                      if (reduced[static_cast<std::size_t>(axis)] == (pass == 1))
                        order.push_back(axis);
                    }
                  }
                  std::vector<int> inverse(order.size());
                  for (std::size_t i = 0; i < order.size(); ++i) {
                    inverse[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
                  }
                  const Variable moved = permute(input, order);
                  const Index count = reduced_count(input.shape(), kept);
                  const Variable rows = reshape(moved, {input.element_count() / count, count});
                  const Variable others = reshape(product_of_others(rows), moved.shape());
                  return permute(others, inverse) * reshape(c.grad(), kept);
                });
}

}  // namespace tensorette
