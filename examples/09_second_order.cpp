// 09: second order. Gradients are Variables, so they can be differentiated again: to find a minimum
// in a few steps, and to train on the slope of a model.
//
// Run     bin/09_second_order
// Shows   grad, hessian, hvp, a gradient penalty
#include <fmt/format.h>

#include <cmath>
#include <tensorette/tensorette.hpp>
#include <vector>

namespace tt = tensorette;

namespace {

// The function of Rosenbrock (1960): a curved valley with a flat floor.
tt::Variable valley(const tt::Variable& x) {
  const tt::Variable a = select(x, 0, 0);
  const tt::Variable b = select(x, 0, 1);
  return square(1 - a) + 100 * square(b - square(a));
}

// The solution of a 2 × 2 system H p = g by Cramer's rule.
tt::Tensor solved(const tt::Tensor& h, const tt::Tensor& g) {
  const double a = h.at<double>(0, 0);
  const double b = h.at<double>(0, 1);
  const double c = h.at<double>(1, 0);
  const double d = h.at<double>(1, 1);
  const double determinant = a * d - b * c;
  const double x = g.at<double>(0);
  const double y = g.at<double>(1);
  return tt::tensor({(d * x - b * y) / determinant, (a * y - c * x) / determinant}, tt::DType::f64);
}

// x ← x − H⁻¹ g; the value it comes to.
double newton() {
  fmt::print(
      "Newton's method on the banana valley (1 − a)² + 100 (b − a²)², minimum 0 at (1, 1):\n");
  tt::Tensor x = tt::tensor({-1.2, 1}, tt::DType::f64);
  for (int step = 0;; ++step) {
    const auto [value, gradient] = tt::value_and_grad(valley)(x);
    fmt::print("  step {}   at ({:.6f}, {:.6f})   value {:.8f}\n", step, x.at<double>(0),
               x.at<double>(1), value.item());
    if (step == 7) return value.item();
    x = x - solved(tt::hessian(valley, x).value(), gradient.value());
  }
}

// x ← x − 0.001 g, the longest step that does not run away.
double gradient_descent() {
  tt::Tensor x = tt::tensor({-1.2, 1}, tt::DType::f64);
  for (int step = 0; step < 1000; ++step) x = x - tt::grad(valley)(x).value() * 0.001;
  return valley(x).item();
}

double dot(const tt::Tensor& a, const tt::Tensor& b) {
  return sum(a * b).item();
}

// Newton steps in many dimensions: H p = g by conjugate gradients, which ask for products H v only.
double newton_without_hessian() {
  const tt::Index dimensions = 20;
  tt::Generator generator(3);
  const tt::Tensor data = generator.normal({40, dimensions}, 0, 1, tt::DType::f64);
  // The loss of logistic regression with weight decay: convex, with one minimum.
  const tt::Tensor labels = (select(data, 1, 0) > 0.0).to(tt::DType::f64) * 2.0 - 1.0;
  const auto loss = [&](const tt::Variable& w) {
    return mean(softplus(-(matmul(data, w) * labels))) + 0.01 * sum(square(w));
  };
  tt::Tensor w = tt::zeros({dimensions}, tt::DType::f64);
  for (int step = 0; step < 6; ++step) {
    const tt::Tensor gradient = tt::grad(loss)(w).value();
    tt::Tensor p = tt::zeros_like(w);
    tt::Tensor residual = gradient;
    tt::Tensor direction = residual;
    for (tt::Index i = 0; i < dimensions && dot(residual, residual) > 1e-24; ++i) {
      const tt::Tensor product = tt::hvp(loss, w, direction).value();
      const double length = dot(residual, residual) / dot(direction, product);
      const tt::Tensor next = residual - product * length;
      p = p + direction * length;
      direction = next + direction * (dot(next, next) / dot(residual, residual));
      residual = next;
    }
    w = w - p;
  }
  return norm(tt::grad(loss)(w).value()).item();
}

struct Fit {
  double training_error;
  double true_error;  // against the line without noise, between the points too
};

// A network that is far too large for 12 noisy points, with `penalty` times the variance of its
// slope: a line has the same slope everywhere. The slope is a gradient; to train on it takes the
// second derivatives of the network.
Fit fit_line(double penalty) {
  tt::Generator generator(5);
  tt::nn::Sequential model(tt::nn::Linear({.in = 1, .out = 64}, generator), tt::nn::Tanh(),
                           tt::nn::Linear({.in = 64, .out = 64}, generator), tt::nn::Tanh(),
                           tt::nn::Linear({.in = 64, .out = 1}, generator));
  const tt::Tensor x = reshape(tt::linspace(-2, 2, 12), {12, 1});
  const tt::Tensor noisy = x * 0.5 + generator.normal({12, 1}, 0, 0.3);
  const tt::Tensor between = reshape(tt::linspace(-2, 2, 48), {48, 1});
  const auto slopes = tt::grad([&](const tt::Variable& v) { return sum(model.forward(v)); });
  tt::optim::Adam optimizer(model.parameters(), {.learning_rate = 5e-3});
  Fit fit{};
  for (int step = 0; step < 600; ++step) {
    const tt::Variable error = tt::nn::mse(model.forward(x), noisy);
    tt::Variable loss = error;
    if (penalty > 0) loss = loss + penalty * variance(slopes(between));
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    fit.training_error = error.item();
  }
  const tt::NoGrad no_grad;
  fit.true_error = tt::nn::mse(model.forward(between), between * 0.5).item();
  return fit;
}

}  // namespace

int main() {
  const double by_newton = newton();
  const double by_descent = gradient_descent();
  fmt::print("1000 steps down the gradient come to            value {:.8f}\n\n", by_descent);

  const double left = newton_without_hessian();
  fmt::print(
      "Six Newton steps from Hessian-vector products, in 20 dimensions: a gradient of {:.1e} is "
      "left\n\n",
      left);

  fmt::print("A network of 4,353 numbers fits 12 noisy points of a line\n");
  const Fit free = fit_line(0);
  const Fit tame = fit_line(1);
  fmt::print(
      "  as it likes:                        error {:.4f} at the points, {:.4f} to the line\n",
      free.training_error, free.true_error);
  fmt::print(
      "  with a penalty on changing slopes:  error {:.4f} at the points, {:.4f} to the line\n",
      tame.training_error, tame.true_error);

  const bool all_well = by_newton < 1e-20 && by_descent > 1e-3 && left < 1e-8 &&
                        free.training_error < tame.training_error &&
                        2 * tame.true_error < free.true_error;
  return all_well ? 0 : 1;
}

// Output
//
//     Newton's method on the banana valley (1 − a)² + 100 (b − a²)², minimum 0 at (1, 1):
//       step 0   at (-1.200000, 1.000000)   value 24.20000000
//       step 1   at (-1.175281, 1.380674)   value 4.73188433
//       step 2   at (0.763115, -3.175034)   value 1411.84517931
//       step 3   at (0.763430, 0.582825)   value 0.05596552
//       step 4   at (0.999995, 0.944027)   value 0.31318908
//       step 5   at (0.999996, 0.999991)   value 0.00000000
//       step 6   at (1.000000, 1.000000)   value 0.00000000
//       step 7   at (1.000000, 1.000000)   value 0.00000000
//     1000 steps down the gradient come to            value 0.45352902
//
//     Six Newton steps from Hessian-vector products, in 20 dimensions: a gradient of 3.7e-13 is
//     left
//
//     A network of 4,353 numbers fits 12 noisy points of a line
//       as it likes:                        error 0.0146 at the points, 0.0453 to the line
//       with a penalty on changing slopes:  error 0.0531 at the points, 0.0024 to the line
