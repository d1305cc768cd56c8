// Computing again in backward instead of keeping.
#include <tensorette_test.hpp>

#include <cmath>
#include <compare.hpp>
#include <op_samples.hpp>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/fused/dropout.hpp>
#include <tensorette/autograd/gradcheck.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/autograd/recompute.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/random.hpp>

namespace tensorette::testing {
namespace {

using Inputs = std::span<const Variable>;

// A function as it is, or recomputed.
Variable called(bool recomputed, const Function& f, const Variable& x) {
  return recomputed ? recompute(f, x) : f(x);
}

// Gradients in f32, where the order of additions shows, of everything a small network depends on.
struct Gradients {
  std::vector<Tensor> first;
  std::vector<Tensor> second;
};

Gradients gradients_of_network(bool recomputed, bool nested = false) {
  Generator generator(3);
  const Variable x = parameter(generator.normal({5, 7}));
  const Variable weight = parameter(generator.normal({7, 7}));
  const Variable bias = parameter(generator.normal({7}));
  // Uses its input three times, and the captured weight twice.
  const auto block = [&](const Variable& h) {
    const Variable hidden = tanh(matmul(h, weight) + bias) * h;
    return dropout(matmul(hidden, weight), 0.3, generator) + h * 0.7;
  };
  Variable h = x;
  for (int layer = 0; layer < 3; ++layer) {
    // The residual sum is another use of h outside.
    h = h + called(
                recomputed,
                [&, nested](const Variable& v) {
                  return sin(called(nested, block, v)) + called(nested, block, cos(v));
                },
                h);
  }
  const Variable loss = sum(h * h) * 0.01;
  const std::vector<Variable> wanted{x, weight, bias};
  const auto first = grad({&loss, 1}, wanted, {}, {.create_graph = true});
  Variable penalty = sum(square(first[0]));
  for (const Variable& gradient : {first[1], first[2]}) penalty = penalty + sum(square(gradient));
  const auto second = grad({&penalty, 1}, wanted, {}, {.retain_graph = true});
  loss.backward();
  Gradients result;
  for (const Variable& variable : wanted) result.first.push_back(variable.grad().value());
  for (const Variable& gradient : second) result.second.push_back(gradient.value());
  // What has been drawn since is the same, too.
  result.first.push_back(generator.uniform({4}));
  return result;
}

// Sums of second derivatives may be made in another order.
TEST_CASE("gradients with and without recompute are bit-identical", "[autograd][recompute]") {
  const Gradients expected = gradients_of_network(false);
  for (const bool nested : {false, true}) {
    INFO("nested: " << nested);
    const Gradients found = gradients_of_network(true, nested);
    for (std::size_t i = 0; i < expected.first.size(); ++i) {
      CHECK(same_bits(found.first[i], expected.first[i]));
    }
    for (std::size_t i = 0; i < expected.second.size(); ++i) {
      CHECK(distance(found.second[i], expected.second[i]) < 1e-5);
    }
  }
}

TEST_CASE("recompute keeps nothing of the inside", "[autograd][recompute]") {
  const Variable x = parameter(ones({4}, DType::f64));
  const std::int64_t before = live_nodes();
  int calls = 0;
  {
    const auto many = [&calls](const Variable& v) {
      ++calls;
      Variable y = v;
      for (int i = 0; i < 50; ++i) y = sin(y);
      return y;
    };
    const Variable y = recompute(many, x);
    CHECK(live_nodes() == before + 1);
    CHECK(std::string(y.node()->name()) == "recompute");
    CHECK(calls == 1);
    sum(y).backward({.retain_graph = true});
    CHECK(calls == 2);
    CHECK(live_nodes() == before + 1);  // what was computed again is gone
  }
  CHECK(live_nodes() == before);
}

TEST_CASE("recompute calls the function once where nothing is recorded", "[autograd][recompute]") {
  int calls = 0;
  const auto twice = [&calls](const Variable& v) {
    ++calls;
    return v * 2;
  };
  const Variable constant = ones({2}, DType::f64);
  CHECK_FALSE(recompute(twice, constant).requires_grad());
  CHECK(calls == 1);
  const Variable x = parameter(ones({2}, DType::f64));
  {
    const NoGrad no_grad;
    CHECK_FALSE(recompute(twice, x).requires_grad());
  }
  CHECK(calls == 2);
  // What comes out as it went in needs no node.
  const auto identity = [](const Variable& v) { return v; };
  CHECK(recompute(identity, x).node() == x.node());
}

TEST_CASE("recompute takes several inputs, some of them constants or integers",
          "[autograd][recompute]") {
  const Variable table = parameter(values_between(-1, 1, {4, 2}));
  const Variable factor = parameter(values_between(-1, 1, {3, 2}, 2));
  const Variable ids = from_vector(std::vector<Index>{3, 0, 3});
  const auto f = [](Inputs in) { return exp(take_rows(in[0], in[1].value())) * in[2]; };
  const std::vector<Variable> inputs{table, ids, factor};
  sum(f(inputs)).backward();
  const std::vector<Tensor> expected{table.grad().value(), factor.grad().value()};
  table.zero_grad();
  factor.zero_grad();
  sum(recompute(f, inputs)).backward();
  CHECK(same_bits(table.grad().value(), expected[0]));
  CHECK(same_bits(factor.grad().value(), expected[1]));
  const auto recomputed = [&](Inputs in) { return recompute(f, {in.begin(), in.end()}); };
  CHECK(gradcheck(recomputed, inputs).ok());
  CHECK(gradgradcheck(recomputed, inputs).ok());
}

TEST_CASE("recompute captures parameters and results of the graph around it",
          "[autograd][recompute]") {
  const Variable w = parameter(scalar(3, DType::f64));
  const Variable inner = w * w;  // 9
  const auto f = [&](const Variable& v) { return v * inner + w; };
  // Of a constant: the gradient is that of what is captured alone, d(2w² + w)/dw.
  const Variable y = recompute(f, scalar(2, DType::f64));
  REQUIRE(y.requires_grad());
  CHECK(grad(y, w, {.retain_graph = true}).item() == 13);
  CHECK(grad(y, inner, {.retain_graph = true}).item() == 2);
  y.backward();
  CHECK(w.grad().item() == 13);
}

TEST_CASE("the graph of recompute serves once unless retained", "[autograd][recompute]") {
  const Variable x = parameter(scalar(2, DType::f64));
  const auto cube = [](const Variable& v) { return v * v * v; };
  const Variable y = recompute(cube, x);
  y.backward({.retain_graph = true});
  y.backward();
  CHECK(x.grad().item() == 24);
  CHECK_THROWS_WITH(y.backward(), Catch::Matchers::ContainsSubstring("the graph at recompute"));
  CHECK(x.grad().item() == 24);
}

TEST_CASE("recompute notices what has been written to", "[autograd][recompute]") {
  Variable x = parameter(ones({2}, DType::f64), "x");
  Variable w = parameter(ones({2}, DType::f64), "w");
  const auto f = [&](const Variable& v) { return v * w; };
  const Variable of_input = sum(recompute(f, x));
  fill_(x.mutable_value(), 2);
  CHECK(error_text<GraphError>([&] { of_input.backward(); }) ==
        "backward: input 0 \"x\" of recompute, shape [2], was written to after recompute had saved "
        "it (1 writes then, 2 now); write to a clone, or run backward first");
  const Variable of_captured = sum(recompute(f, x));
  fill_(w.mutable_value(), 2);
  CHECK_THROWS_WITH(of_captured.backward(),
                    Catch::Matchers::ContainsSubstring("a saved tensor of recompute, shape [2]"));
  CHECK_FALSE(w.grad().is_defined());
}

TEST_CASE("recompute notices functions that behave otherwise the second time",
          "[autograd][recompute]") {
  const Variable x = parameter(ones({4}, DType::f64));
  Generator generator(1);
  int call = 0;
  const auto check = [&](const Function& f, const std::string& text) {
    call = 0;
    const Variable y = sum(recompute(f, x));
    CHECK(error_text<GraphError>([&] { y.backward(); }) == text);
    CHECK_FALSE(x.grad().is_defined());
  };
  check([&](const Variable& v) { return ++call == 1 ? v * 2 : narrow(v, 0, 0, 2) * 2; },
        "recompute: the function gave f64 of shape [4] the first time, f64 of shape [2] now");
  check([&](const Variable& v) { return ++call == 1 ? v * 2 : v.detach(); },
        "recompute: the result of the function required a gradient the first time, but does not "
        "now");
  check([&](const Variable& v) { return ++call == 1 ? dropout(v, 0.5, generator) : v * 2; },
        "recompute: the function drew 1 times the first time, 0 times now");
  check([&](const Variable& v) { return ++call == 1 ? v * 2 : dropout(v, 0.5, generator); },
        "recompute: the function draws other random numbers than the first time: draw 0 asks for 4 "
        "numbers, it was not there");
  // Errors of the function itself come out, forward and backward.
  const auto fails = [&](const Variable& v) -> Variable {
    if (++call == 2) throw IndexError("mine");
    return v * 2;
  };
  call = 1;
  CHECK(error_text<IndexError>([&] { (void)recompute(fails, x); }) == "mine");
  call = 0;
  const Variable y = sum(recompute(fails, x));
  CHECK(error_text<IndexError>([&] { y.backward(); }) == "mine");
  CHECK_FALSE(x.grad().is_defined());
  CHECK(error_text<Error>([&] {
          (void)recompute([](const Variable&) { return Variable(); }, x);
        }) == "recompute: the function gave an undefined Variable");
  CHECK(error_text<Error>([&] { (void)recompute(fails, Variable()); }) ==
        "recompute: input 0 is undefined");
}

TEST_CASE("a thousand recomputed steps need no deep stack", "[autograd][recompute]") {
  const Variable x = parameter(scalar(1, DType::f64));
  Variable y = x;
  for (int i = 0; i < 1000; ++i) y = recompute([](const Variable& v) { return v * 1.001; }, y);
  CHECK(grad(y, x).item() == Catch::Approx(std::pow(1.001, 1000)));
}

TEST_CASE("functional derivatives go through recompute", "[autograd][recompute][functional]") {
  const auto cube = [](const Variable& v) {
    return sum(recompute([](const Variable& u) { return u * u * u; }, v));
  };
  const Variable x = tensor({2, -1}, DType::f64);
  CHECK(distance(hessian(cube, x).value(), {12, 0, 0, -6}) == 0);
  CHECK(distance(hvp(cube, x, x).value(), {24, 6}) == 0);
  CHECK(jvp(cube, x, x).tangent.item() == 24 - 3);
}

}  // namespace
}  // namespace tensorette::testing
