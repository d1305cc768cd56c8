// Checks that both searches make before they start. Included by .cpp files only.
#pragma once

#include <tensorette/nn/decoding/decoding.hpp>

namespace tensorette::nn {

/// \throws Error naming the search and the option
void check_options(const char* search, Index sentences, const DecodingOptions& options);

/// The most tokens of one sentence's result.
[[nodiscard]] Index max_length_of(const DecodingOptions& options, Index sentence);

}  // namespace tensorette::nn
