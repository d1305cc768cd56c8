/// \file
/// Keys and values of tokens seen before, for decoding one token at a time.
#pragma once

#include <tensorette/tensor/shaping.hpp>
#include <tensorette/tensor/tensor.hpp>
#include <vector>

namespace tensorette::nn {

/// Keys and values of one attention, per head. Grows by doubling, so that appending n tokens one
/// by one copies O(n) numbers. Values only: decoding records no graph. A copy shares the memory of
/// the original until one of the two goes on.
class KeyValueCache {
 public:
  /// Number of tokens inside.
  [[nodiscard]] Index length() const noexcept { return length_; }
  /// Adds keys and values [B, H, T, head_dim] behind those inside. \throws ShapeError
  void append(const Tensor& keys, const Tensor& values);
  /// All keys, [B, H, length, head_dim]: a view, good until the next change.
  [[nodiscard]] Tensor keys() const { return transpose(narrow(keys_, 1, 0, length_), 1, 2); }
  [[nodiscard]] Tensor values() const { return transpose(narrow(values_, 1, 0, length_), 1, 2); }
  /// Keeps the given samples of the batch, in that order (i64, rank 1): for beam search. Samples
  /// that keep their place cost nothing, unless one goes where another still comes from.
  /// \throws IndexError for a sample that is not there; nothing has changed then
  void reorder(const Tensor& samples);

 private:
  // [B, room for tokens, H, head_dim]: the tokens of a sample lie together.
  Tensor keys_;
  Tensor values_;
  Index length_ = 0;
};

}  // namespace tensorette::nn
