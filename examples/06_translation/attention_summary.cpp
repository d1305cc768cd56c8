#include "attention_summary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tensorette/nn/attention_analysis.hpp>
#include <tensorette/tensor/create.hpp>

namespace tensorette::translation {
namespace {

// One tensor [1, heads, queries, keys] for each layer.
std::vector<Tensor> layers_of(const pictures::AttentionScores& attention) {
  pictures::check_attention_scores(attention);
  const Shape shape{1, static_cast<Index>(attention.heads),
                    static_cast<Index>(attention.queries.size()),
                    static_cast<Index>(attention.keys.size())};
  const auto count = static_cast<std::size_t>(shape.element_count());
  std::vector<Tensor> layers;
  for (std::size_t layer = 0; layer < attention.layers; ++layer) {
    const std::span<const double> all(attention.scores);
    layers.push_back(from_span(all.subspan(layer * count, count), shape));
  }
  return layers;
}

}  // namespace

std::vector<double> head_entropies(const pictures::AttentionScores& attention) {
  std::vector<double> entropies;
  for (const Tensor& layer : layers_of(attention)) {
    const auto heads = nn::attention_entropy(layer).to_vector<double>();
    entropies.insert(entropies.end(), heads.begin(), heads.end());
  }
  return entropies;
}

std::string entropy_table(const pictures::AttentionScores& attention) {
  const std::vector<double> entropies = head_entropies(attention);
  const std::size_t words = attention.keys.size();
  std::string text = fmt::format(
      "How widely each head looks: the entropy of its scores in nats, mean over the words.\n"
      "0 is at one word only, {:.2f} at all {} alike.\n\n         ",
      std::log(static_cast<double>(words)), words);
  for (std::size_t head = 1; head <= attention.heads; ++head)
    text += fmt::format("  head {}", head);
  text += '\n';
  for (std::size_t layer = 0; layer < attention.layers; ++layer) {
    text += fmt::format("  layer {}", layer + 1);
    for (std::size_t head = 0; head < attention.heads; ++head) {
      text += fmt::format("{:8.2f}", entropies[layer * attention.heads + head]);
    }
    text += '\n';
  }
  return text;
}

pictures::HeatMap rollout_map(const pictures::AttentionScores& attention) {
  return {.title = fmt::format("{}: what came through {} layers", attention.name, attention.layers),
          .queries = attention.queries,
          .keys = attention.keys,
          .values = nn::attention_rollout(layers_of(attention)).to_vector<double>()};
}

}  // namespace tensorette::translation
