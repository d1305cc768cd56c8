/// \file
/// Attention scores of many heads and layers, condensed. Before: attention_steps.hpp.
#pragma once

#include <tensorette/tensor/tensor.hpp>
#include <vector>

namespace tensorette::nn {

/// How widely each head looks: −Σ p log p of each query's attention scores, averaged over the
/// queries; in nats. 0 where every query looks at one key, log(keys) where it looks at all alike.
/// Queries with no key left do not count. [batch, heads, queries, keys] -> [batch, heads]
/// \throws ShapeError, DTypeError
[[nodiscard]] Tensor attention_entropy(const Tensor& scores);

/// How much of each input token has reached each token behind the last layer, if attention and the
/// residual sum pass on equal shares (Abnar & Zuidema 2020, "Quantifying attention flow in
/// transformers", attention rollout): the product of the layers' (mean over heads + 1) / 2, first
/// layer rightmost, each row adding up to 1. A query with no key left passes on itself.
///
/// `scores` holds the scores [batch, heads, tokens, tokens] of each layer, first layer first.
/// -> [batch, tokens, tokens]: outputs in rows, inputs in columns.
/// \throws Error without a layer; ShapeError, DTypeError
[[nodiscard]] Tensor attention_rollout(const std::vector<Tensor>& scores);

}  // namespace tensorette::nn
