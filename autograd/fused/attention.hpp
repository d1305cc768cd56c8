/// \file
/// Scaled dot-product attention as one operation.
#pragma once

#include <tensorette/autograd/variable.hpp>
#include <tensorette/tensor/random.hpp>

namespace tensorette {

/// Who may attend to whom, and how scores are scaled; all parts are optional and combine. Tables
/// are over [batch, heads, queries, keys]; they have rank 4, and any axis may have size 1.
struct AttentionRule {
  bool causal = false;               ///< query i of Tq sees keys up to i + (Tk − Tq)
  Tensor allowed{};                  ///< boolean table: false hides a key from a query
  Tensor key_validity{};             ///< boolean [batch, keys]: false hides a key from every query
  Variable bias{};                   ///< floating table added to the scaled scores
  double scale = 0;                  ///< factor of the scores; 0 stands for 1/√head_dim
  double dropout = 0;                ///< probability of dropping an attention score
  Generator::State dropout_state{};  ///< where the dropout numbers come from
};

/// softmax(scale · Q Kᵀ + bias) V        (Vaswani et al. 2017, equation 1)
///
/// query [B, H, Tq, head_dim], key [B, H, Tk, head_dim], value [B, H, Tk, value_dim]
/// -> [B, H, Tq, value_dim], laid out so that swapping heads and tokens back gives a dense tensor.
///
/// Needs O(Tq + Tk) memory beyond inputs and output, in backward too. A query without a key left
/// gives zeros and zero gradients. Differentiable any number of times.
/// \throws ShapeError, DTypeError
[[nodiscard]] Variable scaled_dot_product_attention(const Variable& query, const Variable& key,
                                                    const Variable& value,
                                                    const AttentionRule& rule = {});

/// Self-attention of queries, keys and values packed side by side: packed [B, T, 3 · heads ·
/// head_dim] -> context [B, T, heads · head_dim], the heads concatenated.
[[nodiscard]] Variable packed_attention(const Variable& packed, Index heads,
                                        const AttentionRule& rule = {});

/// The raw attention scores scale · Q Kᵀ + bias with hidden keys at −∞, [B, H, Tq, Tk].
[[nodiscard]] Variable raw_attention_scores(const Variable& query, const Variable& key,
                                            const AttentionRule& rule = {});

/// The same function as scaled_dot_product_attention() spelled in small operations: its
/// definition, its test and its way to second derivatives.
[[nodiscard]] Variable attention_reference(const Variable& query, const Variable& key,
                                           const Variable& value, const AttentionRule& rule = {});

/// The factors, 0 or 1/(1 − p), that the rule's dropout puts on attention scores of this shape.
[[nodiscard]] Tensor attention_dropout_factors(const AttentionRule& rule, const Shape& shape,
                                               DType dtype);

}  // namespace tensorette
