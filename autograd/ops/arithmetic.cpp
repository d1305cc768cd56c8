#include <array>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops/arithmetic.hpp>
#include <tensorette/autograd/ops/elementwise.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/elementwise.hpp>

namespace tensorette {

// Gradients come back in the broadcast shape; the engine sums them to the shapes of a and b.

Variable add(const Variable& a, const Variable& b) {
  // y = a + b:  da = g, db = g
  return record(Op::add, {a, b}, add(a.value(), b.value()), Save::nothing(),
                [](const VjpContext& c) -> Grads {
                  return {c.grad(), c.grad()};
                });
}

Variable subtract(const Variable& a, const Variable& b) {
  // y = a - b:  da = g, db = -g
  return record(Op::subtract, {a, b}, subtract(a.value(), b.value()), Save::nothing(),
                [](const VjpContext& c) {
                  Grads d(2);
                  if (c.needs(0)) d[0] = c.grad();
                  if (c.needs(1)) d[1] = negate(c.grad());
                  return d;
                });
}

Variable multiply(const Variable& a, const Variable& b) {
  // y = a b:  da = g b, db = g a
  return record(Op::multiply, {a, b}, multiply(a.value(), b.value()),
                Save::input(0, b.requires_grad()) | Save::input(1, a.requires_grad()),
                [](const VjpContext& c) {
                  Grads d(2);
                  if (c.needs(0)) d[0] = c.grad() * c.input(1);
                  if (c.needs(1)) d[1] = c.grad() * c.input(0);
                  return d;
                });
}

Variable divide(const Variable& a, const Variable& b) {
  // y = a / b:  da = g / b, db = -(g / b) y
  return record(Op::divide, {a, b}, divide(a.value(), b.value()), Save::input(1) | Save::result(),
                [](const VjpContext& c) {
                  Grads d(2);
                  const Variable da = c.grad() / c.input(1);
                  if (c.needs(0)) d[0] = da;
                  if (c.needs(1)) d[1] = negate(da * c.output());
                  return d;
                });
}

Variable pow(const Variable& a, const Variable& b) {
  // y = a^b:  da = g b a^(b-1), 0 where b = 0;  db = g y log a, 0 where a = 0
  return record(Op::pow, {a, b}, pow(a.value(), b.value()),
                Save::input(0) | Save::input(1) | Save::result(), [](const VjpContext& c) {
                  const Variable base = c.input(0);
                  const Variable exponent = c.input(1);
                  Grads d(2);
                  if (c.needs(0)) {
                    // b = 0 gives 0 · a^-1, which is NaN at a = 0: pick the exponent 1 there, then
                    // drop it.
                    const Tensor is_zero = equal(exponent.value(), 0);
                    const Variable slope =
                        exponent * pow(base, where(is_zero, Scalar(1), exponent - 1));
                    d[0] = c.grad() * where(is_zero, Scalar(0), slope);
                  }
                  if (c.needs(1)) {
                    const Tensor is_zero = equal(base.value(), 0);
                    const Variable slope = c.output() * log(where(is_zero, Scalar(1), base));
                    d[1] = c.grad() * where(is_zero, Scalar(0), slope);
                  }
                  return d;
                });
}

namespace {

// 1 where a wins, 1/2 where both are equal, 0 elsewhere.
Tensor share_of_winner(const Tensor& a_wins, const Tensor& ties, DType dtype) {
  return a_wins.to(dtype) + ties.to(dtype) * 0.5;
}

Variable extremum(Op op, const Variable& a, const Variable& b, Tensor value, const Tensor& a_wins,
                  const Tensor& b_wins) {
  const Tensor ties = equal(a.value(), b.value());
  // y = max(a, b):  da = g where a > b, g/2 where a = b;  db likewise
  return record(
      op, {a, b}, std::move(value), Save::nothing(),
      [](const VjpContext& c) {
        Grads d(2);
        for (std::size_t i = 0; i < 2; ++i) {
          if (c.needs(i)) d[i] = c.grad() * Variable(c.extra(i));
        }
        return d;
      },
      {share_of_winner(a_wins, ties, a.dtype()), share_of_winner(b_wins, ties, a.dtype())});
}

}  // namespace

Variable maximum(const Variable& a, const Variable& b) {
  Tensor value = maximum(a.value(), b.value());
  if (!detail::wants_recording(std::array{&a, &b})) return value;
  return extremum(Op::maximum, a, b, std::move(value), a > b, b > a);
}

Variable minimum(const Variable& a, const Variable& b) {
  Tensor value = minimum(a.value(), b.value());
  if (!detail::wants_recording(std::array{&a, &b})) return value;
  return extremum(Op::minimum, a, b, std::move(value), a < b, b < a);
}

namespace {
Variable constant_like(const Variable& like, Scalar value) {
  return full({}, value, like.dtype());
}
}  // namespace

Variable maximum(const Variable& a, Scalar b) {
  return maximum(a, constant_like(a, b));
}
Variable minimum(const Variable& a, Scalar b) {
  return minimum(a, constant_like(a, b));
}

Variable add(const Variable& a, Scalar b) {
  // y = x + c:  dx = g
  return record(Op::add_scalar, {a}, add(a.value(), b), Save::nothing(),
                [](const VjpContext& c) -> Grads { return c.grad(); });
}

Variable subtract(const Variable& a, Scalar b) {
  return record(Op::add_scalar, {a}, subtract(a.value(), b), Save::nothing(),
                [](const VjpContext& c) -> Grads { return c.grad(); });
}

Variable subtract(Scalar a, const Variable& b) {
  return add(negate(b), a);
}

Variable multiply(const Variable& a, Scalar b) {
  // y = c x:  dx = c g
  return record(Op::multiply_scalar, {a}, multiply(a.value(), b), Save::nothing(),
                [b](const VjpContext& c) -> Grads { return c.grad() * b; });
}

Variable divide(const Variable& a, Scalar b) {
  return record(Op::multiply_scalar, {a}, divide(a.value(), b), Save::nothing(),
                [b](const VjpContext& c) -> Grads { return c.grad() / b; });
}

Variable divide(Scalar a, const Variable& b) {
  return reciprocal(b) * a;
}

Variable pow(Scalar a, const Variable& b) {
  return pow(constant_like(b, a), b);
}

Variable pow(const Variable& a, Scalar b) {
  // y = x^c:  dx = g c x^(c-1)
  return record(Op::pow_scalar, {a}, pow(a.value(), b), Save::input(0),
                [exponent = b.as<double>()](const VjpContext& c) -> Grads {
                  if (exponent == 0.0) return c.grad() * 0.0;
                  if (exponent == 1.0) return c.grad();
                  return c.grad() * (pow(c.input(0), exponent - 1.0) * exponent);
                });
}

}  // namespace tensorette
