#include <tensorette_test.hpp>

#include <cmath>
#include <limits>
#include <op_samples.hpp>
#include <tensorette/autograd/custom_operation.hpp>
#include <tensorette/autograd/fused/dropout.hpp>
#include <tensorette/autograd/gradcheck.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/random.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Inputs = std::span<const Variable>;

// The product of two tensors with whatever vjp a test gives it.
template <class Formula>
GradcheckFunction product_with(Formula formula) {
  return [formula](Inputs in) {
    return record(Op::custom, {in[0], in[1]}, in[0].value() * in[1].value(),
                  Save::input(0) | Save::input(1), formula);
  };
}

std::vector<Variable> two_matrices() {
  return {values_between(0.5, 1.5, {3, 3}, 1), values_between(0.5, 1.5, {3, 3}, 2)};
}

// Both ways of checking find the fault and say the same of it.
void check_fails(const GradcheckFunction& function, const std::vector<Variable>& inputs,
                 const std::string& cause) {
  for (const bool full_jacobian : {false, true}) {
    const GradcheckReport report = gradcheck(function, inputs, {.full_jacobian = full_jacobian});
    CHECK_FALSE(report.ok());
    CHECK_FALSE(report.failures.empty());
    CHECK_THAT(report.likely_cause, ContainsSubstring(cause));
    CHECK_THAT(report.to_string(), ContainsSubstring("gradients are wrong"));
    CHECK_THAT(report.to_string(), ContainsSubstring(cause));
  }
}

TEST_CASE("what gradcheck can't tell it does not call right", "[autograd][gradcheck]") {
  const GradcheckFunction tiny = [](std::span<const Variable> in) {
    return custom_operation({in[0]},
                            {.name = "tiny",
                             .forward = [](auto tensors) { return tensors[0] * 1e-9; },
                             .vjp = [](const VjpContext& c) -> Grads { return c.grad() * -1e-9; }});
  };
  const GradcheckReport small = gradcheck(tiny, {values_between(-1, 1, {2})});
  CHECK(small.too_small == small.comparisons);
  CHECK_THAT(small.to_string(),
             ContainsSubstring("4 of them differ, but are too small for the absolute tolerance"));
  CHECK_FALSE(gradcheck(tiny, {values_between(-1, 1, {2})}, {.absolute = 1e-14}).ok());

  const GradcheckFunction twice = [](std::span<const Variable> in) { return in[0] * 2.0; };
  const GradcheckReport empty = gradcheck(twice, {Variable(zeros({0}, DType::f64))});
  CHECK(empty.ok());
  CHECK(empty.to_string() == "nothing to compare: no floating input has an element");
}

TEST_CASE("gradcheck passes a right vjp and counts what it compared", "[autograd][gradcheck]") {
  const auto right = product_with([](const VjpContext& c) -> Grads {
    return {c.grad() * c.input(1), c.grad() * c.input(0)};
  });
  const GradcheckReport report = gradcheck(right, two_matrices());
  CHECK(report.ok());
  CHECK(report.comparisons == 20);  // for each input 2 directions and 8 elements
  CHECK(report.largest_error < 1e-6);
  CHECK_THAT(report.to_string(), ContainsSubstring("gradients are right: 20 derivatives"));
  const GradcheckReport full = gradcheck(right, two_matrices(), {.full_jacobian = true});
  CHECK(full.ok());
  CHECK(full.comparisons == 2 * 9 * 9);
  CHECK(gradgradcheck(right, two_matrices()).ok());
}

TEST_CASE("gradcheck fails on a vjp with a wrong factor", "[autograd][gradcheck]") {
  check_fails(product_with([](const VjpContext& c) -> Grads {
                return {c.grad() * c.input(1) * 2, c.grad() * c.input(0)};
              }),
              two_matrices(), "the gradient of input 0 is 2 times what it should be");
}

TEST_CASE("gradcheck fails on a vjp that is wrong by a thousandth of a percent",
          "[autograd][gradcheck]") {
  const GradcheckReport report =
      gradcheck(product_with([](const VjpContext& c) -> Grads {
                  return {c.grad() * c.input(1) * (1 + 1e-5), c.grad() * c.input(0)};
                }),
                two_matrices());
  CHECK_FALSE(report.ok());
  CHECK(report.largest_error == Catch::Approx(1e-5).epsilon(0.01));
}

TEST_CASE("gradcheck fails on a vjp with a wrong sign", "[autograd][gradcheck]") {
  check_fails(product_with([](const VjpContext& c) -> Grads {
                return {c.grad() * c.input(1), negate(c.grad() * c.input(0))};
              }),
              two_matrices(), "the gradient of input 1 has the wrong sign");
}

TEST_CASE("gradcheck fails on a transposed gradient", "[autograd][gradcheck]") {
  check_fails(product_with([](const VjpContext& c) -> Grads {
                return {transpose(c.grad() * c.input(1)), c.grad() * c.input(0)};
              }),
              two_matrices(), "the gradient of input 0 is transposed");
}

TEST_CASE("gradcheck fails on gradients given to the wrong inputs", "[autograd][gradcheck]") {
  check_fails(product_with([](const VjpContext& c) -> Grads {
                return {c.grad() * c.input(0), c.grad() * c.input(1)};
              }),
              two_matrices(), "received the gradient of input");
}

TEST_CASE("gradcheck fails where the sum over broadcast axes is missing", "[autograd][gradcheck]") {
  const auto one_slice = product_with([](const VjpContext& c) -> Grads {
    return {c.grad() * c.input(1), narrow(c.grad() * c.input(0), 0, 0, 1)};
  });
  check_fails(one_slice, {values_between(0.5, 1.5, {4, 3}, 1), values_between(0.5, 1.5, {1, 3}, 2)},
              "input 1 of shape [1, 3] is broadcast to [4, 3]: its gradient is that of one slice");
}

TEST_CASE("gradcheck tells any slice and the mean from the sum over broadcast axes",
          "[autograd][gradcheck]") {
  const std::vector<Variable> inputs{values_between(0.5, 1.5, {4, 3}, 1),
                                     values_between(0.5, 1.5, {3}, 2)};
  check_fails(product_with([](const VjpContext& c) -> Grads {
                return {c.grad() * c.input(1), select(c.grad() * c.input(0), 0, -1)};
              }),
              inputs,
              "input 1 of shape [3] is broadcast to [4, 3]: its gradient is that of one slice");
  check_fails(product_with([](const VjpContext& c) -> Grads {
                return {c.grad() * c.input(1), mean(c.grad() * c.input(0), 0)};
              }),
              inputs,
              "the gradient of input 1 is 0.25 times what it should be: a mean over its 4 copies");
}

// Each of the six kinds, in operations of different shapes, away from the simple product.
TEST_CASE("gradcheck names each kind of wrong vjp in other operations, too",
          "[autograd][gradcheck]") {
  // y = a b (matrices):  da = g bᵀ, db = aᵀ g
  const auto matmul_with = [](auto formula) {
    return GradcheckFunction([formula](Inputs in) {
      const Variable y = record(Op::custom, {in[0], in[1]}, matmul(in[0].value(), in[1].value()),
                                Save::input(0) | Save::input(1), formula);
      return tanh(y * 0.5);
    });
  };
  const std::vector<Variable> square_ones{values_between(-1, 1, {3, 3}, 1),
                                          values_between(-1, 1, {3, 3}, 2)};
  const auto da = [](const VjpContext& c) { return matmul(c.grad(), transpose(c.input(1))); };
  const auto db = [](const VjpContext& c) { return matmul(transpose(c.input(0)), c.grad()); };
  check_fails(matmul_with([=](const VjpContext& c) -> Grads {
                return {da(c) * 0.5, db(c)};
              }),
              square_ones, "the gradient of input 0 is 0.5 times what it should be");
  check_fails(matmul_with([=](const VjpContext& c) -> Grads {
                return {-da(c), db(c)};
              }),
              square_ones, "the gradient of input 0 has the wrong sign");
  check_fails(matmul_with([=](const VjpContext& c) -> Grads {
                return {da(c), transpose(db(c))};
              }),
              square_ones, "the gradient of input 1 is transposed");
  check_fails(matmul_with([=](const VjpContext& c) -> Grads {
                return {db(c), da(c)};
              }),
              square_ones, "received the gradient of input");
  check_fails(matmul_with([=](const VjpContext& c) -> Grads {
                return {da(c), Variable()};
              }),
              square_ones, "no gradient reaches input 1");

  // y = tanh(x + b), b broadcast over rows
  const auto biased = GradcheckFunction([](Inputs in) {
    return record(Op::custom, {in[0], in[1]}, tanh(in[0].value() + in[1].value()), Save::result(),
                  [](const VjpContext& c) -> Grads {
                    const Variable d = c.grad() * (1 - square(c.output()));
                    return {d, narrow(d, 0, 0, 1)};
                  });
  });
  check_fails(biased, {values_between(-1, 1, {5, 2}, 1), values_between(-1, 1, {1, 2}, 2)},
              "not the sum over the broadcast axes");
}

TEST_CASE("gradcheck fails on a detached input", "[autograd][gradcheck]") {
  check_fails([](Inputs in) { return in[0] * in[1].detach(); }, two_matrices(),
              "no gradient reaches input 1");
  check_fails([](Inputs in) { return in[0].detach() * 2; }, two_matrices(),
              "no gradient reaches input 0");
}

TEST_CASE("gradcheck fails on one wrong element of a large gradient", "[autograd][gradcheck]") {
  const Index count = 50000;
  Tensor slip = ones({count}, DType::f64);
  slip.mutable_data<double>()[31234] = 1.5;
  const auto function = [slip](Inputs in) {
    return record(Op::custom, {in[0]}, in[0].value() * 3.0, Save::nothing(),
                  [slip](const VjpContext& c) -> Grads { return c.grad() * slip * 3; });
  };
  const GradcheckReport report = gradcheck(function, {values_between(-1, 1, {count})});
  REQUIRE_FALSE(report.ok());
  CHECK_FALSE(report.failures[0].element.has_value());
  CHECK_THAT(report.to_string(), ContainsSubstring("along a random direction"));
}

TEST_CASE("gradcheck names a kink", "[autograd][gradcheck]") {
  check_fails([](Inputs in) { return relu(in[0]); }, {tensor({0.5, 0.0, -0.5}, DType::f64)},
              "kink or a jump near element 1 of input 0 (value 0)");
  check_fails([](Inputs in) { return relu(in[0]); }, {tensor({0.5, 1.5e-4, -0.5}, DType::f64)},
              "kink or a jump near element 1");
  check_fails([](Inputs in) { return clamp(in[0], -1, 1); }, {tensor({0.5, 1}, DType::f64)},
              "kink or a jump near element 1");
  // A subgradient halfway between the slopes on both sides is what differences measure.
  CHECK(gradcheck([](Inputs in) { return abs(in[0]); }, {tensor({0.5, 0}, DType::f64)}).ok());
}

TEST_CASE("gradcheck names f32 inputs as the cause of its doubts", "[autograd][gradcheck]") {
  check_fails([](Inputs in) { return exp(in[0]); }, {values_between(-1, 1, {4}).to(DType::f32)},
              "an input is f32");
}

TEST_CASE("gradcheck names gross faults in f32, too", "[autograd][gradcheck]") {
  const std::vector<Variable> inputs{values_between(0.5, 1.5, {3, 3}, 1).to(DType::f32),
                                     values_between(0.5, 1.5, {3, 3}, 2).to(DType::f32)};
  check_fails(product_with([](const VjpContext& c) -> Grads {
                return {negate(c.grad() * c.input(1)), c.grad() * c.input(0)};
              }),
              inputs, "the gradient of input 0 has the wrong sign; an input is f32");
  check_fails(product_with([](const VjpContext& c) -> Grads {
                return {c.grad() * c.input(1), c.grad() * c.input(0) * 2};
              }),
              inputs, "the gradient of input 1 is 2");
}

TEST_CASE("the number of random directions and elements can be chosen", "[autograd][gradcheck]") {
  const auto function = [](Inputs in) { return exp(in[0]); };
  const std::vector<Variable> inputs{values_between(-1, 1, {20})};
  CHECK(gradcheck(function, inputs).comparisons == 10);
  CHECK(gradcheck(function, inputs, {.directions = 5, .elements = 0}).comparisons == 5);
  CHECK(gradcheck(function, inputs, {.directions = 0, .elements = 100}).comparisons == 20);
  CHECK_THROWS_WITH(gradcheck(function, inputs, {.directions = 0, .elements = 0}),
                    "gradcheck: 0 directions and 0 elements make no comparison");
}

TEST_CASE("gradcheck says when outputs or gradients are not finite", "[autograd][gradcheck]") {
  check_fails([](Inputs in) { return log(in[0]); }, {tensor({0.5, -1}, DType::f64)},
              "an output is infinite or not a number");
  check_fails(product_with([](const VjpContext& c) -> Grads {
                return {c.grad() * std::numeric_limits<double>::quiet_NaN(), c.grad() * c.input(0)};
              }),
              two_matrices(), "the gradient of input 0 is infinite or not a number");
}

TEST_CASE("gradcheck says when a function is random", "[autograd][gradcheck]") {
  Generator generator(5);
  const GradcheckReport report =
      gradcheck([&generator](Inputs in) { return dropout(in[0], 0.5, generator); },
                {values_between(1, 2, {20})});
  CHECK_FALSE(report.ok());
  CHECK_FALSE(report.is_deterministic);
  CHECK_THAT(report.to_string(), ContainsSubstring("gave different values"));
}

TEST_CASE("gradgradcheck fails where only the second derivative is wrong",
          "[autograd][gradcheck]") {
  // The gradient is right, but the input is cut out of its graph.
  const auto cut = [](Inputs in) {
    return record(Op::custom, {in[0]}, square(in[0].value()), Save::input(0),
                  [](const VjpContext& c) -> Grads { return c.grad() * c.input(0).detach() * 2; });
  };
  const std::vector<Variable> inputs{values_between(0.5, 1.5, {3})};
  CHECK(gradcheck(cut, inputs).ok());
  const GradcheckReport report = gradgradcheck(cut, inputs);
  CHECK_FALSE(report.ok());
  CHECK_THAT(report.likely_cause, ContainsSubstring("no gradient reaches input 0"));
  // And one whose upstream gradient is.
  const auto cut_upstream = [](Inputs in) {
    return record(Op::custom, {in[0]}, square(in[0].value()), Save::input(0),
                  [](const VjpContext& c) -> Grads { return c.input(0) * c.grad().detach() * 2; });
  };
  CHECK(gradcheck(cut_upstream, inputs).ok());
  CHECK_THAT(gradgradcheck(cut_upstream, inputs).to_string(),
             ContainsSubstring("no gradient reaches upstream gradient 0"));
}

TEST_CASE("a report says where and by how much", "[autograd][gradcheck]") {
  const auto wrong = product_with([](const VjpContext& c) -> Grads {
    return {c.grad() * c.input(1) * 3, c.grad() * c.input(0)};
  });
  const std::vector<Variable> inputs{tensor({{1, 2}}, DType::f64), tensor({{5, 7}}, DType::f64)};
  const GradcheckReport report = gradcheck(wrong, inputs, {.full_jacobian = true});
  REQUIRE(report.failures.size() == 2);
  const GradcheckFailure& failure = report.failures[0];
  CHECK(failure.input == 0);
  CHECK(failure.input_name == "input 0");
  CHECK(failure.shape == Shape{1, 2});
  CHECK(failure.element == Index{0});
  CHECK(failure.output == Index{0});
  CHECK(failure.analytic == 15);
  CHECK(failure.numeric == Catch::Approx(5));
  CHECK(failure.relative_error == Catch::Approx(2.0 / 3));
  CHECK_THAT(report.to_string(),
             ContainsSubstring("gradients are wrong: 2 of 8 derivatives") &&
                 ContainsSubstring("input 0 [1, 2], element [0, 1], output element 1: backward "
                                   "gives 21, differences give 7"));
}

TEST_CASE("gradcheck takes several outputs, integers, and empty, strided or expanded inputs",
          "[autograd][gradcheck]") {
  const Tensor ids = from_vector(std::vector<Index>{2, 0, 2});
  const auto function = [](Inputs in) {
    const Variable rows = take_rows(in[0], in[1].value());
    return std::vector<Variable>{rows * in[2], Variable(in[1]), sum(in[3] * 2), exp(rows)};
  };
  const std::vector<Variable> inputs{laid_out(values_between(-1, 1, {3, 2}), Layout::transposed),
                                     ids, expand(tensor({{0.5}}, DType::f64), {3, 2}),
                                     zeros({0, 4}, DType::f64)};
  CHECK(gradcheck(function, inputs).ok());
  CHECK(gradcheck(function, inputs, {.full_jacobian = true}).ok());
  CHECK(gradgradcheck(function, inputs).ok());
  CHECK(gradcheck([](Inputs in) { return sum(in[0]); }, {zeros({0}, DType::f64)}).comparisons == 0);
}

TEST_CASE("the function sees inputs in their own layout", "[autograd][gradcheck]") {
  const Tensor strided = laid_out(values_between(-1, 1, {3, 4}), Layout::sliced);
  int others = 0;
  const GradcheckReport report = gradcheck(
      [&](Inputs in) {
        if (!(in[0].value().strides() == strided.strides())) ++others;
        return square(in[0]);
      },
      {strided});
  CHECK(report.ok());
  CHECK(others == 0);
}

TEST_CASE("gradcheck leaves its inputs alone and repeats itself", "[autograd][gradcheck]") {
  const Variable weight = parameter(values_between(-1, 1, {5}));
  const Tensor before = weight.value().clone();
  const auto function = [](Inputs in) { return tanh(in[0]); };
  const auto first = gradcheck(function, {weight}, {.seed = 3});
  const auto second = gradcheck(function, {weight}, {.seed = 3});
  CHECK(first.ok());
  CHECK(first.largest_error == second.largest_error);
  CHECK_FALSE(weight.grad().is_defined());
  CHECK(identical(weight.value(), before));
}

TEST_CASE("gradcheck refuses options and functions that make no sense", "[autograd][gradcheck]") {
  const auto function = [](Inputs in) { return in[0] * 2; };
  const std::vector<Variable> inputs{ones({2}, DType::f64)};
  CHECK_THROWS_AS(gradcheck(function, inputs, {.epsilon = 0}), Error);
  CHECK_THROWS_AS(gradcheck(function, inputs, {.relative = -1}), Error);
  CHECK_THROWS_WITH(gradcheck(function, {Variable()}), "gradcheck: input 0 is undefined");
  CHECK_THROWS_WITH(gradgradcheck(function, {Variable()}), "gradgradcheck: input 0 is undefined");
  CHECK_THROWS_WITH(gradcheck([](Inputs) { return Variable(); }, inputs),
                    "gradcheck: the function gave an undefined output");
}

}  // namespace
}  // namespace tensorette::testing
