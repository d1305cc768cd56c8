#include <algorithm>
#include <cmath>
#include <tensorette/nn/decoding/detail/check_options.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn {

using detail::require;

void check_options(const char* search, Index sentences, const DecodingOptions& options) {
  require<Error>(sentences >= 0 && options.max_length >= 0,
                 "{}: max_length must not be negative, got {}", search, options.max_length);
  require<Error>(
      options.max_lengths.empty() || static_cast<Index>(options.max_lengths.size()) == sentences,
      "{}: got {} max_lengths for {} sentences", search, options.max_lengths.size(), sentences);
  for (const Index length : options.max_lengths) {
    require<Error>(length >= 0, "{}: max_lengths must not be negative, got {}", search, length);
  }
  require<Error>(std::isfinite(options.length_penalty), "{}: length_penalty must be finite, got {}",
                 search, options.length_penalty);
}

Index max_length_of(const DecodingOptions& options, Index sentence) {
  return options.max_lengths.empty() ? options.max_length
                                     : options.max_lengths[static_cast<std::size_t>(sentence)];
}

ValuesAndIndices NextToken::best(const Tensor& tokens, Index count) {
  const Tensor log_probabilities = step(tokens);
  return topk(log_probabilities, std::min(count, log_probabilities.size(1)), 1);
}

}  // namespace tensorette::nn
