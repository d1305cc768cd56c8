/// \file
/// Teaching one attention head where "it" points.
/// Before: grammar.hpp. Next: trainer.hpp.
///
/// A translator can get every pronoun right without ever looking from "it" at its noun: the noun
/// may look at the adjective instead, or the decoder may put both together. Which way a run takes
/// is chance. Linguistically informed self-attention (Strubell et al. 2018) and guided alignment
/// (Garg et al. 2019) therefore add a term to the loss for one head, and leave all others free.
#pragma once

#include <cstddef>
#include <optional>
#include <tensorette/autograd/variable.hpp>
#include <vector>

#include "grammar.hpp"

namespace tensorette::translation {

/// Knows for each pair where its "it" stands and which noun that means, if it has one.
class Guidance {
 public:
  explicit Guidance(const std::vector<SentencePair>& pairs);

  /// −mean log scores[row, 0, it, noun] over the rows of the batch that hold an "it": the first
  /// head is the taught one. Nothing if there is no such row.
  /// \param scores [batch, heads, sources, sources] of one encoder layer
  /// \param rows   which of the pairs each row of the batch is
  [[nodiscard]] std::optional<Variable> loss(const Variable& scores,
                                             const std::vector<std::size_t>& rows) const;

  /// Whether any pair holds an "it".
  [[nodiscard]] bool is_empty() const noexcept { return is_empty_; }

 private:
  struct Link {
    Index query = 0;  ///< "it"
    Index key = 0;    ///< the noun
  };
  std::vector<std::optional<Link>> links_;
  bool is_empty_ = true;
};

}  // namespace tensorette::translation
