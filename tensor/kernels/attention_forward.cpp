#include <algorithm>
#include <cmath>
#include <tensorette/tensor/kernels/attention_block.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/kernels/row_passes.hpp>

namespace tensorette::kernels {
namespace {

template <class T>
using Batch = xsimd::batch<T>;

/// row[j] = e^(row[j] − shift); returns the sum.
template <class T>
T exponentiate(T* row, Index width, T shift) noexcept {
  constexpr auto lanes = static_cast<Index>(Batch<T>::size);
  const Batch<T> shifts(shift);
  Batch<T> sum(T(0));
  for (Index j = 0; j < width; j += lanes) {
    const Batch<T> value = math::exp_or_zero(Batch<T>::load_unaligned(row + j) - shifts);
    value.store_unaligned(row + j);
    sum += value;
  }
  return xsimd::hadd(sum);
}

/// Running softmax of the queries of one block.
template <class T>
struct Running {
  T* largest;   ///< [queries]
  T* sum;       ///< [queries]
  T* weighted;  ///< [queries, value_dim]
};

template <class T>
void absorb_row(const AttentionProblem<T>& problem, const ScoreBlock& block, Index i, T* row,
                Index width, const Running<T>& running) {
  const T before = running.largest[i];
  T largest = std::max(before, largest_number(row, width));
  if (is_hidden(row, width, largest)) {
    std::fill(row, row + width, T(0));  // no key yet
    return;
  }
  // Else a row without a largest number has NaN.
  if (largest == -std::numeric_limits<T>::infinity()) largest = std::numeric_limits<T>::quiet_NaN();
  const T shrink = block.first_key == 0 ? T(0) : std::exp(before - largest);
  running.largest[i] = largest;
  running.sum[i] = running.sum[i] * shrink + exponentiate(row, width, largest);
  if (block.first_key > 0 && shrink != T(1)) {
    T* weighted = running.weighted + i * problem.value_dim;
    for (Index d = 0; d < problem.value_dim; ++d) weighted[d] *= shrink;
  }
}

/// scores[i][j] *= factors[i][j]
template <class T>
void drop_scores(const ScoreBlock& block, const T* factors, T* scores, Index width) noexcept {
  for (Index i = 0; i < block.queries; ++i) {
    for (Index j = 0; j < block.keys; ++j) scores[i * width + j] *= factors[i * block.keys + j];
  }
}

template <class T>
void forward_queries(const AttentionProblem<T>& problem, ScoreBlock block, HeadsView<T> output,
                     T* logsumexp, T* scores, T* factors, const Running<T>& running) {
  std::fill_n(running.largest, block.queries, -std::numeric_limits<T>::infinity());
  std::fill_n(running.sum, block.queries, T(0));
  const Index visible = visible_keys(problem, block.first_query, block.queries);
  for (Index first = 0; first < visible; first += key_block) {
    block.first_key = first;
    block.keys = std::min(key_block, visible - first);
    const Index width = padded_width<T>(block.keys);
    score_block(problem, block, scores, width);
    for (Index i = 0; i < block.queries; ++i) {
      absorb_row(problem, block, i, scores + i * width, width, running);
    }
    if (problem.dropout > 0) {
      dropout_factors(problem, block, factors);
      drop_scores(block, factors, scores, width);
    }
    gemm<T>(false, false, block.queries, problem.value_dim, block.keys, T(1), scores, width,
            problem.value.row(block.batch, block.head, first), problem.value.token_step,
            first == 0 ? T(0) : T(1), running.weighted, problem.value_dim);
  }
  for (Index i = 0; i < block.queries; ++i) {
    T* out = output.row(block.batch, block.head, block.first_query + i);
    const T sum = running.sum[i];
    if (sum == T(0)) {
      std::fill_n(out, problem.value_dim, T(0));
      logsumexp[i] = -std::numeric_limits<T>::infinity();
      continue;
    }
    const T inverse = T(1) / sum;
    const T* weighted = running.weighted + i * problem.value_dim;
    for (Index d = 0; d < problem.value_dim; ++d) out[d] = weighted[d] * inverse;
    logsumexp[i] = running.largest[i] + std::log(sum);
  }
}

}  // namespace

template <class T>
void attention_forward(const AttentionProblem<T>& problem, HeadsView<T> output, T* logsumexp) {
  const Index blocks = (problem.queries + query_block - 1) / query_block;
  const Index rows = std::min(query_block, problem.queries);
  const Index width = padded_width<T>(std::min(key_block, problem.keys));
  const Index cost = rows * problem.keys * (problem.head_dim + problem.value_dim);
  parallel_for(
      problem.batch * problem.heads * blocks, task_grain(cost), [&](Index begin, Index end) {
        const Scratch<T> scores(rows * width);
        const Scratch<T> factors(problem.dropout > 0 ? rows * width : 0);
        const Scratch<T> sums(rows * (2 + problem.value_dim));
        const Running<T> running{sums.data(), sums.data() + rows, sums.data() + 2 * rows};
        for (Index task = begin; task < end; ++task) {
          const Index head = task / blocks;
          const Index first = task % blocks * query_block;
          const ScoreBlock block{.batch = head / problem.heads,
                                 .head = head % problem.heads,
                                 .first_query = first,
                                 .queries = std::min(query_block, problem.queries - first),
                                 .first_key = 0,
                                 .keys = 0};
          forward_queries(problem, block, output, logsumexp + head * problem.queries + first,
                          scores.data(), factors.data(), running);
        }
      });
}

template void attention_forward<float>(const AttentionProblem<float>&, HeadsView<float>, float*);
template void attention_forward<double>(const AttentionProblem<double>&, HeadsView<double>,
                                        double*);

}  // namespace tensorette::kernels
