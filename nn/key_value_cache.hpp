/// \file
/// Keys and values of tokens seen before, for decoding one token at a time.
#pragma once

#include <tensorette/tensor/shaping.hpp>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette::nn {

/// Keys and values of one attention, per head. Grows by doubling, so that appending n tokens one
/// by one copies O(n) numbers. Values only: decoding records no graph.
class KeyValueCache {
 public:
  /// Number of tokens inside.
  [[nodiscard]] Index length() const noexcept { return length_; }
  /// Adds keys and values [B, H, T, head_dim] behind those inside. \throws ShapeError
  void append(const Tensor& keys, const Tensor& values);
  /// All keys, [B, H, length, head_dim]: a view.
  [[nodiscard]] Tensor keys() const { return narrow(keys_, 2, 0, length_); }
  [[nodiscard]] Tensor values() const { return narrow(values_, 2, 0, length_); }
  /// Keeps the given samples of the batch, in that order (i64, rank 1): for beam search.
  void reorder(const Tensor& samples);

 private:
  Tensor keys_;
  Tensor values_;
  Index length_ = 0;
};

}  // namespace tensorette::nn
