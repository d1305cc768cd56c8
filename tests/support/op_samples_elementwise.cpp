// Samples of arithmetic, functions of one variable, and reductions.
#include <op_sample_lists.hpp>
#include <tensorette/autograd/ops.hpp>
#include <utility>

namespace tensorette::testing {

void add_arithmetic(Samples& samples) {
  constexpr double low = 0.5;
  constexpr double high = 2;
  using Binary = Variable (*)(const Variable&, const Variable&);
  add_binary(samples, Op::add, static_cast<Binary>(add), low, high);
  add_binary(samples, Op::subtract, static_cast<Binary>(subtract), low, high);
  add_binary(samples, Op::multiply, static_cast<Binary>(multiply), low, high);
  add_binary(samples, Op::divide, static_cast<Binary>(divide), low, high);
  add_binary(samples, Op::pow, static_cast<Binary>(pow), low, high);
  add_binary(samples, Op::maximum, static_cast<Binary>(maximum), 0, 0);
  add_binary(samples, Op::minimum, static_cast<Binary>(minimum), 0, 0);
  const Tensor x = values_between(low, high, {2, 3});
  for (const double base : {0.5, 1.0, 2.0}) {
    add_unary(
        samples, Op::pow, [base](const Variable& v) { return pow(base, v); }, x,
        std::to_string(base) + " to the, ");
  }
  add_unary(
      samples, Op::add_scalar, [](const Variable& v) { return v + 0.3; }, x);
  add_unary(
      samples, Op::add_scalar, [](const Variable& v) { return v - 0.3; }, x, "minus, ");
  add_unary(
      samples, Op::add_scalar, [](const Variable& v) { return 0.3 - v; }, x, "from, ");
  add_unary(
      samples, Op::multiply_scalar, [](const Variable& v) { return v * 1.7; }, x);
  add_unary(
      samples, Op::multiply_scalar, [](const Variable& v) { return v / 1.7; }, x, "by, ");
  add_unary(
      samples, Op::multiply_scalar, [](const Variable& v) { return 1.7 / v; }, x, "over, ");
  for (const double exponent : {0.0, 1.0, 2.0, 3.0, -1.5}) {
    add_unary(
        samples, Op::pow_scalar, [exponent](const Variable& v) { return pow(v, exponent); }, x,
        "to the " + std::to_string(exponent) + ", ");
  }
  add_sample(samples, Op::pow_scalar, "negative base", [](Inputs in) { return pow(in[0], 3); },
             {tensor({-1.5, -0.5, 0.75}, DType::f64)});
}

void add_elementwise(Samples& samples) {
  using Unary = Variable (*)(const Variable&);
  struct Row {
    Op op;
    Unary function;
    double low;
    double high;
  };
  const Row rows[] = {
      {Op::alias, alias, -2, 2},
      {Op::negate, negate, -2, 2},
      {Op::square, square, -2, 2},
      {Op::reciprocal, reciprocal, 0.5, 2},
      {Op::exp, exp, -2, 2},
      {Op::expm1, expm1, -2, 2},
      {Op::log, log, 0.5, 2},
      {Op::log1p, log1p, -0.5, 2},
      {Op::sqrt, sqrt, 0.5, 2},
      {Op::rsqrt, rsqrt, 0.5, 2},
      {Op::sin, sin, -2, 2},
      {Op::cos, cos, -2, 2},
      {Op::tanh, tanh, -2, 2},
      {Op::sigmoid, sigmoid, -3, 3},
      {Op::erf, erf, -2, 2},
      {Op::gelu, gelu, -3, 3},
      {Op::gelu_tanh, gelu_tanh, -3, 3},
      {Op::silu, silu, -3, 3},
      {Op::softplus, softplus, -3, 3},
  };
  for (const Row& row : rows) {
    add_unary(samples, row.op, row.function, values_between(row.low, row.high, {2, 3}));
    add_unary(samples, row.op, row.function, values_between(row.low, row.high, {0, 3}), "empty, ");
    add_sample(samples, row.op, "scalar", [f = row.function](Inputs in) { return f(in[0]); },
               {values_between(row.low, row.high, {})});
  }
  // Steps wide enough for what f32 rounds away; the function is linear.
  add_sample(samples, Op::to_dtype, "to f32 and back",
             [](Inputs in) { return to(to(in[0], DType::f32), DType::f64); },
             {values_between(-1, 1, {2, 3})});
  samples.back().options = {.epsilon = 0.015625, .relative = 1e-4, .absolute = 1e-4};
  const Tensor x = distinct_values({2, 3});
  add_unary(samples, Op::abs, static_cast<Unary>(abs), x);
  add_unary(samples, Op::sign, static_cast<Unary>(sign), x);
  add_unary(samples, Op::relu, static_cast<Unary>(relu), x);
  add_unary(
      samples, Op::clamp, [](const Variable& v) { return clamp(v, -0.2, 0.1); }, x);
  const Tensor mask = x > 0;
  add_unary(
      samples, Op::masked_fill, [mask](const Variable& v) { return masked_fill(v, mask, 7); }, x);
  add_unary(
      samples, Op::masked_fill,
      [](const Variable& v) {
        return masked_fill(v, tensor({1, 0, 1}, DType::boolean), 7);
      },
      x, "broadcast mask, ");
  add_unary(
      samples, Op::where, [mask](const Variable& v) { return where(mask, v, 7); }, x,
      "else a number, ");
  add_unary(
      samples, Op::where, [mask](const Variable& v) { return where(mask, 7, v); }, x,
      "a number else, ");
  const Tensor condition = tensor({1, 0, 1}, DType::boolean);
  const std::pair<Shape, Shape> shapes[] = {
      {{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{2, 1}, {1, 3}}, {{}, {2, 3}}, {{0, 3}, {3}}};
  for (const auto& [a, b] : shapes) {
    add_sample(samples, Op::where, to_string(a) + " or " + to_string(b),
               [condition](Inputs in) { return where(condition, in[0], in[1]); },
               {values_between(-1, 1, a, 1), values_between(-1, 1, b, 2)});
  }
}

void add_reductions(Samples& samples) {
  using Reduction = Variable (*)(const Variable&, const Axes&, KeepDims);
  struct Row {
    Op op;
    Reduction function;
    bool takes_nothing;
  };
  const auto biased = [](const Variable& v, const Axes& axes, KeepDims keepdims) {
    return variance(v, axes, keepdims, 0);
  };
  const Row rows[] = {
      {Op::sum, sum, true},
      {Op::prod, prod, true},
      {Op::mean, mean, true},
      {Op::variance, biased, true},
      {Op::max, (max), false},
      {Op::min, (min), false},
      {Op::logsumexp, logsumexp, true},
      {Op::norm, norm, true},
  };
  const Tensor x = distinct_values({2, 3, 2});
  for (const auto& [op, function, takes_nothing] : rows) {
    const Reduction f = function;
    add_unary(
        samples, op, [f](const Variable& v) { return f(v, Axes::all(), KeepDims::no); }, x, "all, ",
        !takes_nothing);
    add_unary(
        samples, op, [f](const Variable& v) { return f(v, 1, KeepDims::no); }, x, "one axis, ",
        !takes_nothing);
    add_unary(
        samples, op,
        [f](const Variable& v) {
          return f(v, {0, -1}, KeepDims::yes);
        },
        x, "two axes kept, ", !takes_nothing);
    add_sample(samples, op, "one element", [f](Inputs in) { return f(in[0], 0, KeepDims::no); },
               {tensor({0.7}, DType::f64)});
    add_sample(samples, op, "of a vector", [f](Inputs in) { return f(in[0], -1, KeepDims::no); },
               {distinct_values({4})});
    add_sample(samples, op, "no rows", [f](Inputs in) { return f(in[0], 1, KeepDims::no); },
               {zeros({0, 3}, DType::f64)});
    if (takes_nothing) {
      add_sample(samples, op, "of nothing", [f](Inputs in) { return f(in[0], 0, KeepDims::no); },
                 {zeros({0, 3}, DType::f64)});
    }
  }
  add_unary(
      samples, Op::variance, [](const Variable& v) { return variance(v, 1, KeepDims::no, 1); }, x,
      "unbiased, ");
  add_sample(samples, Op::prod, "with zeros", [](Inputs in) { return prod(in[0], 1); },
             {tensor({{2, 3, 0}, {2, 0, 0}, {1, 2, 3}}, DType::f64)});
  for (const int axis : {0, 1, -1}) {
    const std::string what = "axis " + std::to_string(axis) + ", ";
    add_unary(
        samples, Op::cumsum, [axis](const Variable& v) { return cumsum(v, axis); }, x, what);
    add_unary(
        samples, Op::softmax, [axis](const Variable& v) { return softmax(v, axis); }, x, what);
    add_unary(
        samples, Op::log_softmax, [axis](const Variable& v) { return log_softmax(v, axis); }, x,
        what);
  }
  for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}}) {
    const Tensor empty = zeros(shape, DType::f64);
    const std::string what = "empty " + to_string(shape);
    add_sample(samples, Op::cumsum, what, [](Inputs in) { return cumsum(in[0], 1); }, {empty});
    add_sample(samples, Op::softmax, what, [](Inputs in) { return softmax(in[0]); }, {empty});
    add_sample(samples, Op::log_softmax, what, [](Inputs in) { return log_softmax(in[0]); },
               {empty});
  }
}

}  // namespace tensorette::testing
