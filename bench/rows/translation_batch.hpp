/// \file
/// One batch of made-up sentence pairs for the Transformer rows.
#pragma once

#include <cstdint>
#include <vector>

#include "row_table.hpp"

namespace tensorette::bench {

/// Token ids `[batch, length]`, row-major. A sentence fills between two thirds and all of its row;
/// padding fills the rest, so that masks have something to do. Target rows begin with the start
/// token; labels are the target shifted by one and end with the end token.
struct TranslationBatch {
  static constexpr std::int64_t padding = 0;
  static constexpr std::int64_t start = 1;
  static constexpr std::int64_t end = 2;

  std::vector<std::int64_t> source;
  std::vector<std::int64_t> target;
  std::vector<std::int64_t> labels;
};

/// The same batch for the same shape, on every machine and in every program.
[[nodiscard]] TranslationBatch make_translation_batch(const TransformerShape& shape);

}  // namespace tensorette::bench
