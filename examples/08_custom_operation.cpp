// 08: an operation of your own. Write what it computes and how gradients pass through it; ask
// gradcheck whether that is right; use it like any other.
//
// Run     bin/08_custom_operation
// Shows   custom_operation, gradcheck, gradgradcheck, grad of grad, what a wrong vjp looks like
//
// To make it another function, change the two formulas in softsign() below; gradcheck tells the
// rest. For y = x³, say: forward `in[0] * in[0] * in[0]`, vjp `c.grad() * 3 * square(c.input(0))`.
#include <fmt/format.h>

#include <span>
#include <string>
#include <tensorette/tensorette.hpp>
#include <vector>

namespace tt = tensorette;

namespace {

// y = x / (1 + |x|)          dy/dx = 1 / (1 + |x|)²
// The vjp takes the gradient of y, c.grad(), and gives that of x. It is written in operations on
// Variables, so it can be differentiated in turn.
tt::Variable softsign(const tt::Variable& x) {
  return tt::custom_operation({x}, {.name = "softsign",
                                    .forward = [](auto in) { return in[0] / (abs(in[0]) + 1); },
                                    .vjp = [](const tt::VjpContext& c) -> tt::Grads {
                                      return c.grad() / square(abs(c.input(0)) + 1);
                                    }});
}

// The mistake everybody makes once.
tt::Variable wrong_softsign(const tt::Variable& x) {
  return tt::custom_operation({x}, {.name = "wrong_softsign",
                                    .forward = [](auto in) { return in[0] / (abs(in[0]) + 1); },
                                    .vjp = [](const tt::VjpContext& c) -> tt::Grads {
                                      return -c.grad() / square(abs(c.input(0)) + 1);
                                    }});
}

// Fast, and good for first derivatives only: values of tensors have no graph.
tt::Variable softsign_on_tensors(const tt::Variable& x) {
  return tt::custom_operation({x},
                              {.name = "softsign_on_tensors",
                               .forward = [](auto in) { return in[0] / (abs(in[0]) + 1); },
                               .vjp = [](const tt::VjpContext& c) -> tt::Grads {
                                 const tt::Tensor x_value = c.input(0).value();
                                 return tt::Variable(c.grad().value() / square(abs(x_value) + 1));
                               }});
}

// A network of softsigns, trained on x² in [-1, 1]; the mean squared error it comes to.
double error_of_network() {
  tt::Generator generator(1);
  tt::nn::Linear first({.in = 1, .out = 16}, generator);
  tt::nn::Linear second({.in = 16, .out = 1}, generator);
  std::vector<tt::Variable> parameters = first.parameters();
  for (const tt::Variable& parameter : second.parameters()) parameters.push_back(parameter);
  tt::optim::Adam optimizer(parameters, {.learning_rate = 0.02});
  const tt::Tensor x = reshape(tt::linspace(-1, 1, 64), {64, 1});
  double error = 0;
  for (int step = 0; step < 500; ++step) {
    const tt::Variable y = second.forward(softsign(first.forward(x)));
    const tt::Variable loss = tt::nn::mse(y, square(x));
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    error = loss.item();
  }
  return error;
}

}  // namespace

int main() {
  // gradcheck needs f64, and values away from kinks: |x| has one at 0.
  const std::vector<tt::Variable> inputs{tt::tensor({{0.5, -1.5}, {2, -0.25}}, tt::DType::f64)};
  const auto function = [](std::span<const tt::Variable> in) { return softsign(in[0]); };
  const tt::GradcheckReport first = tt::gradcheck(function, inputs);
  const tt::GradcheckReport second = tt::gradgradcheck(function, inputs);
  fmt::print("softsign(x) = x / (1 + |x|), an operation the library does not have\n");
  fmt::print("  first order:   {}\n", first.to_string());
  fmt::print("  second order:  {}\n", second.to_string());

  // Derivatives of any order: f' = (1 + x)⁻², f'' = −2 (1 + x)⁻³ for x > 0.
  const tt::Variable three = tt::scalar(3, tt::DType::f64);
  const double slope = tt::grad(softsign)(three).item();
  const double curvature = tt::grad(tt::grad(softsign))(three).item();
  fmt::print("  at 3:  value {:.8f}   slope {:.8f}   curvature {:.8f}\n", softsign(three).item(),
             slope, curvature);

  // The full Jacobian: every output against every input.
  const tt::GradcheckReport wrong =
      tt::gradcheck([](std::span<const tt::Variable> in) { return wrong_softsign(in[0]); }, inputs,
                    {.full_jacobian = true});
  fmt::print("\nThe same with a sign lost on the way:\n{}\n", wrong.to_string());

  std::string refusal;
  try {
    static_cast<void>(tt::grad(tt::grad(softsign_on_tensors))(three));
  } catch (const tt::GraphError& error) {
    refusal = error.what();
  }
  fmt::print("\nThe same with a vjp on tensors, which can't be differentiated again:\n  {}\n",
             refusal);

  const double error = error_of_network();
  fmt::print("\nA network with softsign inside learned x² to a mean squared error of {:.6f}\n",
             error);

  const bool is_named = wrong.likely_cause.find("wrong sign") != std::string::npos;
  const bool is_exact = slope == 0.0625 && curvature == -0.03125;
  const bool all_well = first.ok() && second.ok() && !wrong.ok() && is_named && is_exact &&
                        !refusal.empty() && error < 1e-3;
  return all_well ? 0 : 1;
}

// Output
//
//     softsign(x) = x / (1 + |x|), an operation the library does not have
//       first order:   gradients are right: 6 derivatives compared, largest relative error 2.8e-12
//       second order:  gradients are right: 12 derivatives compared, largest relative error 2.1e-11
//       at 3:  value 0.75000000   slope 0.06250000   curvature -0.03125000
//
//     The same with a sign lost on the way:
//     gradients are wrong: 4 of 16 derivatives
//       input 0 [2, 2], element [0, 0], output element 0: backward gives -0.4444444444, differences
//       give 0.4444444444 (2 relative error)
//       input 0 [2, 2], element [0, 1], output element 1: backward gives -0.16, differences
//       give 0.16 (2 relative error)
//       input 0 [2, 2], element [1, 0], output element 2: backward gives -0.1111111111, differences
//       give 0.1111111111 (2 relative error)
//       input 0 [2, 2], element [1, 1], output element 3: backward gives -0.64, differences
//       give 0.64 (2 relative error)
//       likely cause: the gradient of input 0 has the wrong sign
//
//     The same with a vjp on tensors, which can't be differentiated again:
//       softsign_on_tensors: its vjp calculates on tensors, so it can't be differentiated again;
//       write it in operations on Variables
//
//     A network with softsign inside learned x² to a mean squared error of 0.000009
