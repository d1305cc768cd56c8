/// \file
/// Writing on, a character at a time. Before: gpt.hpp. Next: main.cpp.
#pragma once

#include <functional>
#include <vector>

#include "gpt.hpp"

namespace tensorette::character_gpt {

struct SamplingOptions {
  double temperature = 0.7;  ///< logits are divided by it: below 1 surer, above 1 bolder; 0: always
                             ///< the most probable character
  Index top_k = 0;           ///< only the k most probable characters; 0: all
};

/// Draws a character from softmax(logits / temperature); logits [alphabet]. Of equal ones the
/// first counts as more probable. \throws Error for a temperature that is negative or not finite,
/// a negative top_k, or logits that are not numbers
[[nodiscard]] Index draw(const Tensor& logits, const SamplingOptions& options,
                         Generator& generator);

/// Writes `count` characters behind `text`, which must not be empty, and returns them; says each
/// as soon as it is known. \throws as draw()
std::vector<Index> write_on(const Gpt& model, std::vector<Index> text, Index count,
                            const SamplingOptions& options, Generator& generator,
                            const std::function<void(Index character)>& say);

}  // namespace tensorette::character_gpt
