// Writes the page of a graph of two thousand nodes in no module: a long recurrence.
#include <tensorette/tensorette.hpp>

namespace tt = tensorette;

int main(int, char** arguments) {
  const tt::Variable weight = tt::parameter(tt::from_vector<float>({0.5F, 0.25F}, {2}), "weight");
  tt::Variable state = weight;
  for (int i = 0; i < 499; ++i) state = tt::tanh(tt::sin(state) * weight + state);
  tt::write_trace_page(arguments[1], tt::trace(tt::sum(state)), {.title = "A long recurrence"});
}
