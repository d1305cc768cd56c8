// A training loop in steady state asks the system for no memory, and graphs leave nothing behind.
#include <tensorette/nn/loss.hpp>
#include <tensorette/nn/optim/adam.hpp>
#include <tensorette/nn/optim/clipping.hpp>
#include <tensorette/nn/transformer.hpp>
#include <tensorette/tensor/memory.hpp>
#include <tensorette/tensor/random.hpp>

#include "tensorette_test.hpp"

using namespace tensorette;

namespace {

// Under AddressSanitizer every block comes from the system and goes back to it.
bool blocks_are_kept() {
  const auto use_a_block = [] { memory::deallocate(memory::allocate(4096), 4096); };
  use_a_block();
  const auto before = memory::statistics().system_allocations;
  use_a_block();
  return memory::statistics().system_allocations == before;
}

}  // namespace

TEST_CASE("a thousand training steps ask the system for no memory", "[nn][memory]") {
  Generator generator(7);
  const nn::TransformerOptions options{.source_vocabulary = 12,
                                       .target_vocabulary = 12,
                                       .dim = 8,
                                       .heads = 2,
                                       .encoder_layers = 1,
                                       .decoder_layers = 1,
                                       .hidden = 16,
                                       .dropout = 0.1,
                                       .attention_dropout = 0.1};
  nn::Transformer model(options, generator);
  optim::Adam optimizer(model.parameters(), {.learning_rate = 1e-3});
  const Shape ids{4, 6};
  const Tensor source = generator.integers(ids, 1, 12);
  const Tensor target = generator.integers(ids, 1, 12);
  const Tensor labels = generator.integers(ids, 1, 12);
  const auto train_step = [&] {
    optimizer.zero_grad();
    nn::cross_entropy(model.forward(source, target), labels).backward();
    optim::clip_gradient_norm(model.parameters(), 1.0);
    optimizer.step();
  };
  for (int step = 0; step < 3; ++step) train_step();
  const auto warm = memory::statistics();
  for (int step = 0; step < 1000; ++step) train_step();
  const auto after = memory::statistics();
  CHECK(after.live_bytes == warm.live_bytes);
  if (blocks_are_kept()) CHECK(after.system_allocations == warm.system_allocations);
}
