// Writes the page of the loss of a translation model, in the sizes of the demonstration.
#include <tensorette/tensorette.hpp>

namespace tt = tensorette;

int main(int, char** arguments) {
  tt::Generator generator(1);
  tt::nn::Transformer model({.source_vocabulary = 144,
                             .target_vocabulary = 172,
                             .decoder_heads = 1,
                             .encoder_layers = 3,
                             .decoder_layers = 1},
                            generator);
  model.name_parameters();
  const tt::Tensor source = generator.integers({64, 12}, 1, 144);
  const tt::Tensor input = generator.integers({64, 13}, 1, 172);
  const tt::Tensor labels = generator.integers({64, 13}, 1, 172);
  const tt::Recording recording;
  const tt::Variable loss = tt::nn::cross_entropy(model.forward(source, input), labels);
  tt::write_trace_page(arguments[1], tt::trace(loss), {.title = "Loss of a translation model"});
}
