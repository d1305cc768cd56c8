#include "attention_scores.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tensorette/tensor/error.hpp>

namespace tensorette::pictures {
namespace {

/// Sums of rounded numbers may stand a little above 1.
constexpr double rounding = 1e-4;

HeatMap empty_map(const AttentionScores& attention, std::string title) {
  HeatMap map{.title = std::move(title), .queries = attention.queries, .keys = attention.keys};
  map.values.assign(attention.queries.size() * attention.keys.size(), 0.0);
  return map;
}

void check_layer(const AttentionScores& attention, std::size_t layer) {
  if (layer < attention.layers) return;
  throw IndexError(fmt::format("attention: \"{}\" has {} layers, asked for layer {} (from 0)",
                               attention.name, attention.layers, layer));
}

}  // namespace

void check_attention_scores(const AttentionScores& attention) {
  const std::size_t queries = attention.queries.size();
  const std::size_t keys = attention.keys.size();
  if (attention.name.empty()) throw Error("attention: the name is empty");
  if (attention.layers == 0 || attention.heads == 0 || queries == 0 || keys == 0) {
    throw Error(fmt::format(
        "attention: \"{}\" needs layers, heads, queries and keys, got {}, {}, {} and {}",
        attention.name, attention.layers, attention.heads, queries, keys));
  }
  if (attention.scores.size() != attention.layers * attention.heads * queries * keys) {
    throw ShapeError(fmt::format("attention: \"{}\" has {} scores for shape [{}, {}, {}, {}]",
                                 attention.name, attention.scores.size(), attention.layers,
                                 attention.heads, queries, keys));
  }
  for (std::size_t i = 0; i < attention.scores.size(); ++i) {
    const double score = attention.scores[i];
    if (!(score >= -rounding && score <= 1.0 + rounding)) {
      throw Error(fmt::format("attention: \"{}\": score {} is {}, expected 0 to 1", attention.name,
                              i, score));
    }
  }
}

HeatMap head_map(const AttentionScores& attention, std::size_t layer, std::size_t head) {
  check_attention_scores(attention);
  check_layer(attention, layer);
  if (head >= attention.heads) {
    throw IndexError(fmt::format("attention: \"{}\" has {} heads, asked for head {} (from 0)",
                                 attention.name, attention.heads, head));
  }
  HeatMap map = empty_map(attention, fmt::format("layer {}, head {}", layer + 1, head + 1));
  const std::size_t begin = (layer * attention.heads + head) * map.values.size();
  for (std::size_t i = 0; i < map.values.size(); ++i) map.values[i] = attention.scores[begin + i];
  return map;
}

HeatMap mean_map(const AttentionScores& attention, std::size_t layer) {
  check_attention_scores(attention);
  check_layer(attention, layer);
  HeatMap map = empty_map(attention, fmt::format("layer {}, mean of heads", layer + 1));
  const std::size_t size = map.values.size();
  for (std::size_t head = 0; head < attention.heads; ++head) {
    const std::size_t begin = (layer * attention.heads + head) * size;
    for (std::size_t i = 0; i < size; ++i) map.values[i] += attention.scores[begin + i];
  }
  for (double& value : map.values) value /= static_cast<double>(attention.heads);
  return map;
}

std::string thousandths(const std::vector<double>& scores) {
  std::string text;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (i > 0) text += ',';
    const long rounded = std::lround(scores[i] * 1000.0);
    if (rounded != 0) text += fmt::format("{}", rounded);
  }
  return text;
}

}  // namespace tensorette::pictures
