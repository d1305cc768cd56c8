#include <tensorette/autograd/ops/arithmetic.hpp>
#include <tensorette/autograd/ops/shaping.hpp>
#include <tensorette/nn/attention_mask.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn {
namespace {

using detail::require;

// A table of one of the accepted shapes as one of rank 4; sizes are checked here and nowhere else.
Shape rank_4_shape(const char* what, const Shape& table, const Shape& full) {
  Shape shape = table;
  if (table.rank() == 2) shape = {1, 1, table[0], table[1]};
  if (table.rank() == 3) shape = {table[0], 1, table[1], table[2]};
  const bool fits =
      shape.rank() == 4 && (shape[0] == full[0] || (table.rank() == 2 && shape[0] == 1)) &&
      (shape[1] == full[1] || shape[1] == 1) && shape[2] == full[2] && shape[3] == full[3];
  require(fits,
          "attention mask: the {} has shape {}, the scores are [batch, heads, queries, keys] = {}; "
          "accepted are {}, {}, {} and {}",
          what, table, full, Shape{full[2], full[3]}, Shape{full[0], full[2], full[3]},
          Shape{full[0], 1, full[2], full[3]}, full);
  return shape;
}

}  // namespace

AttentionMask AttentionMask::causal() {
  AttentionMask mask;
  mask.causal_ = true;
  return mask;
}

AttentionMask AttentionMask::allow(const Tensor& table) {
  require<DTypeError>(table.is_defined() && table.dtype() == DType::boolean,
                      "attention mask: allow takes booleans (true = may be attended), got {}; for "
                      "numbers added to the scores use bias",
                      table.dtype());
  AttentionMask mask;
  mask.allowed_.push_back(table);
  return mask;
}

AttentionMask AttentionMask::key_validity(const Tensor& valid) {
  require<DTypeError>(valid.is_defined() && valid.dtype() == DType::boolean,
                      "attention mask: key_validity takes booleans (true = a real token), got {}",
                      valid.dtype());
  require(valid.rank() == 2, "attention mask: key_validity is [batch, keys], got {}",
          valid.shape());
  AttentionMask mask;
  mask.validity_.push_back(valid);
  return mask;
}

AttentionMask AttentionMask::key_lengths(const std::vector<Index>& lengths, Index keys) {
  for (const Index length : lengths) {
    require<Error>(length >= 0 && length <= keys, "attention mask: length {} is outside [0, {}]",
                   length, keys);
  }
  return key_validity(unsqueeze(arange(keys), 0) < unsqueeze(from_vector(lengths), 1));
}

AttentionMask AttentionMask::bias(const Variable& table) {
  require<DTypeError>(table.is_defined() && is_floating(table.dtype()),
                      "attention mask: bias takes f32 or f64, got {}; for booleans use allow",
                      table.dtype());
  AttentionMask mask;
  mask.biases_.push_back(table);
  return mask;
}

AttentionMask AttentionMask::operator&(const AttentionMask& other) const {
  AttentionMask mask = *this;
  mask.causal_ = causal_ || other.causal_;
  mask.allowed_.insert(mask.allowed_.end(), other.allowed_.begin(), other.allowed_.end());
  mask.validity_.insert(mask.validity_.end(), other.validity_.begin(), other.validity_.end());
  mask.biases_.insert(mask.biases_.end(), other.biases_.begin(), other.biases_.end());
  return mask;
}

AttentionRule AttentionMask::rule_for(Index batch, Index heads, Index queries, Index keys) const {
  const Shape full{batch, heads, queries, keys};
  AttentionRule rule{.causal = causal_};
  for (const Tensor& table : allowed_) {
    const Tensor part = reshape(table, rank_4_shape("mask", table.shape(), full));
    rule.allowed = rule.allowed.is_defined() ? logical_and(rule.allowed, part) : part;
  }
  for (const Tensor& valid : validity_) {
    require(valid.shape() == Shape{batch, keys},
            "attention mask: the key validity has shape {}, the scores need [batch, keys] = {}",
            valid.shape(), Shape{batch, keys});
    rule.key_validity =
        rule.key_validity.is_defined() ? logical_and(rule.key_validity, valid) : valid;
  }
  for (const Variable& table : biases_) {
    const Variable part = reshape(table, rank_4_shape("bias", table.shape(), full));
    rule.bias = rule.bias.is_defined() ? rule.bias + part : part;
  }
  return rule;
}

}  // namespace tensorette::nn
