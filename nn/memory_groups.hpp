/// \file
/// Hypotheses of one sentence that attend to its memory together, so that none needs a copy.
/// Before: multi_head_attention.hpp. Next: transformer_layers.hpp.
#pragma once

#include <tensorette/autograd/variable.hpp>
#include <vector>

namespace tensorette::nn {

/// Which rows of a batch share which memory. Queries that share one are put side by side, as the
/// queries of one sample; memories with fewer rows than others get queries that nobody reads.
class MemoryGroups {
 public:
  /// Every row has the memory of its own number.
  MemoryGroups() = default;
  /// Row i has memory memory_of_row[i], each of 0 ... memories − 1.
  MemoryGroups(const std::vector<Index>& memory_of_row, Index memories);

  /// [rows, tokens, dim] -> [memories, most rows of a memory · tokens, dim]
  [[nodiscard]] Variable together(const Variable& x) const;
  /// The way back.
  [[nodiscard]] Variable apart(const Variable& y) const;

 private:
  Index memories_ = 0;
  Index width_ = 1;    // rows of the memory that has most
  Tensor row_at_{};    // [memories · width]: the row in each place; undefined: rows as they are
  Tensor place_of_{};  // [rows]
};

}  // namespace tensorette::nn
