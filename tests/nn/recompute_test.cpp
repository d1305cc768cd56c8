// Layers computed again in backward: what it saves, and that nothing else changes.
#include <tensorette_test.hpp>

#include <algorithm>
#include <compare.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/autograd/recompute.hpp>
#include <tensorette/nn/transformer.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/memory.hpp>
#include <tensorette/tensor/random.hpp>

namespace tensorette::testing {
namespace {

struct Run {
  std::int64_t peak_bytes = 0;  // of one step, above what lives before and after it
  std::vector<Tensor> gradients;
  Tensor output;
};

Run step_of_encoder(bool recomputed) {
  Generator generator(7);
  nn::TransformerEncoder encoder(12,
                                 {.dim = 32,
                                  .heads = 4,
                                  .hidden = 128,
                                  .dropout = 0.2,
                                  .attention_dropout = 0.1,
                                  .activation_dropout = 0.1,
                                  .norm_first = true},
                                 true, generator);
  const Variable input = parameter(generator.normal({4, 64, 32}));
  const auto mask =
      nn::AttentionMask::causal() & nn::AttentionMask::key_lengths({64, 64, 50, 9}, 64);
  // Room for the gradients is no part of what is compared.
  for (const Variable& p : encoder.parameters()) p.set_grad(Variable(zeros(p.shape())));
  input.set_grad(Variable(zeros(input.shape())));

  Run run;
  memory::reset_peak();
  const std::int64_t before = memory::statistics().live_bytes;
  {
    Variable h = input;
    for (const auto& layer : encoder.layers) {
      const auto forward = [&layer, &mask](const Variable& v) { return layer.forward(v, mask); };
      h = recomputed ? recompute(forward, h) : forward(h);
    }
    h = encoder.norm->forward(h);
    run.output = h.value();
    sum(h * h).backward();
  }
  run.peak_bytes = memory::statistics().peak_live_bytes - before;
  run.gradients.push_back(input.grad().value());
  for (const Variable& p : encoder.parameters()) run.gradients.push_back(p.grad().value());
  return run;
}

TEST_CASE("recomputing twelve encoder layers needs a third of the memory, for the same gradients",
          "[nn][recompute]") {
  const Run plain = step_of_encoder(false);
  const Run again = step_of_encoder(true);
  CHECK(same_bits(again.output, plain.output));
  REQUIRE(again.gradients.size() == plain.gradients.size());
  for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
    CHECK(same_bits(again.gradients[i], plain.gradients[i]));
  }
  INFO("peak bytes " << again.peak_bytes << " instead of " << plain.peak_bytes);
  CHECK(3 * again.peak_bytes <= plain.peak_bytes);
  CHECK(again.peak_bytes > 0);
}

}  // namespace
}  // namespace tensorette::testing
