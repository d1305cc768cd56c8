// Nothing recurses over the graph: long chains are built, walked and dropped with a small stack.
#include <tensorette_test.hpp>

#include <algorithm>
#include <ctime>
#include <functional>
#include <small_stack.hpp>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>
#include <vector>

namespace tensorette::testing {
namespace {

// Processor time, so that other programs do not count.
double seconds_of(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST_CASE("a chain of 200000 sums is dropped with and without backward",
          "[autograd][deep][field][B26]") {
  const std::int64_t before = live_nodes();
  with_small_stack([] {
    const Variable x = parameter(scalar(1, DType::f64));
    const auto chain = [&x] {
      Variable y = x;
      for (int i = 0; i < 200000; ++i) y = y + x;
      return y;
    };
    {
      const Variable dropped = chain();
      CHECK(dropped.item() == 200001);
    }
    CHECK_FALSE(x.grad().is_defined());
    chain().backward();
    CHECK(x.grad().item() == 200001);
  });
  CHECK(live_nodes() == before);
}

TEST_CASE("a chain of 100000 steps is walked in time that grows with its length",
          "[autograd][deep][field][B27]") {
  const auto walk = [](int steps) {
    with_small_stack([steps] {
      const Variable x = parameter(scalar(1, DType::f64));
      Variable y = x;
      for (int i = 0; i < steps; ++i) y = y * 1 + 0;
      y.backward();
      CHECK(x.grad().item() == 1);
    });
  };
  walk(10000);
  // The best of a few runs.
  double half = 1e9;
  double whole = 1e9;
  for (int run = 0; run < 3; ++run) {
    half = std::min(half, seconds_of([&] { walk(50000); }));
    whole = std::min(whole, seconds_of([&] { walk(100000); }));
  }
  CHECK(whole <= 3 * half);
}

TEST_CASE("a chain of a million nodes is built, walked and dropped", "[autograd][deep]") {
  const std::int64_t before = live_nodes();
  with_small_stack([] {
    const Variable x = parameter(scalar(1, DType::f64));
    Variable y = x;
    for (int i = 0; i < 1000000; ++i) y = y + 1;
    y.backward();
    CHECK(x.grad().item() == 1);
  });
  CHECK(live_nodes() == before);
}

TEST_CASE("grad() and a kept graph of 100000 nodes need no deep stack", "[autograd][deep]") {
  with_small_stack([] {
    const Variable x = parameter(scalar(1, DType::f64));
    Variable y = x;
    for (int i = 0; i < 100000; ++i) y = y + 1;
    CHECK(grad(y, x, {.retain_graph = true}).item() == 1);
    y.backward({.retain_graph = true});
    CHECK(x.grad().item() == 1);
  });
}

TEST_CASE("second derivatives of a deep chain are walked with a small stack", "[autograd][deep]") {
  with_small_stack([] {
    const Variable x = parameter(scalar(1, DType::f64));
    Variable y = x;
    for (int i = 0; i < 20000; ++i) y = y * 1.0;
    const Variable first = grad(square(y), x, {.create_graph = true});
    CHECK(first.item() == 2);
    CHECK(grad(first, x).item() == 2);
  });
}

TEST_CASE("a value doubled 60 times is visited once a step, not once a path", "[autograd][deep]") {
  const Variable x = parameter(scalar(1, DType::f64));
  const double seconds = seconds_of([&x] {
    Variable y = x;
    for (int i = 0; i < 60; ++i) y = y + y;
    CHECK(grad(y, x, {.retain_graph = true}).item() == 1152921504606846976.0);  // 2⁶⁰
    y.backward();
  });
  CHECK(x.grad().item() == 1152921504606846976.0);
  CHECK(seconds < 1);
}

TEST_CASE("many consumers of one value and many inputs of one operation", "[autograd][deep]") {
  const Variable x = parameter(scalar(1, DType::f64));
  std::vector<Variable> parts;
  for (int i = 0; i < 2000; ++i) parts.push_back(x * i);
  sum(stack(parts)).backward();
  CHECK(x.grad().item() == 1999000);
}

}  // namespace
}  // namespace tensorette::testing
