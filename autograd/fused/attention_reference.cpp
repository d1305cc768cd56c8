// (a) What attention means, in small operations.
#include <cmath>
#include <limits>
#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/random.hpp>

namespace tensorette {
namespace {

// Which keys each query may see, broadcastable to [B, H, Tq, Tk]; undefined if all.
Tensor visible(const AttentionRule& rule, Index queries, Index keys) {
  Tensor result;
  const auto combine = [&result](const Tensor& part) {
    result = result.is_defined() ? logical_and(result, part) : part;
  };
  if (rule.allowed.is_defined()) combine(rule.allowed);
  if (rule.key_validity.is_defined()) combine(unsqueeze(unsqueeze(rule.key_validity, 1), 1));
  if (rule.causal) {
    const Tensor query = unsqueeze(arange(queries) + (keys - queries), 1);
    combine(reshape(arange(keys) <= query, {1, 1, queries, keys}));
  }
  return result;
}

}  // namespace

Variable raw_attention_scores(const Variable& query, const Variable& key,
                              const AttentionRule& rule) {
  const double scale =
      rule.scale != 0 ? rule.scale : 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
  Variable scores = matmul(query, transpose(key)) * scale;  // [B, H, Tq, Tk]
  if (rule.bias.is_defined()) scores = scores + rule.bias;
  const Tensor may_see = visible(rule, query.size(-2), key.size(-2));
  if (!may_see.is_defined()) return scores;
  return masked_fill(scores, logical_not(may_see), -std::numeric_limits<double>::infinity());
}

Tensor attention_dropout_factors(const AttentionRule& rule, const Shape& shape, DType dtype) {
  Tensor factors(shape, dtype);
  const double kept = 1.0 - rule.dropout;
  const double factor = kept > 0 ? 1.0 / kept : 0.0;
  kernels::dispatch_floating("attention", dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    kernels::dropout_mask<T>(rule.dropout_state, 0, rule.dropout, static_cast<T>(factor),
                             factors.mutable_data<T>(), factors.element_count());
  });
  return factors;
}

Variable attention_reference(const Variable& query, const Variable& key, const Variable& value,
                             const AttentionRule& rule) {
  Variable scores = softmax(raw_attention_scores(query, key, rule), -1);
  if (rule.dropout > 0) {
    scores = scores * attention_dropout_factors(rule, scores.shape(), scores.dtype());
  }
  return matmul(scores, value);
}

}  // namespace tensorette
