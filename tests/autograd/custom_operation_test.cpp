// Operations of one's own.
#include <tensorette_test.hpp>

#include <compare.hpp>
#include <op_samples.hpp>
#include <tensorette/autograd/custom_operation.hpp>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/functional.hpp>
#include <tensorette/autograd/gradcheck.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>

namespace tensorette::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Inputs = std::span<const Variable>;
using Tensors = std::span<const Tensor>;

// y = x / (1 + |x|):  dx = g / (1 + |x|)²
Variable softsign(const Variable& x) {
  return custom_operation({x}, {.name = "softsign",
                                .forward = [](Tensors in) { return in[0] / (abs(in[0]) + 1); },
                                .vjp = [](const VjpContext& c) -> Grads {
                                  return c.grad() / square(abs(c.input(0)) + 1);
                                }});
}

// y = e^(a b), whose vjp asks for inputs and output.
Variable exp_product(const Variable& a, const Variable& b) {
  return custom_operation({a, b}, {.name = "exp_product",
                                   .forward = [](Tensors in) { return exp(in[0] * in[1]); },
                                   .vjp = [](const VjpContext& c) -> Grads {
                                     const Variable scaled = c.grad() * c.output();
                                     return {c.needs(0) ? scaled * c.input(1) : Variable(),
                                             c.needs(1) ? scaled * c.input(0) : Variable()};
                                   }});
}

TEST_CASE("a custom operation passes gradcheck at first and second order", "[autograd][custom]") {
  const auto one = [](Inputs in) { return softsign(in[0]); };
  const std::vector<Variable> inputs{distinct_values({3, 4})};
  CHECK(gradcheck(one, inputs).ok());
  CHECK(gradgradcheck(one, inputs).ok());
  const auto two = [](Inputs in) { return exp_product(in[0], in[1]); };
  // Broadcasting is undone for the vjp.
  const std::vector<Variable> pair{values_between(-1, 1, {2, 3}), values_between(-1, 1, {3}, 2)};
  CHECK(gradcheck(two, pair).ok());
  CHECK(gradgradcheck(two, pair).ok());
}

TEST_CASE("transformations go through custom operations", "[autograd][custom][functional]") {
  // (x/(1+x))' = (1+x)⁻², '' = −2 (1+x)⁻³, ''' = 6 (1+x)⁻⁴ for x > 0
  const Variable x = scalar(1, DType::f64);
  CHECK(grad(softsign)(x).item() == 0.25);
  CHECK(grad(grad(softsign))(x).item() == -0.25);
  CHECK(grad(grad(grad(softsign)))(x).item() == Catch::Approx(6.0 / 16));
  CHECK(jvp(softsign, x, scalar(3, DType::f64)).tangent.item() == 0.75);
}

TEST_CASE("a custom operation takes part in backward and in messages by its name",
          "[autograd][custom]") {
  Variable x = parameter(tensor({1, -3}, DType::f64));
  const Variable y = softsign(x);
  CHECK(std::string(y.node()->name()) == "softsign");
  sum(y).backward();
  CHECK(distance(x.grad().value(), {0.25, 1.0 / 16}) < 1e-15);
  CHECK_THROWS_WITH(sum(y).backward(), ContainsSubstring("the graph at softsign"));
  const Variable again = sum(softsign(x));
  fill_(x.mutable_value(), 5);
  CHECK_THROWS_WITH(again.backward(),
                    ContainsSubstring("input 0 of softsign, shape [2], was written to"));
  CHECK_FALSE(softsign(tensor({1, 2})).requires_grad());
}

TEST_CASE("a vjp on tensors serves first derivatives and refuses second ones by name",
          "[autograd][custom]") {
  const auto cube = [](const Variable& x) {
    return custom_operation({x}, {.name = "my_cube",
                                  .forward = [](Tensors in) { return in[0] * in[0] * in[0]; },
                                  .vjp = [](const VjpContext& c) -> Grads {
                                    const Tensor value = c.input(0).value();
                                    return Variable(c.grad().value() * value * value * 3.0);
                                  }});
  };
  const auto total = [&](const Variable& x) { return sum(cube(x)); };
  const Variable x = tensor({1, 2}, DType::f64);
  CHECK(distance(grad(total)(x).value(), {3, 12}) == 0);
  const std::string text =
      "my_cube: its vjp calculates on tensors, so it can't be differentiated again; write it in "
      "operations on Variables";
  CHECK(error_text<GraphError>([&] { (void)hessian(total, x); }) == text);
  CHECK(error_text<GraphError>([&] { (void)jvp(cube, x, x); }) == text);
  CHECK(error_text<GraphError>([&] {
          const Variable p = parameter(x.value());
          (void)grad(total(p), p, {.create_graph = true});
        }) == text);
}

TEST_CASE("a vjp that does not depend on the inputs, or is zero, can be differentiated",
          "[autograd][custom]") {
  const auto tripled = [](const Variable& x) {
    return custom_operation({x}, {.name = "tripled",
                                  .forward = [](Tensors in) { return in[0] * 3.0; },
                                  .vjp = [](const VjpContext& c) -> Grads { return c.grad() * 3; },
                                  .save = Save::nothing()});
  };
  const auto stepped = [](const Variable& x) {
    return custom_operation({x}, {.name = "step",
                                  .forward = [](Tensors in) { return sign(in[0]); },
                                  .vjp = [](const VjpContext& c) -> Grads {
                                    return Variable(zeros(c.output_shape(), DType::f64));
                                  },
                                  .save = Save::nothing()});
  };
  const Variable x = tensor({1, 2}, DType::f64);
  const auto total = [&](const Variable& v) { return sum(tripled(v) * stepped(v)); };
  CHECK(distance(hessian(total, x).value(), {0, 0, 0, 0}) == 0);
  CHECK(distance(grad(total)(x).value(), {3, 3}) == 0);
  CHECK(jvp(tripled, x, x).tangent.value().at<double>(1) == 6);
}

TEST_CASE("custom operations take integers and constants", "[autograd][custom]") {
  const auto pick = [](const Variable& table, const Variable& ids) {
    return custom_operation(
        {table, ids},
        {.name = "pick",
         .forward = [](Tensors in) { return take_rows(in[0], in[1]); },
         .vjp = [](const VjpContext& c) -> Grads {
           return {sum_rows(c.grad(), c.input(1).value(), c.input_shape(0)[0]), Variable()};
         }});
  };
  const Variable ids = from_vector(std::vector<Index>{2, 0, 2});
  const auto function = [&](Inputs in) { return pick(in[0], in[1]); };
  CHECK(gradcheck(function, {values_between(-1, 1, {3, 2}), ids}).ok());
  CHECK(gradgradcheck(function, {values_between(-1, 1, {3, 2}), ids}).ok());
}

TEST_CASE("a custom operation keeps only what it is told to", "[autograd][custom]") {
  const auto forgetful = [](const Variable& x) {
    return custom_operation(
        {x}, {.name = "forgetful",
              .forward = [](Tensors in) { return in[0] * in[0]; },
              .vjp = [](const VjpContext& c) -> Grads { return c.grad() * c.input(0) * 2; },
              .save = Save::result()});
  };
  const Variable x = parameter(ones({2}, DType::f64));
  const Variable y = forgetful(x);
  CHECK(y.node()->saved().size() == 1);
  CHECK_THROWS_WITH(sum(y).backward(),
                    "forgetful: its gradient asks for a value that it did not save");
}

TEST_CASE("custom operations say what is wrong with them", "[autograd][custom]") {
  const auto forward = [](Tensors in) { return in[0] * 2.0; };
  const auto vjp_of = [](const VjpContext& c) -> Grads { return c.grad() * 2; };
  const Variable x = parameter(ones({2}, DType::f64));
  CHECK(error_text<Error>([&] {
          (void)custom_operation({x}, {.name = "half", .forward = forward});
        }) == "half: a custom operation needs both forward and vjp");
  CHECK(error_text<Error>([&] {
          (void)custom_operation({Variable()}, {.forward = forward, .vjp = vjp_of});
        }) == "custom: input 0 is undefined");
  CHECK(error_text<Error>([&] {
          (void)custom_operation({x}, {.forward = [](Tensors) { return Tensor(); }, .vjp = vjp_of});
        }) == "custom: forward gave an undefined tensor");
  CHECK(error_text<DTypeError>([&] {
          (void)custom_operation(
              {x},
              {.name = "top", .forward = [](Tensors in) { return argmax(in[0]); }, .vjp = vjp_of});
        }) ==
        "top: forward gave i64; with an input that requires a gradient it must give f32 or f64");
  const auto backward_of = [&](const std::function<Grads(const VjpContext&)>& formula) {
    sum(custom_operation({x}, {.name = "odd", .forward = forward, .vjp = formula})).backward();
  };
  CHECK(error_text<GraphError>([&] {
          backward_of([](const VjpContext& c) -> Grads { return {c.grad(), c.grad()}; });
        }) == "odd: its vjp gave 2 gradients for 1 inputs");
  CHECK(error_text<ShapeError>([&] {
          backward_of([](const VjpContext&) -> Grads { return Variable(ones({3}, DType::f64)); });
        }) == "backward: the vjp of odd gave a gradient of shape [3] for an input of shape [2]");
  CHECK(error_text<DTypeError>([&] {
          backward_of([](const VjpContext&) -> Grads { return Variable(ones({2})); });
        }) == "backward: the vjp of odd gave a gradient of dtype f32 for an input of f64");
  CHECK_FALSE(x.grad().is_defined());
}

TEST_CASE("a vjp that asks for an input that is not there is told so", "[autograd]") {
  const Variable x = parameter(ones({2}, DType::f64));
  const Variable constant = ones({2}, DType::f64);
  const auto forward = [](Tensors in) { return in[0] * 2; };
  const auto backward_by = [&](const std::function<Grads(const VjpContext&)>& formula) {
    return [&x, &constant, forward, formula] {
      sum(custom_operation({x, constant}, {.name = "odd", .forward = forward, .vjp = formula}))
          .backward();
    };
  };
  CHECK(error_text<IndexError>(backward_by([](const VjpContext& c) -> Grads {
          return {c.input(7), Variable()};
        })) == "odd: its gradient asks for input 7, there are 2");
  CHECK(error_text<IndexError>(backward_by([](const VjpContext& c) -> Grads {
          return {c.needs(2) ? c.grad() : Variable(), Variable()};
        })) == "odd: its gradient asks for input 2, there are 2");
  CHECK(error_text<IndexError>(backward_by([](const VjpContext& c) -> Grads {
          return {Variable(ones(c.input_shape(9), DType::f64)), Variable()};
        })) == "odd: its gradient asks for input 9, there are 2");
  CHECK(error_text<GraphError>(backward_by([](const VjpContext& c) -> Grads {
          return {Variable(ones(c.input_shape(1), DType::f64)), Variable()};
        })) == "odd: its gradient asks for the shape of input 1, which is a constant");
  CHECK(error_text<GraphError>(backward_by([](const VjpContext& c) -> Grads {
          return {Variable(c.extra(0)), Variable()};
        })) == "odd: its gradient asks for a value that it did not save");
  const auto saving = [&](Save save) {
    return [&x, forward, save] {
      const auto vjp = [](const VjpContext& c) -> Grads { return c.input(0); };
      sum(custom_operation({x}, {.name = "odd", .forward = forward, .vjp = vjp, .save = save}))
          .backward();
    };
  };
  CHECK(error_text<IndexError>(saving(Save::input(0) | Save::input(9))) ==
        "odd: input 9 is to be saved, there are 1");
  CHECK(error_text<GraphError>(saving(Save::input(40))) ==
        "odd: its gradient asks for a value that it did not save");
  CHECK_FALSE(x.grad().is_defined());
}

}  // namespace
}  // namespace tensorette::testing
