#include "sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette::character_gpt {
namespace {

void check(const SamplingOptions& options) {
  if (!(options.temperature >= 0) || !std::isfinite(options.temperature)) {
    throw Error(fmt::format("sampling: the temperature must be 0 or positive, got {}",
                            options.temperature));
  }
  if (options.top_k < 0) {
    throw Error(fmt::format("sampling: top_k must be 0 or positive, got {}", options.top_k));
  }
}

}  // namespace

Index draw(const Tensor& logits, const SamplingOptions& options, Generator& generator) {
  check(options);
  const auto values = logits.to(DType::f64).to_vector<double>();
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
    throw Error("sampling: the logits are not all finite");
  }
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  if (options.temperature == 0) return static_cast<Index>(order.front());
  if (options.top_k > 0 && options.top_k < static_cast<Index>(order.size())) {
    order.resize(static_cast<std::size_t>(options.top_k));
  }

  // The probabilities up to a common factor, and their sums up to each character.
  std::vector<double> sums;
  double sum = 0;
  for (const std::size_t character : order) {
    sum += std::exp((values[character] - values[order.front()]) / options.temperature);
    sums.push_back(sum);
  }
  const double drawn = generator.next_uniform() * sum;
  const auto place = std::upper_bound(sums.begin(), sums.end() - 1, drawn) - sums.begin();
  return static_cast<Index>(order[static_cast<std::size_t>(place)]);
}

std::vector<Index> write_on(const Gpt& model, std::vector<Index> text, Index count,
                            const SamplingOptions& options, Generator& generator,
                            const std::function<void(Index)>& say) {
  const auto latest = [&](Index wanted) {
    const Index length = std::min(wanted, static_cast<Index>(text.size()));
    return std::vector<Index>(text.end() - length, text.end());
  };
  const Index context = model.options().context;
  GptCache cache = model.start();
  std::vector<Index> unseen = latest(context);
  std::vector<Index> written;
  for (Index i = 0; i < count; ++i) {
    const Index seen = cache.front().length();
    if (seen + static_cast<Index>(unseen.size()) > context) {
      // The positions are used up: begin again with the later half of what the model sees. So each
      // character is computed twice on average, not `context` times.
      cache = model.start();
      unseen = latest(std::max<Index>(context / 2, 1));
    }
    const auto length = static_cast<Index>(unseen.size());
    const Tensor logits = model.forward_cached(from_vector(unseen, {1, length}), cache).value();
    const Index character = draw(select(select(logits, 0, 0), 0, length - 1), options, generator);
    text.push_back(character);
    written.push_back(character);
    unseen = {character};
    say(character);
  }
  return written;
}

}  // namespace tensorette::character_gpt
