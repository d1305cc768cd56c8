#include <cmath>
#include <numbers>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops/arithmetic.hpp>
#include <tensorette/autograd/ops/elementwise.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/elementwise.hpp>

namespace tensorette {

Variable negate(const Variable& x) {
  // y = -x:  dx = -g
  return record(Op::negate, {x}, negate(x.value()), Save::nothing(),
                [](const VjpContext& c) -> Grads { return negate(c.grad()); });
}

Variable abs(const Variable& x) {
  // y = |x|:  dx = g sign(x)
  return record(Op::abs, {x}, abs(x.value()), Save::input(0),
                [](const VjpContext& c) -> Grads { return c.grad() * sign(c.input(0)); });
}

Variable sign(const Variable& x) {
  // y = sign(x):  dx = 0
  return record(Op::sign, {x}, sign(x.value()), Save::nothing(),
                [](const VjpContext& c) -> Grads { return zeros_like(c.grad().value()); });
}

Variable square(const Variable& x) {
  // y = x^2:  dx = 2 g x
  return record(Op::square, {x}, square(x.value()), Save::input(0),
                [](const VjpContext& c) -> Grads { return c.grad() * c.input(0) * 2; });
}

Variable reciprocal(const Variable& x) {
  // y = 1/x:  dx = -g y^2
  return record(Op::reciprocal, {x}, reciprocal(x.value()), Save::result(),
                [](const VjpContext& c) -> Grads { return negate(c.grad() * square(c.output())); });
}

Variable exp(const Variable& x) {
  // y = e^x:  dx = g y
  return record(Op::exp, {x}, exp(x.value()), Save::result(),
                [](const VjpContext& c) -> Grads { return c.grad() * c.output(); });
}

Variable expm1(const Variable& x) {
  // y = e^x - 1:  dx = g (y + 1)
  return record(Op::expm1, {x}, expm1(x.value()), Save::result(),
                [](const VjpContext& c) -> Grads { return c.grad() * (c.output() + 1); });
}

Variable log(const Variable& x) {
  // y = log x:  dx = g / x
  return record(Op::log, {x}, log(x.value()), Save::input(0),
                [](const VjpContext& c) -> Grads { return c.grad() / c.input(0); });
}

Variable log1p(const Variable& x) {
  // y = log(1 + x):  dx = g / (1 + x)
  return record(Op::log1p, {x}, log1p(x.value()), Save::input(0),
                [](const VjpContext& c) -> Grads { return c.grad() / (c.input(0) + 1); });
}

Variable sqrt(const Variable& x) {
  // y = sqrt(x):  dx = g / (2 y)
  return record(Op::sqrt, {x}, sqrt(x.value()), Save::result(),
                [](const VjpContext& c) -> Grads { return c.grad() / (c.output() * 2); });
}

Variable rsqrt(const Variable& x) {
  // y = x^(-1/2):  dx = -g y^3 / 2
  return record(Op::rsqrt, {x}, rsqrt(x.value()), Save::result(), [](const VjpContext& c) -> Grads {
    const Variable y = c.output();
    return c.grad() * (square(y) * y * -0.5);
  });
}

Variable sin(const Variable& x) {
  // y = sin x:  dx = g cos x
  return record(Op::sin, {x}, sin(x.value()), Save::input(0),
                [](const VjpContext& c) -> Grads { return c.grad() * cos(c.input(0)); });
}

Variable cos(const Variable& x) {
  // y = cos x:  dx = -g sin x
  return record(Op::cos, {x}, cos(x.value()), Save::input(0),
                [](const VjpContext& c) -> Grads { return negate(c.grad() * sin(c.input(0))); });
}

Variable tanh(const Variable& x) {
  // y = tanh x:  dx = g (1 - y^2)
  return record(Op::tanh, {x}, tanh(x.value()), Save::result(),
                [](const VjpContext& c) -> Grads { return c.grad() * (1 - square(c.output())); });
}

Variable sigmoid(const Variable& x) {
  // y = 1/(1 + e^-x):  dx = g y (1 - y)
  return record(Op::sigmoid, {x}, sigmoid(x.value()), Save::result(),
                [](const VjpContext& c) -> Grads {
                  const Variable y = c.output();
                  return c.grad() * (y * (1 - y));
                });
}

Variable erf(const Variable& x) {
  // y = erf x:  dx = g 2/sqrt(pi) e^(-x^2)
  return record(Op::erf, {x}, erf(x.value()), Save::input(0), [](const VjpContext& c) -> Grads {
    constexpr double factor = 2.0 * std::numbers::inv_sqrtpi;
    return c.grad() * (exp(negate(square(c.input(0)))) * factor);
  });
}

Variable relu(const Variable& x) {
  // y = max(x, 0):  dx = g where y > 0, else 0
  return record(Op::relu, {x}, relu(x.value()), Save::result(), [](const VjpContext& c) -> Grads {
    return where(c.output() > 0, c.grad(), Scalar(0));
  });
}

Variable gelu(const Variable& x) {
  // y = x P(x), P(x) = (1 + erf(x/sqrt 2))/2:  dx = g (P(x) + x p(x)), p = dP/dx
  return record(Op::gelu, {x}, gelu(x.value()), Save::input(0), [](const VjpContext& c) -> Grads {
    const Variable input = c.input(0);
    constexpr double inverse_sqrt2 = 1.0 / std::numbers::sqrt2;
    constexpr double density = 0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2;
    const Variable cumulative = (erf(input * inverse_sqrt2) + 1) * 0.5;
    const Variable bell = exp(square(input) * -0.5) * density;
    return c.grad() * (cumulative + input * bell);
  });
}

Variable gelu_tanh(const Variable& x) {
  // y = x/2 (1 + t), t = tanh(u), u = s (x + k x^3):
  // dx = g ((1 + t)/2 + x/2 (1 - t^2) s (1 + 3 k x^2))
  return record(Op::gelu_tanh, {x}, gelu_tanh(x.value()), Save::input(0),
                [](const VjpContext& c) -> Grads {
                  const Variable input = c.input(0);
                  const double s = std::sqrt(2.0 * std::numbers::inv_pi);
                  constexpr double k = 0.044715;
                  const Variable squared = square(input);
                  const Variable t = tanh(input * (squared * k + 1) * s);
                  const Variable slope = (1 - square(t)) * (squared * (3 * k) + 1) * s;
                  return c.grad() * ((t + 1) * 0.5 + input * slope * 0.5);
                });
}

Variable silu(const Variable& x) {
  // y = x s, s = sigmoid(x):  dx = g s (1 + x (1 - s))
  return record(Op::silu, {x}, silu(x.value()), Save::input(0), [](const VjpContext& c) -> Grads {
    const Variable input = c.input(0);
    const Variable s = sigmoid(input);
    return c.grad() * (s * (input * (1 - s) + 1));
  });
}

Variable softplus(const Variable& x) {
  // y = log(1 + e^x):  dx = g sigmoid(x)
  return record(Op::softplus, {x}, softplus(x.value()), Save::input(0),
                [](const VjpContext& c) -> Grads { return c.grad() * sigmoid(c.input(0)); });
}

Variable clamp(const Variable& x, Scalar low, Scalar high) {
  // y = min(max(x, low), high):  dx = g where low <= x <= high, else 0
  return record(Op::clamp, {x}, clamp(x.value(), low, high), Save::input(0),
                [low, high](const VjpContext& c) -> Grads {
                  const Tensor input = c.input(0).value();
                  const Tensor inside = logical_and(input >= low, input <= high);
                  return where(inside, c.grad(), Scalar(0));
                });
}

Variable where(const Tensor& condition, const Variable& on_true, const Variable& on_false) {
  // y = a where the condition holds, else b:  da = g where it holds, else 0; db the other way
  return record(Op::where, {on_true, on_false}, where(condition, on_true.value(), on_false.value()),
                Save::nothing(),
                [](const VjpContext& c) {
                  Grads d(2);
                  if (c.needs(0)) d[0] = where(c.extra(0), c.grad(), Scalar(0));
                  if (c.needs(1)) d[1] = where(c.extra(0), Scalar(0), c.grad());
                  return d;
                },
                {condition});
}

Variable where(const Tensor& condition, const Variable& on_true, Scalar on_false) {
  return record(Op::where, {on_true}, where(condition, on_true.value(), on_false), Save::nothing(),
                [](const VjpContext& c) -> Grads { return where(c.extra(0), c.grad(), Scalar(0)); },
                {condition});
}

Variable where(const Tensor& condition, Scalar on_true, const Variable& on_false) {
  return record(Op::where, {on_false}, where(condition, on_true, on_false.value()), Save::nothing(),
                [](const VjpContext& c) -> Grads { return where(c.extra(0), Scalar(0), c.grad()); },
                {condition});
}

Variable masked_fill(const Variable& x, const Tensor& mask, Scalar value) {
  // y = c where the mask is true, else x:  dx = 0 where it is true, else g
  return record(Op::masked_fill, {x}, masked_fill(x.value(), mask, value), Save::nothing(),
                [](const VjpContext& c) -> Grads { return masked_fill(c.grad(), c.extra(0), 0); },
                {mask});
}

}  // namespace tensorette
