// Functions with several results, computed again in backward.
#include <tensorette_test.hpp>

#include <array>
#include <compare.hpp>
#include <op_samples.hpp>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/fused/dropout.hpp>
#include <tensorette/autograd/gradcheck.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/autograd/recompute.hpp>
#include <tensorette/autograd/trace/profile.hpp>
#include <tensorette/autograd/trace/trace_text.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/random.hpp>

namespace tensorette::testing {
namespace {

using Inputs = std::span<const Variable>;
using Results = std::vector<Variable>;

// Gradients in f32, where the order of additions shows, of results that depend on each other and
// are used several times outside.
std::vector<Tensor> gradients_of(bool recomputed, int& calls) {
  Generator generator(5);
  const Variable x = parameter(generator.normal({6, 6}));
  const Variable y = parameter(generator.normal({6, 6}));
  const Variable weight = parameter(generator.normal({6, 6}));
  const FunctionsOfMany f = [&](Inputs in) -> Results {
    ++calls;
    const Variable first = tanh(matmul(in[0], weight)) * in[1];
    const Variable second = dropout(sin(first) + first * weight, 0.4, generator);
    return {first, second, matmul(first, second) + in[0]};
  };
  const Results r = recomputed ? recompute(f, {x, y}) : f(Results{x, y});
  const Variable again = recomputed ? recompute(f, {r[1], r[0]})[1] : f(Results{r[1], r[0]})[1];
  const Variable loss = sum(r[2] * r[0]) + sum(exp(r[1] * 0.1) * r[0]) + sum(r[0] * again + r[1]);
  loss.backward();
  std::vector<Tensor> gradients;
  for (const Variable& variable : {x, y, weight}) gradients.push_back(variable.grad().value());
  return gradients;
}

TEST_CASE("several results have bit-identical gradients, from one more call",
          "[autograd][recompute]") {
  int calls = 0;
  const auto expected = gradients_of(false, calls);
  CHECK(calls == 2);
  calls = 0;
  const auto found = gradients_of(true, calls);
  CHECK(calls == 4);
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(same_bits(found[i], expected[i]));
}

TEST_CASE("nothing inside a function with several results is kept", "[autograd][recompute]") {
  const Variable x = parameter(ones({4}, DType::f64));
  const std::int64_t before = live_nodes();
  {
    const auto f = [](Inputs in) -> Results {
      Variable y = in[0];
      for (int i = 0; i < 20; ++i) y = sin(y);
      return {y, cos(y)};
    };
    const Results r = recompute(f, {x});
    CHECK(live_nodes() == before + 2);
    sum(r[0] + r[1]).backward();
    CHECK(live_nodes() == before + 2);
    CHECK_THROWS_WITH(sum(r[0]).backward(),
                      Catch::Matchers::ContainsSubstring("the graph at recompute"));
    CHECK_THROWS_WITH(sum(r[1]).backward(),
                      Catch::Matchers::ContainsSubstring("the graph at recompute"));
  }
  CHECK(live_nodes() == before);
}

TEST_CASE("results that no gradient reaches cost nothing, whichever they are",
          "[autograd][recompute]") {
  const Variable x = parameter(tensor({1, 2}, DType::f64));
  int calls = 0;
  const auto f = [&calls](Inputs in) -> Results {
    ++calls;
    return {in[0] * 2, in[0] * 3, in[0] * 5};
  };
  for (const std::size_t used : {0U, 1U, 2U}) {
    calls = 0;
    x.zero_grad();
    const Results r = recompute(f, {x});
    int hooked = 0;
    (void)r[0].add_hook([&](const Variable&) {
      ++hooked;
      return Variable();
    });
    r[0].retain_grad();
    sum(r[used]).backward({.retain_graph = true});
    CHECK(calls == 2);
    CHECK(hooked == (used == 0 ? 1 : 0));
    CHECK(r[0].grad().is_defined() == (used == 0));
    const double factor = std::array{2.0, 3.0, 5.0}[used];
    CHECK(distance(x.grad().value(), {factor, factor}) == 0);
    // Of a result that the output does not depend on.
    CHECK(distance(grad(sum(r[used]), r[(used + 1) % 3]).value(), {0, 0}) == 0);
  }
}

TEST_CASE("results that need no gradient, are handed through, or stand twice",
          "[autograd][recompute]") {
  const Variable x = parameter(tensor({1, 2}, DType::f64));
  const auto f = [](Inputs in) -> Results {
    const Variable square = in[0] * in[0];
    return {in[0].detach() * 7, in[0], square, greater(in[0].value(), 1), square};
  };
  const Results r = recompute(f, {x});
  CHECK_FALSE(r[0].requires_grad());
  CHECK(r[1].node() == x.node());
  CHECK(r[2].node() == r[4].node());
  CHECK(r[3].dtype() == DType::boolean);
  sum(r[0] + r[1] + r[2] + r[4]).backward();
  CHECK(distance(x.grad().value(), {5, 9}) == 0);  // 1 + 4x
  CHECK(recompute([](Inputs) { return Results{}; }, {x}).empty());
  const NoGrad no_grad;
  CHECK_FALSE(recompute(f, {x})[2].requires_grad());
}

TEST_CASE("higher derivatives pass through several recomputed results", "[autograd][recompute]") {
  const std::vector<Variable> inputs{parameter(values_between(-1, 1, {3, 2})),
                                     parameter(values_between(-1, 1, {3, 2}, 2))};
  const auto f = [](Inputs in) {
    const Results r = recompute(
        [](Inputs own) -> Results {
          const Variable product = own[0] * exp(own[1]);
          return {product, sin(product) * own[0], own[1] * own[1]};
        },
        Results(in.begin(), in.end()));
    return r[0] * r[2] + r[1] * r[1];
  };
  CHECK(gradcheck(f, inputs).ok());
  CHECK(gradgradcheck(f, inputs).ok());
  const auto as_many = [](Inputs in) -> Results {
    return recompute(
        [](Inputs own) -> Results {
          return {own[0] * own[0], own[0] * 3};
        },
        Results(in.begin(), in.end()));
  };
  const Variable x = tensor({2, 5}, DType::f64);
  const auto tangents = jvp(FunctionsOfMany(as_many), {x}, {tensor({1, 1}, DType::f64)}).tangents;
  CHECK(distance(tangents[0].value(), {4, 10}) == 0);
  CHECK(distance(tangents[1].value(), {3, 3}) == 0);
}

TEST_CASE("a function that gives other results the second time is noticed",
          "[autograd][recompute]") {
  const Variable x = parameter(ones({4}, DType::f64));
  int call = 0;
  const auto check = [&](const FunctionsOfMany& f, const std::string& text) {
    call = 0;
    const Results r = recompute(f, {x});
    CHECK(error_text<GraphError>([&] { sum(r[0]).backward(); }) == text);
    CHECK_FALSE(x.grad().is_defined());
  };
  check(
      [&](Inputs in) {
        Results r{in[0] * 2, in[0] * 3};
        if (++call == 2) r.pop_back();
        return r;
      },
      "recompute: the function gave 2 results the first time, 1 now");
  check(
      [&](Inputs in) -> Results {
        return {in[0] * 2, ++call == 1 ? in[0] * 3 : narrow(in[0], 0, 0, 1) * 3};
      },
      "recompute: the function gave f64 of shape [4] the first time, f64 of shape [1] now, as its "
      "result 1");
  check(
      [&](Inputs in) -> Results {
        return {in[0] * 2, ++call == 1 ? in[0] * 3 : in[0].detach()};
      },
      "recompute: the result 1 of the function required a gradient the first time, but does not "
      "now");
}

TEST_CASE("traces and profiles see several recomputed results", "[autograd][recompute][trace]") {
  const Variable x = parameter(ones({4}, DType::f64));
  const auto f = [](Inputs in) -> Results { return {in[0] * 2, in[0] * 3}; };
  const Variable loss = sum(recompute(f, {x})[1]);
  const Trace t = trace(loss);
  CHECK(t.nodes.size() == 4);
  for (const TraceNode& node : t.nodes) CHECK(node.gradient.has_value());
  CHECK(t.nodes[1].gradient->norm == 0);  // the first result is not used
  CHECK(t.nodes[2].gradient->norm == 2);
  const Profile p = profile([&] { sum(recompute(f, {x})[0]).backward(); });
  CHECK(p.seconds > 0);
}

}  // namespace
}  // namespace tensorette::testing
