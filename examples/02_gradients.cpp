// 02: gradients. Operations on Variables remember how they were made; backward walks back.
//
// Run     bin/02_gradients
// Shows   backward, grad, second derivatives, NoGrad, what errors look like
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <tensorette/tensorette.hpp>

namespace tt = tensorette;

namespace {

int failures = 0;
void expect_near(double value, double right, const char* what) {
  fmt::print("{:34} {:10.6f}   by hand {:10.6f}\n", what, value, right);
  if (std::abs(value - right) > 1e-9) ++failures;
}

}  // namespace

int main() {
  // z = x y + sin x at x = 2, y = 3
  const tt::Variable x = tt::parameter(tt::scalar(2, tt::DType::f64), "x");
  const tt::Variable y = tt::parameter(tt::scalar(3, tt::DType::f64), "y");
  const tt::Variable z = x * y + tt::sin(x);
  z.backward();
  expect_near(x.grad().item(), 3 + std::cos(2.0), "dz/dx = y + cos x");
  expect_near(y.grad().item(), 2, "dz/dy = x");

  // A value that is used twice collects from both uses.
  const tt::Variable w = tt::parameter(tt::scalar(4, tt::DType::f64));
  const tt::Variable twice = 2 * w;
  (3 * twice + 7 * twice).backward();
  expect_near(w.grad().item(), 20, "d(3·2w + 7·2w)/dw");

  // Gradients are Variables themselves: differentiate them again.
  const tt::Variable v = tt::parameter(tt::scalar(2, tt::DType::f64));
  const tt::Variable first = tt::grad(v * v * v, v, {.create_graph = true});
  const tt::Variable second = tt::grad(first, v);
  expect_near(first.item(), 12, "d(v³)/dv = 3v²");
  expect_near(second.item(), 12, "d²(v³)/dv² = 6v");

  // Broadcasting in the other direction: the gradient of a row is summed over its copies.
  const tt::Variable row = tt::parameter(tt::ones({3}, tt::DType::f64));
  const tt::Variable table = tt::sum(row * tt::full({4, 3}, 2, tt::DType::f64));
  table.backward();
  expect_near(row.grad().value().at<double>(0), 8, "a row used by 4 rows of 2");

  {
    const tt::NoGrad no_grad;
    fmt::print("inside NoGrad a result requires a gradient: {}\n", (x * y).requires_grad());
  }
  try {
    z.backward();
  } catch (const tt::GraphError& error) {
    fmt::print("A graph serves once:\n  {}\n", error.what());
  }
  return failures;
}

// Output
//
//     dz/dx = y + cos x                    2.583853   by hand   2.583853
//     dz/dy = x                            2.000000   by hand   2.000000
//     d(3·2w + 7·2w)/dw                   20.000000   by hand  20.000000
//     d(v³)/dv = 3v²                      12.000000   by hand  12.000000
//     d²(v³)/dv² = 6v                     12.000000   by hand  12.000000
//     a row used by 4 rows of 2            8.000000   by hand   8.000000
//     inside NoGrad a result requires a gradient: false
//     A graph serves once:
//       backward: the graph at add (shape []) was released by an earlier backward; pass
//       retain_graph to use it twice
