/// \file
/// Who may attend to whom, as a type whose polarity can't be confused.
#pragma once

#include <tensorette/autograd/fused/attention.hpp>
#include <vector>

namespace tensorette::nn {

/// A mask of attention scores. In every boolean table `true` means: this key MAY be attended.
/// Masks combine with `&`: a key must be allowed by all of them; biases add up. The empty mask
/// allows everything.
///
///     auto mask = AttentionMask::causal() & AttentionMask::key_validity(valid);
///
/// Accepted shapes of a table: [Tq, Tk], [B, Tq, Tk] (every head), [B, 1, Tq, Tk], [B, H, Tq, Tk];
/// they are checked against queries and keys when the mask is used.
class AttentionMask {
 public:
  AttentionMask() = default;

  /// Query i of Tq sees keys up to i + (Tk − Tq): aligned at the end, as decoding needs it.
  [[nodiscard]] static AttentionMask causal();
  /// true where a query may attend to a key. \throws DTypeError unless boolean
  [[nodiscard]] static AttentionMask allow(const Tensor& table);
  /// true where a key is a real token and not padding, [B, Tk]. \throws ShapeError, DTypeError
  [[nodiscard]] static AttentionMask key_validity(const Tensor& valid);
  /// The first lengths[b] of `keys` keys of sample b are real. \throws Error outside [0, keys]
  [[nodiscard]] static AttentionMask key_lengths(const std::vector<Index>& lengths, Index keys);
  /// Added to the scaled scores; 0 is neutral. Differentiable. \throws DTypeError unless floating
  [[nodiscard]] static AttentionMask bias(const Variable& table);

  [[nodiscard]] AttentionMask operator&(const AttentionMask& other) const;

  [[nodiscard]] bool is_empty() const noexcept {
    return !causal_ && allowed_.empty() && validity_.empty() && biases_.empty();
  }

  /// As the rule for scores [B, H, Tq, Tk]. \throws ShapeError with both shapes
  [[nodiscard]] AttentionRule rule_for(Index batch, Index heads, Index queries, Index keys) const;

 private:
  bool causal_ = false;
  std::vector<Tensor> allowed_;
  std::vector<Tensor> validity_;
  std::vector<Variable> biases_;
};

}  // namespace tensorette::nn
