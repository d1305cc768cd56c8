#include <tensorette_test.hpp>

#include <stdexcept>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>
#include <thread>

namespace tensorette::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

Variable number(double value) {
  return parameter(scalar(value, DType::f64));
}

double gradient_of(const Variable& x) {
  return x.grad().item();
}

TEST_CASE("a value with two consumers passes on both shares", "[autograd][engine][field][B01]") {
  const Variable x = number(4);
  const Variable y = x * 2;
  const Variable z = y * 3 + y * 7;
  z.backward();
  CHECK(gradient_of(x) == 20);
}

TEST_CASE("a second backward adds nothing stale", "[autograd][engine][field][B03]") {
  const Variable a = number(2);
  const Variable b = number(5);
  const Variable u = a * b;
  const Variable loss = u * u;
  loss.backward({.retain_graph = true});
  CHECK(gradient_of(a) == 100);
  CHECK(gradient_of(b) == 40);
  loss.backward();
  CHECK(gradient_of(a) == 200);
  CHECK(gradient_of(b) == 80);
}

TEST_CASE("a released graph refuses a second backward", "[autograd][engine][field][B04]") {
  const Variable x = parameter(tensor({1, 2, 3}, DType::f64));
  const Variable squares = x * x;
  const Variable loss = sum(squares);
  loss.backward();
  const Tensor before = x.grad().value().clone();
  CHECK_THROWS_AS(loss.backward(), GraphError);
  CHECK_THROWS_WITH(loss.backward(),
                    ContainsSubstring("the graph at sum (shape []) was released by "
                                      "an earlier backward") &&
                        ContainsSubstring("retain_graph"));
  CHECK_THROWS_WITH(sum(squares).backward(), ContainsSubstring("the graph at multiply"));
  CHECK_THROWS_WITH(grad(loss, x), ContainsSubstring("the graph at sum"));
  CHECK_THROWS_WITH(grad(sum(squares * 2), x), ContainsSubstring("the graph at multiply"));
  CHECK(identical(x.grad().value(), before));
  // What does not have to pass through the released part still works.
  const Variable longer = sum(squares * 2);
  CHECK(all_close(grad(longer, squares).value(), tensor({2, 2, 2}, DType::f64)));
}

TEST_CASE("backward starts from several outputs of which one depends on the other",
          "[autograd][engine][field][B05]") {
  const Variable x = number(1);
  const Variable y = square(x);
  const Variable z = pow(y, 3);
  const Variable outputs[] = {y, z};
  const Variable seeds[] = {scalar(1, DType::f64), scalar(1, DType::f64)};
  backward(outputs, seeds, {.retain_graph = true});
  CHECK(gradient_of(x) == 8);
  x.zero_grad();
  CHECK_FALSE(x.grad().is_defined());
  const Variable reversed[] = {z, y};
  backward(reversed, {}, {.retain_graph = true});
  CHECK(gradient_of(x) == 8);
  CHECK(grad(reversed, {&x, 1})[0].item() == 8);
  x.zero_grad();
  (square(x) + pow(square(x), 3)).backward();
  CHECK(gradient_of(x) == 8);
}

TEST_CASE("writing to a saved value makes backward refuse, and name it",
          "[autograd][engine][field][B08][F10]") {
  Variable w = parameter(tensor({2, 3}, DType::f64), "layer.weight");
  const Variable x = parameter(tensor({5, 7}, DType::f64));
  const Variable y = sum(w * x);
  y.backward({.retain_graph = true});
  const Tensor before = x.grad().value().clone();
  add_(w.mutable_value(), ones({2}, DType::f64));
  CHECK_THROWS_AS(y.backward({.retain_graph = true}), GraphError);
  CHECK_THROWS_WITH(y.backward(),
                    ContainsSubstring("\"layer.weight\"") && ContainsSubstring("multiply") &&
                        ContainsSubstring("shape [2]") && ContainsSubstring("was written to"));
  CHECK(identical(x.grad().value(), before));
  CHECK(all_close(w.grad().value(), x.value()));
}

TEST_CASE("a message about a changed result names the operation it came from",
          "[autograd][engine][field][F10]") {
  const Variable x = parameter(tensor({{1, 2}}, DType::f64));
  Variable inner = tanh(x);
  const Variable loss = sum(square(inner));
  fill_(inner.mutable_value(), 0);
  CHECK_THROWS_WITH(loss.backward(), ContainsSubstring("input 0 (from tanh) of square") &&
                                         ContainsSubstring("shape [1, 2]"));
  const Variable output = exp(x);
  Variable same = output;
  fill_(same.mutable_value(), 1);
  CHECK_THROWS_WITH(sum(output).backward(), ContainsSubstring("the output of exp"));
  CHECK_FALSE(x.grad().is_defined());
}

TEST_CASE("a value that no gradient formula needs may change", "[autograd][engine]") {
  const Variable x = parameter(tensor({1, 2}, DType::f64));
  Variable doubled = x * 2;
  const Variable loss = sum(doubled + 1);
  fill_(doubled.mutable_value(), 0);
  loss.backward();
  CHECK(all_close(x.grad().value(), tensor({2, 2}, DType::f64)));
}

TEST_CASE("recording is restored when an exception leaves a scope",
          "[autograd][engine][field][B30]") {
  const Variable x = number(3);
  try {
    const NoGrad no_grad;
    const EnableGrad enable;
    const NoGrad again;
    CHECK_FALSE(is_recording());
    throw std::runtime_error("on purpose");
  } catch (const std::runtime_error&) {
  }
  CHECK(is_recording());
  const Variable y = x * 2;
  CHECK(y.requires_grad());
  y.backward();
  CHECK(gradient_of(x) == 2);
}

TEST_CASE("NoGrad nests, and holds for its own thread only", "[autograd][engine]") {
  const Variable x = number(3);
  const NoGrad no_grad;
  CHECK_FALSE((x * 2).requires_grad());
  {
    const EnableGrad enable;
    CHECK((x * 2).requires_grad());
    {
      const NoGrad inner;
      CHECK_FALSE((x * 2).requires_grad());
    }
    CHECK((x * 2).requires_grad());
  }
  CHECK_FALSE((x * 2).requires_grad());
  bool other_thread_records = false;
  std::thread([&] { other_thread_records = (x * 2).requires_grad(); }).join();
  CHECK(other_thread_records);
}

TEST_CASE("the second derivative of a cube is there and right", "[autograd][engine][field][B32]") {
  const Variable x = number(2);
  for (const Variable& cube : {pow(x, 3), x * x * x, exp(log(x) * 3)}) {
    const Variable first = grad(cube, x, {.create_graph = true});
    REQUIRE(first.requires_grad());
    const Variable second = grad(first, x, {.create_graph = true});
    CHECK(first.item() == Catch::Approx(12));
    CHECK(second.item() == Catch::Approx(12));
    CHECK(grad(second, x).item() == Catch::Approx(6));
  }
}

TEST_CASE("second derivatives pass through saved results", "[autograd][engine][field][B33]") {
  struct Case {
    double x;
    Variable (*function)(const Variable&);
    double first;
    double second;
  };
  const Case cases[] = {
      {2, [](const Variable& x) { return pow(x, 3); }, 12, 12},
      {0, [](const Variable& x) { return exp(x * 2); }, 2, 4},
      {0.5, [](const Variable& x) { return tanh(x); }, 0.7864477, -0.7268619},
  };
  for (const auto& [at, function, first, second] : cases) {
    const Variable x = number(at);
    const Variable slope = grad(function(x), x, {.create_graph = true});
    CHECK(slope.item() == Catch::Approx(first).margin(1e-7));
    CHECK(grad(slope, x).item() == Catch::Approx(second).margin(1e-7));
  }
}

TEST_CASE("backward with create_graph gives differentiable gradients", "[autograd][engine]") {
  const Variable x = number(3);
  pow(x, 3).backward({.create_graph = true});
  const Variable first = x.grad();
  REQUIRE(first.requires_grad());
  CHECK(first.item() == 27);
  x.zero_grad();
  first.backward();
  CHECK(gradient_of(x) == 18);
}

TEST_CASE("gradients accumulate until zero_grad", "[autograd][engine]") {
  const Variable x = parameter(tensor({1, 2}, DType::f64));
  CHECK_FALSE(x.grad().is_defined());
  sum(x * 3).backward();
  sum(x * 4).backward();
  CHECK(all_close(x.grad().value(), tensor({7, 7}, DType::f64)));
  x.zero_grad();
  CHECK_FALSE(x.grad().is_defined());
  x.set_grad(tensor({1, 5}, DType::f64));
  sum(x).backward();
  CHECK(all_close(x.grad().value(), tensor({2, 6}, DType::f64)));
}

TEST_CASE("collected gradients are tensors of their own", "[autograd][engine]") {
  const Variable a = parameter(tensor({1, 2}, DType::f64));
  const Variable b = parameter(tensor({1, 2}, DType::f64));
  const Variable upstream = tensor({5, 6}, DType::f64);
  (a + b).backward(upstream);
  Variable collected = a.grad();
  multiply_(collected.mutable_value(), 10);
  CHECK(all_close(a.grad().value(), tensor({50, 60}, DType::f64)));
  CHECK(all_close(b.grad().value(), tensor({5, 6}, DType::f64)));
  CHECK(all_close(upstream.value(), tensor({5, 6}, DType::f64)));
}

TEST_CASE("grad() collects nothing and gives zeros for what is not used", "[autograd][engine]") {
  const Variable x = number(3);
  const Variable unused = parameter(tensor({{1, 2, 3}}, DType::f32));
  const Variable inputs[] = {x, unused};
  const Variable output = square(x);
  const auto gradients = grad({&output, 1}, inputs);
  CHECK(gradients[0].item() == 6);
  CHECK(identical(gradients[1].value(), zeros({1, 3}, DType::f32)));
  CHECK_FALSE(x.grad().is_defined());
  CHECK_FALSE(unused.grad().is_defined());
}

TEST_CASE("grad() stops at results inside the graph", "[autograd][engine]") {
  const Variable x = number(3);
  const Variable y = square(x);
  const Variable z = y * y + x;
  const Variable inputs[] = {y, x, z};
  const auto gradients = grad({&z, 1}, inputs);
  CHECK(gradients[0].item() == 18);
  CHECK(gradients[1].item() == 18 * 6 + 1);
  CHECK(gradients[2].item() == 1);
}

TEST_CASE("hooks see gradients and may replace them", "[autograd][engine]") {
  const Variable x = number(3);
  const Variable y = x * 2;
  std::vector<double> seen;
  y.add_hook([&](const Variable& g) {
    seen.push_back(g.item());
    return g * 10;
  });
  const std::uint64_t second = y.add_hook([&](const Variable& g) {
    seen.push_back(g.item());
    return Variable();
  });
  x.add_hook([&](const Variable& g) {
    seen.push_back(g.item());
    return g + 1;
  });
  (y * 5).backward({.retain_graph = true});
  CHECK(seen == std::vector<double>{5, 50, 100});
  CHECK(gradient_of(x) == 101);
  y.remove_hook(second);
  seen.clear();
  (y * 5).backward({.retain_graph = true});
  CHECK(seen == std::vector<double>{5, 100});
  CHECK(gradient_of(x) == 202);
}

TEST_CASE("a hook runs once, on the whole gradient", "[autograd][engine]") {
  const Variable x = number(3);
  int calls = 0;
  x.add_hook([&](const Variable& g) {
    ++calls;
    CHECK(g.item() == 9);
    return Variable();
  });
  (x * 2 + x * 3 + x * 4).backward();
  CHECK(calls == 1);
}

TEST_CASE("retain_grad keeps the gradient of a result", "[autograd][engine]") {
  const Variable x = number(3);
  const Variable y = x * x;
  const Variable z = y * 2;
  y.retain_grad();
  z.backward({.retain_graph = true});
  CHECK(y.grad().item() == 2);
  CHECK_FALSE(z.grad().is_defined());
  z.backward();
  CHECK(y.grad().item() == 2);  // of the last backward
  CHECK(gradient_of(x) == 24);
  CHECK_THROWS_AS(Variable(zeros({1})).retain_grad(), GraphError);
}

TEST_CASE("an exception on the way back changes no gradient", "[autograd][engine]") {
  const Variable a = number(2);
  const Variable b = number(3);
  (a * b).backward();
  const Variable doubled = a * 2;
  const Variable y = doubled * b;
  doubled.retain_grad();
  a.add_hook([](const Variable&) -> Variable { throw std::runtime_error("on purpose"); });
  CHECK_THROWS_WITH((y * 1).backward(), "on purpose");
  CHECK(gradient_of(a) == 3);
  CHECK(gradient_of(b) == 2);
  CHECK_FALSE(doubled.grad().is_defined());
  const Variable c = number(1);
  c.add_hook([](const Variable&) { return Variable(zeros({2}, DType::f64)); });
  CHECK_THROWS_AS((c * 2).backward(), ShapeError);
  CHECK_FALSE(c.grad().is_defined());
  CHECK(is_recording());
}

TEST_CASE("a vjp that gives nonsense is refused by name", "[autograd][engine]") {
  const Variable x = parameter(tensor({1, 2, 3}, DType::f64));
  const auto with_gradient = [&x](const Variable& gradient) {
    return record(Op::custom, {x}, x.value().clone(), Save::nothing(),
                  [gradient](const VjpContext&) -> Grads { return gradient; });
  };
  const Variable upstream = ones({3}, DType::f64);
  CHECK_THROWS_WITH(
      with_gradient(zeros({2}, DType::f64)).backward(upstream),
      ContainsSubstring("custom") && ContainsSubstring("[2]") && ContainsSubstring("[3]"));
  CHECK_THROWS_AS(with_gradient(zeros({3}, DType::f32)).backward(upstream), DTypeError);
  const Variable two =
      record(Op::custom, {x}, x.value().clone(), Save::nothing(), [](const VjpContext& c) -> Grads {
        return {c.grad(), c.grad()};
      });
  CHECK_THROWS_WITH(two.backward(upstream), ContainsSubstring("2 gradients for 1 inputs"));
  CHECK_FALSE(x.grad().is_defined());
}

TEST_CASE("an operation may have more inputs than most", "[autograd][engine]") {
  const Variable x = number(2);
  const Variable y =
      record(Op::custom, {x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x},
             scalar(40, DType::f64), Save::input(19), [](const VjpContext& c) {
               Grads d(20);
               for (std::size_t i = 0; i < 20; ++i) d[i] = c.grad() * c.input(19);
               return d;
             });
  y.backward();
  CHECK(gradient_of(x) == 40);
}

TEST_CASE("backward refuses what it can't start from", "[autograd][engine]") {
  const Variable x = parameter(tensor({1, 2, 3}, DType::f64));
  const Variable y = x * 2;
  CHECK_THROWS_WITH(y.backward(), ContainsSubstring("[3]") && ContainsSubstring("upstream"));
  CHECK_THROWS_AS(y.backward(), GraphError);
  CHECK_THROWS_WITH(y.backward(zeros({2}, DType::f64)),
                    ContainsSubstring("[2]") && ContainsSubstring("[3]"));
  CHECK_THROWS_AS(y.backward(zeros({3}, DType::f32)), DTypeError);
  CHECK_THROWS_WITH(Variable(zeros({1})).backward(),
                    ContainsSubstring("does not depend on any parameter"));
  CHECK_THROWS_WITH(Variable().backward(), "backward: the output is undefined");
  CHECK_THROWS_WITH(grad(sum(y), Variable(zeros({2}))), ContainsSubstring("is a constant"));
  CHECK_FALSE(x.grad().is_defined());
  CHECK_THROWS_AS(parameter(from_vector(std::vector<Index>{1})), DTypeError);
  y.backward(ones({3}, DType::f64));
  CHECK(all_close(x.grad().value(), tensor({2, 2, 2}, DType::f64)));
}

TEST_CASE("detached values and constants cut the graph", "[autograd][engine]") {
  const Variable x = number(3);
  CHECK_FALSE(x.detach().requires_grad());
  CHECK_FALSE((x.detach() * 2).requires_grad());
  (x * x.detach()).backward();
  CHECK(gradient_of(x) == 3);
}

TEST_CASE("training leaves no nodes behind", "[autograd][engine][field][B28]") {
  const auto weight = [](const Shape& shape, double value) {
    return parameter(full(shape, value));
  };
  std::vector<Variable> parameters{weight({8, 4}, 0.1), weight({8}, 0.2), weight({1, 8}, -0.1),
                                   weight({1}, 0.3)};
  const Tensor x = full({5, 4}, 0.5);
  const std::int64_t before = live_nodes();
  const auto iterate = [&](int times) {
    for (int i = 0; i < times; ++i) {
      const Variable hidden = tanh(linear(x, parameters[0], parameters[1]));
      mean(square(linear(hidden, parameters[2], parameters[3]) - 1)).backward();
      for (Variable& parameter : parameters) {
        add_(parameter.mutable_value(), parameter.grad().value(), -0.01);
        parameter.zero_grad();
      }
    }
    return live_nodes();
  };
  CHECK(iterate(200) == before);
  CHECK(iterate(1800) == before);
  // Also without backward, with create_graph, and after an exception.
  for (int i = 0; i < 10; ++i) {
    const Variable unused = sum(tanh(linear(x, parameters[0], parameters[1])));
    const Variable loss = sum(exp(parameters[1] * 2));
    const Variable first = grad(loss, parameters[1], {.create_graph = true});
    CHECK(grad(sum(first), parameters[1]).shape() == Shape{8});
    CHECK_THROWS_AS(first.backward(), GraphError);
  }
  CHECK(live_nodes() == before);
}

}  // namespace
}  // namespace tensorette::testing
