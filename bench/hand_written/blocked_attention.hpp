/// \file
/// Attention over long sequences without any framework: blocks of keys with a running softmax, so
/// that the scores never exist as a whole.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/huge_pages.hpp"

namespace tensorette::bench {

/// softmax(query · keyᵀ / √head_dim) · value for each of `heads` heads, and its gradients; every
/// array is `[heads, length, head_dim]`.
///
/// Forward keeps, for each query, the largest raw score and the sum of exponentials in one number,
/// log Σ exp; backward makes each block of scores again from it (Dao et al. 2022, FlashAttention,
/// algorithms 1 and 4).
class BlockedAttention {
 public:
  BlockedAttention(std::int64_t heads, std::int64_t length, std::int64_t head_dim);

  void forward();

  /// From `upstream`, the gradient of `output`. Follows a `forward`.
  void backward();

  FloatArray query, key, value;
  FloatArray output, upstream;
  FloatArray query_gradient, key_gradient, value_gradient;

 private:
  /// Memory that only one thread uses.
  struct Scratch {
    FloatArray scores;           ///< [query block, key block]
    FloatArray scores_gradient;  ///< same
    FloatArray largest, sum;     ///< running maximum and sum of each query of a block
  };

  void attend(std::int64_t head, std::int64_t first_query, const Scratch& own);
  void attend_backward(std::int64_t head, const Scratch& own);

  std::int64_t heads_, length_, head_dim_;
  FloatArray log_sum_;     ///< [heads, length]
  FloatArray output_dot_;  ///< [heads, length], upstream · output for each query
  std::vector<Scratch> scratch_;
};

}  // namespace tensorette::bench
