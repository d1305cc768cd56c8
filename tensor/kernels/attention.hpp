// Scaled dot-product attention without the [queries, keys] table in memory.
//
// Forward walks the keys in blocks and keeps, per query, the largest score so far, the sum of the
// exponentials below it and the weighted values (online softmax: Milakov and Gimelshein 2018;
// blocks: Dao et al. 2022, "FlashAttention"). Backward computes each block of scores again from
// the row's logsumexp. Memory beyond inputs and outputs is one block per thread.
#pragma once

#include <array>
#include <tensorette/tensor/random.hpp>
#include <tensorette/tensor/shape.hpp>

namespace tensorette::kernels {

/// Where one of queries, keys, values ... [batch, heads, tokens, width] lies; elements of a row
/// follow one another.
template <class T>
struct HeadsView {
  T* data = nullptr;
  Index batch_step = 0;
  Index head_step = 0;
  Index token_step = 0;

  [[nodiscard]] T* row(Index batch, Index head, Index token) const noexcept {
    return data + batch * batch_step + head * head_step + token * token_step;
  }
};

/// A table over [batch, heads, queries, keys], any of them broadcast by step 0.
template <class T>
struct ScoreTable {
  const T* data = nullptr;  ///< null: no such table
  std::array<Index, 4> steps{};
};

/// All that forward and backward share.
template <class T>
struct AttentionProblem {
  Index batch = 0;
  Index heads = 0;
  Index queries = 0;
  Index keys = 0;
  Index head_dim = 0;
  Index value_dim = 0;
  T scale = 1;
  bool causal = false;       ///< query i sees keys up to i + keys − queries
  ScoreTable<bool> allowed;  ///< false hides a key from a query
  ScoreTable<bool> valid;    ///< false hides a key from all queries of its sample
  ScoreTable<T> bias;        ///< added to the scaled scores
  double dropout = 0;        ///< on the attention scores
  Generator::State dropout_state;
  HeadsView<const T> query;
  HeadsView<const T> key;
  HeadsView<const T> value;
};

/// output = softmax(scale · q kᵀ + bias) v; a query without a key left gives zeros.
/// logsumexp [batch, heads, queries] is what backward needs; −∞ without a key.
template <class T>
void attention_forward(const AttentionProblem<T>& problem, HeadsView<T> output, T* logsumexp);

/// Gradients of the inputs, each written whole. `grad_scores` [batch, heads, queries, keys], the
/// gradient of scores and bias, is written unless null.
template <class T>
struct AttentionGradients {
  HeadsView<T> query;
  HeadsView<T> key;
  HeadsView<T> value;
  T* scores = nullptr;
};
template <class T>
void attention_backward(const AttentionProblem<T>& problem, HeadsView<const T> output,
                        const T* logsumexp, HeadsView<const T> grad_output,
                        const AttentionGradients<T>& gradients);

}  // namespace tensorette::kernels
