#include "training_cost.hpp"

#include <algorithm>
#include <chrono>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/matmul.hpp>

namespace tensorette::translation {

double training_products(const nn::TransformerOptions& model, const Batch& batch) {
  const auto dim = static_cast<double>(model.dim);
  const double attention_dim = model.qkv_dim == 0 ? dim : static_cast<double>(model.qkv_dim);
  const auto rows = static_cast<double>(batch.size);
  const auto source = static_cast<double>(batch.source_length);
  const auto target = static_cast<double>(batch.target_length);

  // Multiplications of a token: one projection of an attention, the feed-forward network.
  const double projection = dim * attention_dim;
  const double feed_forward = 2 * dim * static_cast<double>(model.hidden);
  // Scores and their sums of values, of one sentence.
  const auto attention = [&](double queries, double keys) {
    return 2 * queries * keys * attention_dim;
  };
  const double encoder_layer = source * (4 * projection + feed_forward) + attention(source, source);
  const double decoder_layer = target * (6 * projection + feed_forward) + source * 2 * projection +
                               attention(target, target) / 2 + attention(target, source);
  const double output = target * dim * static_cast<double>(model.target_vocabulary);
  const double forward = static_cast<double>(model.encoder_layers) * encoder_layer +
                         static_cast<double>(model.decoder_layers) * decoder_layer + output;
  return 3 * 2 * rows * forward;
}

double sgemm_rate() {
  using Clock = std::chrono::steady_clock;
  constexpr Index size = 1024;
  constexpr double operations = 2.0 * size * size * size;
  constexpr double enough = 0.4;  // seconds
  const Tensor a = full({size, size}, 0.5);
  const Tensor b = full({size, size}, 0.25);
  Tensor product = zeros({size, size});
  double fastest = 1e9;
  double total = 0;
  while (total < enough) {
    const auto began = Clock::now();
    matmul_into(product, a, b);
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    fastest = std::min(fastest, seconds);
    total += seconds;
  }
  return operations / fastest;
}

}  // namespace tensorette::translation
