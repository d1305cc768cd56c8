// 07: fit a function and draw it. A small network sees 40 noisy points of a curve and learns the
// curve; its slope, the derivative that was never shown, comes for free.
//
// Run     bin/07_fit_a_function                 (a second; writes fit.svg beside you)
// Shows   Sequential, mse, Adam, grad of a model, pictures
#include <fmt/format.h>

#include <cmath>
#include <support/atomic_file.hpp>
#include <support/line_chart.hpp>
#include <support/line_chart_text.hpp>
#include <support/terminal.hpp>
#include <tensorette/tensorette.hpp>
#include <vector>

namespace tt = tensorette;
namespace pictures = tensorette::pictures;

namespace {

constexpr tt::Index point_count = 40;
constexpr tt::Index places = 121;  // where the pictures look
constexpr double widest = 3;

// The curve and its slope.
tt::Tensor curve(const tt::Tensor& x) {
  return sin(x * 2.0) + x * 0.3;
}
tt::Tensor slope(const tt::Tensor& x) {
  return cos(x * 2.0) * 2.0 + 0.3;
}

std::vector<double> numbers(const tt::Tensor& x) {
  return x.to(tt::DType::f64).to_vector<double>();
}

double root_mean_square(const tt::Tensor& x) {
  return std::sqrt(mean(square(x)).item());
}

void show(const pictures::LineChart& chart) {
  fmt::print("\n{}", line_chart_text(chart, pictures::detect_terminal(1)));
}

}  // namespace

int main() {
  tt::Generator generator(4);
  const tt::Tensor x = reshape(tt::linspace(-widest, widest, point_count), {point_count, 1});
  const tt::Tensor y = curve(x) + generator.normal(x.shape(), 0, 0.05);

  tt::nn::Sequential model(tt::nn::Linear({.in = 1, .out = 32}, generator), tt::nn::Tanh(),
                           tt::nn::Linear({.in = 32, .out = 32}, generator), tt::nn::Tanh(),
                           tt::nn::Linear({.in = 32, .out = 1}, generator));
  tt::optim::Adam optimizer(model.parameters(), {.learning_rate = 0.01});
  std::vector<double> errors;
  for (int step = 0; step <= 2000; ++step) {
    const tt::Variable loss = tt::nn::mse(model.forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    errors.push_back(loss.item());
    if (step % 500 == 0) fmt::print("step {:4}   error {:.4f}\n", step, loss.item());
  }

  // The model as a function; its gradient, summed over all places, is its slope at each.
  const tt::NoGrad no_grad;
  const tt::Tensor at = reshape(tt::linspace(-widest, widest, places), {places, 1});
  const auto total = [&](const tt::Variable& v) { return sum(model.forward(v)); };
  const tt::Tensor learned = model.forward(at).value();
  const tt::Tensor learned_slope = tt::grad(total)(at).value();

  const pictures::LineChart fit{.title = "What was learned from 40 noisy points",
                                .x_label = "x",
                                .series = {{"learned", numbers(at), numbers(learned)},
                                           {"true", numbers(at), numbers(curve(at))}}};
  show(fit);
  show({.title = "Its slope, which no point told",
        .x_label = "x",
        .series = {{"learned", numbers(at), numbers(learned_slope)},
                   {"true", numbers(at), numbers(slope(at))}}});
  pictures::write_file_atomically("fit.svg", line_chart_svg(fit));

  const double distance = root_mean_square(learned - curve(at));
  const double slope_distance = root_mean_square(learned_slope - slope(at));
  fmt::print("\nroot mean square distance to the true curve {:.3f}, to its slope {:.3f}\n",
             distance, slope_distance);
  fmt::print("written: fit.svg\n");
  return distance < 0.06 && slope_distance < 0.4 ? 0 : 1;
}

// Output
//
//     step    0   error 0.6284
//     step  500   error 0.0016
//     step 1000   error 0.0014
//     step 1500   error 0.0013
//     step 2000   error 0.0012
//
//     What was learned from 40 noisy points
//        1.5 ┤
//            │                                     ×××
//        1.0 ┤                                    ×× •××
//            │                                   ×     ××•
//            │                                  ×        ×           ×
//        0.5 ┤                                 ×         ××         ××
//            │            ××××                ××          ××        ×
//          0 ┤           ×•   ××              ×            ××     •×
//            │          ×      ××            ×•             ××   •×
//            │         ×        ××          ××                ××××
//       -0.5 ┤        ××         ××         ×
//            │        ×           ×        ×
//       -1.0 ┤                     ××     ×
//            │                      ××• ××•
//            │                        ×××
//       -1.5 ┤
//            └────────────────────────────────────────────────────────────────
//            -4            -2               0               2               4
//             • learned   × true   over x
//
//     Its slope, which no point told
//        3 ┤
//          │
//          │        ×                      ××××                      ×
//        2 ┤        •××                   ××••××•                  ××
//          │          ××                 ××    ××                 ××••
//          │           ×                ×        ×               •×
//        1 ┤            ×              ××        ××             •×
//          │             ×             ×          ×             ×
//          │             ×            ×•           ×           •×
//        0 ┤              ×          ××            ××          ×
//          │               ×        •×              ×•        ×
//          │               ×       •×                ×•       ×
//       -1 ┤                ××    •××                ××•    ××
//          │                 ××   ××                  ××   ××
//          │                  ×××××                    ×××××•
//       -2 ┤
//          └──────────────────────────────────────────────────────────────────
//          -4             -2               0               2               4
//           • learned   × true   over x
//
//     root mean square distance to the true curve 0.029, to its slope 0.153
//     written: fit.svg
