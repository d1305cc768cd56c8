#include "guidance.hpp"

#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/error.hpp>

namespace tensorette::translation {
namespace {

// Keeps the logarithm finite where a score has vanished.
constexpr double kLeastScore = 1e-9;

}  // namespace

Guidance::Guidance(const std::vector<SentencePair>& pairs) {
  links_.reserve(pairs.size());
  for (const SentencePair& pair : pairs) {
    links_.emplace_back();
    if (!pair.pronoun) continue;
    links_.back() = Link{.query = pair.pronoun->it_index, .key = pair.pronoun->antecedent_index};
    is_empty_ = false;
  }
}

std::optional<Variable> Guidance::loss(const Variable& scores,
                                       const std::vector<std::size_t>& rows) const {
  if (scores.rank() != 4 || scores.size(0) != static_cast<Index>(rows.size())) {
    throw ShapeError(
        "guidance: scores are [batch, heads, sources, sources] with a row for each of " +
        std::to_string(rows.size()) + " pairs, got " + to_string(scores.shape()));
  }
  const Index heads = scores.size(1);
  const Index sources = scores.size(2);
  std::vector<Index> places;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::optional<Link>& link = links_.at(rows[row]);
    if (!link) continue;
    const Index first_head = static_cast<Index>(row) * heads;
    places.push_back((first_head * sources + link->query) * sources + link->key);
  }
  if (places.empty()) return std::nullopt;
  const Variable chosen = index_select(reshape(scores, {-1}), 0, from_vector(places));
  return -mean(log(chosen + kLeastScore));
}

}  // namespace tensorette::translation
