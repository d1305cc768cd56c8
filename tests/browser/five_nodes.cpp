// Writes the page of a graph of a few nodes: mean(tanh(x W + b)).
#include <tensorette/tensorette.hpp>

namespace tt = tensorette;

int main(int, char** arguments) {
  const tt::Variable weight =
      tt::parameter(tt::from_vector<float>({0.5F, -1, 2, 0.25F, 1, -0.5F}, {3, 2}), "weight");
  const tt::Variable bias = tt::parameter(tt::zeros({2}), "bias");
  const tt::Variable x(tt::from_vector<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
  const tt::Recording recording;
  const tt::Variable loss = tt::mean(tt::tanh(tt::matmul(x, weight) + bias));
  tt::write_trace_page(arguments[1], tt::trace(loss), {.title = "mean(tanh(x W + b))"});
}
