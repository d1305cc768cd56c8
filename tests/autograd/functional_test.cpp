// Transformations of functions. Values against derivatives by hand and against each other.
#include <tensorette_test.hpp>

#include <cmath>
#include <compare.hpp>
#include <op_samples.hpp>
#include <tensorette/autograd/functional.hpp>
#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/fused/cross_entropy.hpp>
#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette::testing {
namespace {

using Inputs = std::span<const Variable>;

Variable number(double value) {
  return Variable(scalar(value, DType::f64));
}
Variable vector(std::initializer_list<detail::Nested> values) {
  return Variable(tensor(values, DType::f64));
}

// Σ x³ and its derivatives 3x², 6x, 6.
const auto sum_of_cubes = [](const Variable& x) { return sum(x * x * x); };

TEST_CASE("grad gives the gradient as a function", "[autograd][functional]") {
  const Variable x = vector({{1, 2}, {-3, 0.5}});
  const Variable gradient = grad(sum_of_cubes)(x);
  CHECK(distance(gradient.value(), {3, 12, 27, 0.75}) < 1e-14);
  CHECK(gradient.shape() == x.shape());
  CHECK_FALSE(gradient.requires_grad());

  const auto both = value_and_grad(sum_of_cubes)(x);
  CHECK(both.value.item() == 1 + 8 - 27 + 0.125);
  CHECK(same_bits(both.gradient.value(), gradient.value()));
  CHECK_FALSE(both.value.requires_grad());
}

TEST_CASE("grad of grad of grad", "[autograd][functional]") {
  const auto cube = [](const Variable& x) { return x * x * x; };
  CHECK(grad(grad(cube))(number(2)).item() == 12);
  CHECK(grad(grad(grad(cube)))(number(2)).item() == 6);
  CHECK(grad(grad(grad(grad(cube))))(number(2)).item() == 0);
  // Values of sin and its derivatives go round.
  const Function sine = [](const Variable& x) { return sin(x); };
  Function derivative = sine;
  const double right[] = {std::sin(0.7), std::cos(0.7), -std::sin(0.7), -std::cos(0.7)};
  for (const int order : {0, 1, 2, 3, 4, 5}) {
    CHECK(derivative(number(0.7)).item() == Catch::Approx(right[order % 4]).epsilon(1e-14));
    derivative = grad(derivative);
  }
}

TEST_CASE("third derivatives of a composed function are exact", "[autograd][functional]") {
  // f = exp(sin x) and f''' = f (cos³x − 3 sin x cos x − cos x), by hand.
  const auto composed = [](const Variable& x) { return exp(sin(x)); };
  for (const double x : {-2.0, -0.3, 0.0, 0.9, 4.0}) {
    const double c = std::cos(x);
    const double right = std::exp(std::sin(x)) * (c * c * c - 3 * std::sin(x) * c - c);
    CHECK(std::abs(grad(grad(grad(composed)))(number(x)).item() - right) < 1e-12);
    const auto along = jvp(grad(grad(composed)), number(x), number(1));
    CHECK(std::abs(along.tangent.item() - right) < 1e-12);
  }
  // f = log(1 + Σ x²)² of several variables: every third derivative by a vjp of the Hessian equals
  // that by a jvp, and both are those of a polynomial where f is one.
  const auto cubic = [](const Variable& x) {
    const Variable a = select(x, 0, 0);
    const Variable b = select(x, 0, 1);
    return a * a * b + 2 * b * b * b + a * b;
  };
  const auto hessian_of = [&](const Variable& x) { return hessian(Function(cubic), x); };
  const Tensor third = jacobian(Function(hessian_of), vector({1.5, -0.5})).value();
  CHECK(third.shape() == Shape{2, 2, 2});
  CHECK(distance(third, {0, 2, 2, 0, 2, 0, 0, 12}) < 1e-9);
}

TEST_CASE("functions of many variables", "[autograd][functional]") {
  // f = Σ a² b, a [2], b [2]; df/da = 2ab, df/db = a²
  const auto f = [](Inputs in) { return sum(in[0] * in[0] * in[1]); };
  const std::vector<Variable> inputs{vector({1, 2}), vector({3, -1})};
  const auto gradients = grad(f)(inputs);
  REQUIRE(gradients.size() == 2);
  CHECK(distance(gradients[0].value(), {6, -4}) < 1e-14);
  CHECK(distance(gradients[1].value(), {1, 4}) < 1e-14);
  CHECK(distance(grad(f, 1)(inputs).value(), {1, 4}) < 1e-14);
  const auto both = value_and_grad(f)(inputs);
  CHECK(both.value.item() == 3 - 4);
  CHECK(both.gradients.size() == 2);

  // d/da of d/db, summed: 2a
  const auto mixed = [&](Inputs in) { return sum(grad(f, 1)(in)); };
  CHECK(distance(grad(mixed, 0)(inputs).value(), {2, 4}) < 1e-14);

  const auto blocks = hessian(f, inputs);
  CHECK(distance(blocks[0][0].value(), {6, 0, 0, -2}) < 1e-14);
  CHECK(distance(blocks[0][1].value(), {2, 0, 0, 4}) < 1e-14);
  CHECK(distance(blocks[1][0].value(), {2, 0, 0, 4}) < 1e-14);
  CHECK(distance(blocks[1][1].value(), {0, 0, 0, 0}) == 0);

  const std::vector<Variable> along{vector({1, 0}), vector({0, 2})};
  const auto product = hvp(f, inputs, along);
  CHECK(distance(product[0].value(), {6, 8}) < 1e-14);
  CHECK(distance(product[1].value(), {2, 0}) < 1e-14);
  const auto other = vhp(f, inputs, along);
  CHECK(distance(other[0].value(), {6, 8}) < 1e-14);
  CHECK(distance(other[1].value(), {2, 0}) < 1e-14);
}

TEST_CASE("the same variable in two places counts in each", "[autograd][functional]") {
  const Variable x = parameter(scalar(3, DType::f64));
  const auto product = [](Inputs in) { return in[0] * in[1]; };
  const auto gradients = grad(product)(std::vector<Variable>{x, x});
  CHECK(gradients[0].item() == 3);
  CHECK(gradients[1].item() == 3);
}

TEST_CASE("vjp and jvp of functions with many outputs", "[autograd][functional]") {
  // (x y, sin x, an integer): J = [[y, x], [cos x, 0]]
  const auto f = [](Inputs in) {
    return std::vector<Variable>{in[0] * in[1], sin(in[0]), Variable(arange(2))};
  };
  const std::vector<Variable> inputs{number(0.5), number(2)};
  const auto back = vjp(f, inputs, {number(3), number(10), {}});
  CHECK(back.values[0].item() == 1);
  CHECK(back.values[2].dtype() == DType::i64);
  CHECK(back.gradients[0].item() == Catch::Approx(6 + 10 * std::cos(0.5)));
  CHECK(back.gradients[1].item() == Catch::Approx(1.5));
  const auto forth = jvp(f, inputs, {number(1), number(-4)});
  CHECK(forth.tangents[0].item() == Catch::Approx(0));
  CHECK(forth.tangents[1].item() == Catch::Approx(std::cos(0.5)));
  CHECK_FALSE(forth.tangents[2].is_defined());
  CHECK(forth.values[1].item() == std::sin(0.5));
  // Nothing given stands for zero.
  const auto part = jvp(f, inputs, {{}, number(1)});
  CHECK(part.tangents[0].item() == 0.5);
  CHECK(part.tangents[1].item() == 0);
  CHECK(vjp(f, inputs, {{}, {}, {}}).gradients[0].item() == 0);
  const auto blocks = jacobian(f, inputs);
  CHECK(blocks[0][0].item() == 2);
  CHECK(blocks[1][1].item() == 0);
  CHECK_FALSE(blocks[2][0].is_defined());
}

TEST_CASE("jacobians go by rows and by columns to the same numbers", "[autograd][functional]") {
  const Tensor weight = values_between(-1, 1, {3, 2}, 4);
  // x [2] -> [50, 3]: by columns; x [50, 2] -> [3]: by rows.
  const Tensor table = values_between(-1, 1, {50, 2}, 5);
  const auto wide = [&](const Variable& x) { return tanh(linear(x * table, weight)); };
  const Variable x = vector({0.3, -0.7});
  const Tensor by_columns = jacobian(wide, x).value();
  REQUIRE(by_columns.shape() == Shape{50, 3, 2});
  for (const Index row : {0, 17, 49}) {
    for (const Index column : {0, 1, 2}) {
      const auto one = [&](const Variable& v) {
        return select(select(wide(v), 0, row), 0, column);
      };
      CHECK(distance(select(select(by_columns, 0, row), 0, column), grad(one)(x).value()) < 1e-14);
    }
  }
  const auto narrow_one = [&](const Variable& v) { return sum(tanh(linear(v, weight)), {0}); };
  const Tensor by_rows = jacobian(narrow_one, table).value();
  REQUIRE(by_rows.shape() == Shape{3, 50, 2});
  const Tensor pushed = jvp(narrow_one, table, table).tangent.value();
  CHECK(distance(sum(by_rows * table, {1, 2}), pushed) < 1e-13);
}

TEST_CASE("the Hessian of a quadratic form is its matrix", "[autograd][functional]") {
  const Tensor half = values_between(-1, 1, {4, 4}, 2);
  const Tensor matrix = half + transpose(half);
  const auto form = [&](const Variable& x) { return sum(x * matmul(matrix, x)) * 0.5; };
  const Variable x = values_between(-1, 1, {4}, 3);
  CHECK(distance(hessian(form, x).value(), matrix) < 1e-14);
  const Variable v = values_between(-1, 1, {4}, 5);
  CHECK(distance(hvp(form, x, v).value(), matmul(matrix, v.value())) < 1e-14);
  CHECK(distance(vhp(form, x, v).value(), matmul(matrix, v.value())) < 1e-14);
  CHECK(distance(jvp(grad(form), x, v).tangent.value(), matmul(matrix, v.value())) < 1e-14);
  CHECK(distance(vjp(grad(form), x, v).gradient.value(), matmul(matrix, v.value())) < 1e-14);
}

TEST_CASE("transformations go through fused operations", "[autograd][functional]") {
  const Tensor weight = values_between(-1, 1, {6, 6}, 1);
  const Tensor targets = from_vector(std::vector<Index>{1, 0, 3, 2}, {1, 4});
  const auto loss = [&](const Variable& x) {
    const Variable hidden = layer_norm(linear(x, weight), ones({6}, DType::f64), {}, 1e-5);
    return sum(cross_entropy(packed_attention(concat({hidden, hidden, hidden}, -1), 2), targets));
  };
  const Variable x = values_between(-1, 1, {1, 4, 6}, 3);
  const Variable v = values_between(-1, 1, {1, 4, 6}, 4);
  const double h = 1e-5;
  const Tensor ahead = grad(loss)(Variable(x.value() + v.value() * h)).value();
  const Tensor behind = grad(loss)(Variable(x.value() - v.value() * h)).value();
  const Tensor measured = (ahead - behind) * (0.5 / h);
  CHECK(distance(hvp(loss, x, v).value(), measured) < 1e-7);
  CHECK(distance(vhp(loss, x, v).value(), measured) < 1e-7);
  const double slope = jvp(loss, x, v).tangent.item();
  CHECK(sum(grad(loss)(x).value() * v.value()).item() == Catch::Approx(slope).epsilon(1e-12));
}

TEST_CASE("results stay connected to arguments and captures that require a gradient",
          "[autograd][functional]") {
  const Variable w = parameter(scalar(3, DType::f64));
  const Variable x = parameter(scalar(2, DType::f64));
  const auto f = [&](const Variable& v) { return w * v * v; };
  // d/dw (df/dx)² = d/dw (2wx)² = 8wx²; a penalty of the gradient, x a constant.
  const Variable penalty = square(grad(f)(x.detach()));
  CHECK(grad(penalty, w).item() == 8 * 3 * 4);
  // And the same with respect to x: d/dx (2wx)² = 8w²x
  CHECK(grad(square(grad(f)(x)), x).item() == 8 * 9 * 2);
  // Tangents and cotangents are arguments too: d/dv of 2wx v
  const Variable v = parameter(scalar(0.5, DType::f64));
  CHECK(grad(jvp(f, number(2), v).tangent, v).item() == 12);
  CHECK(grad(vjp(f, number(2), v).gradient, v).item() == 12);
  CHECK(grad(hessian(f, number(2)), w).item() == 2);
  CHECK_FALSE(w.grad().is_defined());
  CHECK_FALSE(x.grad().is_defined());

  const NoGrad no_grad;
  CHECK_FALSE(grad(f)(x).requires_grad());
  CHECK(grad(grad(f))(x).item() == 6);
  CHECK_FALSE(jvp(f, x, v).tangent.requires_grad());
}

TEST_CASE("inner and outer derivatives are not confused", "[autograd][functional]") {
  // d/dx [x · d/dy (x + y)] = 1, and d/dx [x · d/dy (x y)] = 2x
  const auto outer_sum = [](const Variable& x) {
    return x * grad([&](const Variable& y) { return x + y; })(number(1));
  };
  CHECK(grad(outer_sum)(number(1)).item() == 1);
  const auto outer_product = [](const Variable& x) {
    return x * jvp([&](const Variable& y) { return x * y; }, number(5), number(1)).tangent;
  };
  CHECK(grad(outer_product)(number(3)).item() == 6);
  CHECK(jvp(outer_product, number(3), number(1)).tangent.item() == 6);
}

TEST_CASE("what an output does not depend on has derivative zero", "[autograd][functional]") {
  const Variable x = vector({1, 2});
  const auto constant = [](const Variable&) { return Variable(scalar(7, DType::f64)); };
  CHECK(distance(grad(constant)(x).value(), {0, 0}) == 0);
  CHECK(jvp(constant, x, x).tangent.item() == 0);
  CHECK(distance(jacobian(constant, x).value(), {0, 0}) == 0);
  CHECK(hessian(constant, x).shape() == Shape{2, 2});
  const auto linear_one = [](const Variable& v) { return sum(v * 3); };
  CHECK(distance(hessian(linear_one, x).value(), {0, 0, 0, 0}) == 0);
  CHECK(distance(hvp(linear_one, x, x).value(), {0, 0}) == 0);
  CHECK(distance(vhp(linear_one, x, x).value(), {0, 0}) == 0);
  const auto identity = [](const Variable& v) { return v; };
  CHECK(distance(jacobian(identity, x).value(), {1, 0, 0, 1}) == 0);
  CHECK(distance(jvp(identity, x, x).tangent.value(), {1, 2}) == 0);
}

TEST_CASE("integer inputs are handed through", "[autograd][functional]") {
  const Variable ids = from_vector(std::vector<Index>{2, 0});
  const auto rows = [](Inputs in) { return sum(square(take_rows(in[0], in[1].value()))); };
  const std::vector<Variable> inputs{vector({1, 2, 3}), ids};
  const auto gradients = grad(rows)(std::vector<Variable>{vector({{1}, {2}, {3}}), ids});
  CHECK(distance(gradients[0].value(), {2, 0, 6}) == 0);
  CHECK_FALSE(gradients[1].is_defined());
  CHECK(hvp(rows, {vector({{1}, {2}, {3}}), ids}, {vector({{1}, {1}, {1}}), {}})[0].shape() ==
        Shape{3, 1});
  CHECK_FALSE(hessian(rows, {vector({{1}, {2}, {3}}), ids})[1][0].is_defined());
}

TEST_CASE("empty inputs and outputs have empty derivatives", "[autograd][functional]") {
  const Variable none = zeros({0, 3}, DType::f64);
  const auto twice = [](const Variable& x) { return x * 2; };
  CHECK(jacobian(twice, none).shape() == Shape{0, 3, 0, 3});
  CHECK(grad(sum_of_cubes)(none).shape() == Shape{0, 3});
  CHECK(hessian(sum_of_cubes, none).shape() == Shape{0, 3, 0, 3});
  CHECK(jvp(twice, none, none).tangent.shape() == Shape{0, 3});
  CHECK(grad(FunctionOfMany([](Inputs) { return number(1); }))({}).empty());
}

TEST_CASE("transformations leave no graph behind", "[autograd][functional]") {
  const std::int64_t before = live_nodes();
  const Variable x = values_between(-1, 1, {3}, 1);
  const auto f = [](const Variable& v) { return sum(exp(v) * v); };
  const std::vector<Variable> results{grad(f)(x),
                                      grad([&](const Variable& v) { return sum(grad(f)(v)); })(x),
                                      hessian(f, x), jvp(f, x, x).value, hvp(f, x, x)};
  for (const Variable& result : results) CHECK_FALSE(result.requires_grad());
  CHECK(live_nodes() == before);
}

TEST_CASE("transformations refuse what makes no sense", "[autograd][functional]") {
  const auto twice = [](const Variable& x) { return x * 2; };
  const auto product = [](Inputs in) { return in[0] * in[1]; };
  const Variable x = zeros({2, 3}, DType::f64);
  CHECK(error_text<ShapeError>([&] { (void)grad(twice)(x); }) ==
        "grad: the function must give one number, it gave shape [2, 3]; use vjp() or jacobian()");
  CHECK(error_text<DTypeError>([&] { (void)grad(twice)(Variable(arange(3))); }) ==
        "grad: the input is i64; derivatives need f32 or f64");
  CHECK(error_text<Error>([&] { (void)grad(twice)(Variable()); }) ==
        "grad: the input is undefined");
  CHECK(error_text<Error>([&] {
          (void)grad(product)(std::vector<Variable>{x, {}});
        }) == "grad: input 1 is undefined");
  CHECK(error_text<IndexError>([&] {
          (void)grad(product, 2)(std::vector<Variable>{x, x});
        }) == "grad: input 2 was asked for, there are 2");
  CHECK(error_text<DTypeError>([&] {
          (void)grad([](const Variable& v) { return Variable(argmax(v)); })(x);
        }) == "grad: the function gave i64; derivatives need f32 or f64");
  CHECK(error_text<ShapeError>([&] { (void)jvp(twice, x, zeros({3}, DType::f64)); }) ==
        "jvp: tangent 0 has shape [3], input 0 has [2, 3]");
  CHECK(error_text<DTypeError>([&] {
          (void)jvp(twice, x, zeros({2, 3}));
        }) == "jvp: tangent 0 is f32, input 0 is f64");
  CHECK(error_text<ShapeError>([&] { (void)vjp(twice, x, number(1)); }) ==
        "vjp: cotangent 0 has shape [], output 0 has [2, 3]");
  CHECK(error_text<Error>([&] {
          (void)jvp(product, {x, x}, {x});
        }) == "jvp: 1 tangents for 2 inputs");
  CHECK(error_text<DTypeError>([&] {
          (void)jvp([](Inputs in) { return in[0] * 2; }, {x, arange(2)}, {x, x});
        }) == "jvp: input 1 has no derivative, so tangent 1 must be undefined");
  CHECK(error_text<ShapeError>([&] {
          (void)jacobian(twice, zeros({1, 1, 1, 1, 1}, DType::f64));
        }) ==
        "jacobian: derivatives of [1, 1, 1, 1, 1] by [1, 1, 1, 1, 1] would have rank 10, the "
        "highest is 8");
  CHECK(error_text<ShapeError>([&] { (void)hvp(twice, x, x); }) ==
        "hvp: the function must give one number, it gave shape [2, 3]; use vjp() or jacobian()");
  // Whatever the function throws comes out, and recording is as before.
  CHECK_THROWS_AS(grad([](const Variable&) -> Variable { throw IndexError("mine"); })(x),
                  IndexError);
  CHECK(is_recording());
}

}  // namespace
}  // namespace tensorette::testing
