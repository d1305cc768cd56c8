// One block of attention scores. Included by attention_forward.cpp and attention_backward.cpp.
#pragma once

#include <algorithm>
#include <limits>
#include <tensorette/tensor/kernels/attention.hpp>
#include <tensorette/tensor/kernels/gemm.hpp>
#include <tensorette/tensor/kernels/math.hpp>
#include <tensorette/tensor/kernels/random.hpp>
#include <tensorette/tensor/kernels/scratch.hpp>

namespace tensorette::kernels {

// A block of scores stays in the second-level cache together with its keys and values.
inline constexpr Index query_block = 128;
inline constexpr Index key_block = 256;

/// Queries first_query.. against keys first_key.. of one head of one sample.
struct ScoreBlock {
  Index batch;
  Index head;
  Index first_query;
  Index queries;
  Index first_key;
  Index keys;
};

/// Rows of a block are padded to whole SIMD registers.
template <class T>
[[nodiscard]] Index padded_width(Index keys) noexcept {
  constexpr auto lanes = static_cast<Index>(xsimd::batch<T>::size);
  return (keys + lanes - 1) / lanes * lanes;
}

/// Number of keys that some query of queries [first, first + count) may see.
template <class T>
[[nodiscard]] Index visible_keys(const AttentionProblem<T>& problem, Index first,
                                 Index count) noexcept {
  if (!problem.causal) return problem.keys;
  return std::clamp<Index>(first + count + problem.keys - problem.queries, 0, problem.keys);
}

/// Hides the keys of one row that are not allowed.
template <class T>
void hide_keys(const bool* allowed, Index step, T* row, Index count) noexcept {
  constexpr T hidden = -std::numeric_limits<T>::infinity();
  if (step == 1) {
    for (Index j = 0; j < count; ++j) row[j] = allowed[j] ? row[j] : hidden;
  } else {
    for (Index j = 0; j < count; ++j) row[j] = allowed[j * step] ? row[j] : hidden;
  }
}

/// Hides keys and adds the bias in one row of scores; the padding is hidden.
template <class T>
void apply_masks(const AttentionProblem<T>& problem, const ScoreBlock& block, Index i, T* row) {
  constexpr T hidden = -std::numeric_limits<T>::infinity();
  const Index query = block.first_query + i;
  const auto start = [&](const auto& table) {
    return table.data + block.batch * table.steps[0] + block.head * table.steps[1] +
           query * table.steps[2] + block.first_key * table.steps[3];
  };
  if (problem.bias.data != nullptr) {
    const T* bias = start(problem.bias);
    for (Index j = 0; j < block.keys; ++j) row[j] += bias[j * problem.bias.steps[3]];
  }
  for (const ScoreTable<bool>* table : {&problem.allowed, &problem.valid}) {
    if (table->data == nullptr) continue;
    hide_keys(start(*table), table->steps[3], row, block.keys);
  }
  Index visible = block.keys;
  if (problem.causal) {
    const Index last = query + problem.keys - problem.queries - block.first_key;
    visible = std::clamp<Index>(last + 1, 0, block.keys);
  }
  std::fill(row + visible, row + padded_width<T>(block.keys), hidden);
}

/// scores[i][j] = scale · qᵢ · kⱼ, bias added, hidden keys at −∞; rows `width` apart.
template <class T>
void score_block(const AttentionProblem<T>& problem, const ScoreBlock& block, T* scores,
                 Index width) {
  gemm<T>(false, true, block.queries, block.keys, problem.head_dim, problem.scale,
          problem.query.row(block.batch, block.head, block.first_query), problem.query.token_step,
          problem.key.row(block.batch, block.head, block.first_key), problem.key.token_step, T(0),
          scores, width);
  for (Index i = 0; i < block.queries; ++i) apply_masks(problem, block, i, scores + i * width);
}

/// The dropout factors (0 or 1/(1−p)) of a block, [queries, keys].
template <class T>
void dropout_factors(const AttentionProblem<T>& problem, const ScoreBlock& block, T* factors) {
  const double kept = 1.0 - problem.dropout;
  const auto scale = static_cast<T>(kept > 0 ? 1.0 / kept : 0.0);
  const Index first_row =
      (block.batch * problem.heads + block.head) * problem.queries + block.first_query;
  // Rows of all keys follow one another: their numbers are drawn at once.
  const bool is_whole = block.keys == problem.keys;
  const Index draws = is_whole ? 1 : block.queries;
  const Index count = is_whole ? block.queries * block.keys : block.keys;
  for (Index draw = 0; draw < draws; ++draw) {
    dropout_mask<T>(problem.dropout_state, (first_row + draw) * problem.keys + block.first_key,
                    problem.dropout, scale, factors + draw * block.keys, count);
  }
}

/// Number of tasks that are worth a thread of their own.
[[nodiscard]] inline Index task_grain(Index multiplications_per_task) noexcept {
  constexpr Index worth_a_thread = 400'000;
  return std::max<Index>(1, worth_a_thread / std::max<Index>(1, multiplications_per_task));
}

}  // namespace tensorette::kernels
