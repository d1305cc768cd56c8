// 03: XOR. The smallest task that one linear layer can't do, and two can.
//
// Run     bin/03_xor           (well under a second)
// Shows   Linear, Sequential, a loss, an optimiser, the training loop
#include <fmt/format.h>

#include <tensorette/tensorette.hpp>

namespace tt = tensorette;

int main() {
  const tt::Tensor inputs = tt::tensor({{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  const tt::Tensor targets = tt::tensor({{0}, {1}, {1}, {0}});  // one or the other, not both

  tt::Generator generator(3);
  tt::nn::Sequential model(tt::nn::Linear({.in = 2, .out = 8}, generator), tt::nn::Tanh(),
                           tt::nn::Linear({.in = 8, .out = 1}, generator));
  tt::optim::SGD optimizer(model.parameters(), {.learning_rate = 0.5, .momentum = 0.9});

  double loss_value = 0;
  for (int step = 0; step <= 300; ++step) {
    const tt::Variable loss = tt::nn::bce_with_logits(model.forward(inputs), targets);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    loss_value = loss.item();
    if (step % 100 == 0) fmt::print("step {:3}  loss {:.5f}\n", step, loss_value);
  }

  const tt::Tensor output = tt::sigmoid(model.forward(inputs).value());
  int right = 0;
  for (int i = 0; i < 4; ++i) {
    const float probability = output.at<float>(i, 0);
    const bool answer = probability > 0.5F;
    right += answer == (targets.at<float>(i, 0) == 1.0F) ? 1 : 0;
    fmt::print("{} xor {} = {:.3f}\n", inputs.at<float>(i, 0), inputs.at<float>(i, 1), probability);
  }
  return right == 4 && loss_value < 0.05 ? 0 : 1;
}

// Output
//
//     step   0  loss 0.70455
//     step 100  loss 0.00175
//     step 200  loss 0.00096
//     step 300  loss 0.00065
//     0 xor 0 = 0.000
//     0 xor 1 = 0.999
//     1 xor 0 = 0.999
//     1 xor 1 = 0.001
