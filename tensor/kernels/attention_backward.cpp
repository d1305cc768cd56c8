#include <cmath>
#include <tensorette/tensor/kernels/attention_block.hpp>
#include <tensorette/tensor/kernels/multiply_add.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>

// With p the attention scores before dropout, m the dropout factors, y = (p m) v and g the
// gradient of y:
//   dv = (p m)ᵀ g,  dp = (g vᵀ) m,  ds = p (dp − Σ g y),  dq = scale ds k,  dk = scale dsᵀ q
// where Σ g y, a number per query, equals Σ p dp.

namespace tensorette::kernels {
namespace {

template <class T>
using Batch = xsimd::batch<T>;

template <class T>
T dot(const T* a, const T* b, Index count) noexcept {
  constexpr auto lanes = static_cast<Index>(Batch<T>::size);
  Batch<T> sums(T(0));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    sums = multiply_add(Batch<T>::load_unaligned(a + i), Batch<T>::load_unaligned(b + i), sums);
  }
  T sum = xsimd::hadd(sums);
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

template <class T>
void zero_rows(const HeadsView<T>& view, Index batch, Index head, Index first, Index end,
               Index width) {
  for (Index t = first; t < end; ++t) std::fill_n(view.row(batch, head, t), width, T(0));
}

/// From a row of raw scores and the gradient dp of what dropout made of p = e^(score − logsumexp):
/// p with dropout in the scores' place, ds in dp's. A query without keys has p = 0.
template <class T>
void score_gradient_row(T* scores, T* dp, const T* factors, T logsumexp, T dots,
                        Index width) noexcept {
  constexpr auto lanes = static_cast<Index>(Batch<T>::size);
  if (logsumexp == -std::numeric_limits<T>::infinity()) {
    std::fill_n(scores, width, T(0));
    std::fill_n(dp, width, T(0));
    return;
  }
  const Batch<T> shift(logsumexp);
  const Batch<T> all_dots(dots);
  for (Index j = 0; j < width; j += lanes) {
    const Batch<T> p = math::exp_or_zero(Batch<T>::load_unaligned(scores + j) - shift);
    const Batch<T> gradient = Batch<T>::load_unaligned(dp + j);
    if (factors == nullptr) {
      p.store_unaligned(scores + j);
      (p * (gradient - all_dots)).store_unaligned(dp + j);
    } else {
      const Batch<T> factor = Batch<T>::load_unaligned(factors + j);
      (p * factor).store_unaligned(scores + j);
      (p * (gradient * factor - all_dots)).store_unaligned(dp + j);
    }
  }
}

/// Memory of one thread.
template <class T>
struct Buffers {
  T* p;        ///< [query_block, width]: attention scores, later with dropout
  T* dp;       ///< [query_block, width]: their gradient, later that of the raw scores
  T* factors;  ///< [query_block, width]: of dropout, null without
  T* dots;     ///< [queries]: sum of g y
};

template <class T>
void backward_block(const AttentionProblem<T>& problem, const ScoreBlock& block, const T* logsumexp,
                    HeadsView<const T> grad_output, const AttentionGradients<T>& gradients,
                    const Buffers<T>& buffers) {
  const Index width = padded_width<T>(block.keys);
  const T* factors = buffers.factors;
  if (factors != nullptr) dropout_factors(problem, block, buffers.factors);
  score_block(problem, block, buffers.p, width);
  // dp = g v^T
  const T* grad_rows = grad_output.row(block.batch, block.head, block.first_query);
  gemm<T>(false, true, block.queries, block.keys, problem.value_dim, T(1), grad_rows,
          grad_output.token_step, problem.value.row(block.batch, block.head, block.first_key),
          problem.value.token_step, T(0), buffers.dp, width);
  for (Index i = 0; i < block.queries; ++i) {
    T* dp = buffers.dp + i * width;
    score_gradient_row(
        buffers.p + i * width, dp, factors == nullptr ? factors : factors + i * block.keys,
        logsumexp[block.first_query + i], buffers.dots[block.first_query + i], width);
    if (gradients.scores != nullptr) {
      const Index row =
          (block.batch * problem.heads + block.head) * problem.queries + block.first_query + i;
      std::copy_n(dp, block.keys, gradients.scores + row * problem.keys + block.first_key);
    }
  }
  // The first block that reaches a gradient writes it, later ones add to it.
  const T keep_query = block.first_key == 0 ? T(0) : T(1);
  const T keep_key = block.first_query == 0 ? T(0) : T(1);
  gemm<T>(true, false, block.keys, problem.value_dim, block.queries, T(1), buffers.p, width,
          grad_rows, grad_output.token_step, keep_key,
          gradients.value.row(block.batch, block.head, block.first_key),
          gradients.value.token_step);
  gemm<T>(false, false, block.queries, problem.head_dim, block.keys, problem.scale, buffers.dp,
          width, problem.key.row(block.batch, block.head, block.first_key), problem.key.token_step,
          keep_query, gradients.query.row(block.batch, block.head, block.first_query),
          gradients.query.token_step);
  gemm<T>(true, false, block.keys, problem.head_dim, block.queries, problem.scale, buffers.dp,
          width, problem.query.row(block.batch, block.head, block.first_query),
          problem.query.token_step, keep_key,
          gradients.key.row(block.batch, block.head, block.first_key), gradients.key.token_step);
}

template <class T>
void backward_head(const AttentionProblem<T>& problem, Index batch, Index head,
                   HeadsView<const T> output, const T* logsumexp, HeadsView<const T> grad_output,
                   const AttentionGradients<T>& gradients, const Buffers<T>& buffers) {
  // Keys that the first block of queries doesn't see.
  const Index seen = visible_keys(problem, 0, std::min(query_block, problem.queries));
  const Index first_unseen = problem.queries == 0 ? 0 : seen;
  zero_rows(gradients.key, batch, head, first_unseen, problem.keys, problem.head_dim);
  zero_rows(gradients.value, batch, head, first_unseen, problem.keys, problem.value_dim);
  if (gradients.scores != nullptr) {
    const Index cells = problem.queries * problem.keys;
    std::fill_n(gradients.scores + (batch * problem.heads + head) * cells, cells, T(0));
  }
  for (Index i = 0; i < problem.queries; ++i) {
    buffers.dots[i] =
        dot(grad_output.row(batch, head, i), output.row(batch, head, i), problem.value_dim);
  }
  for (Index first_query = 0; first_query < problem.queries; first_query += query_block) {
    const Index queries = std::min(query_block, problem.queries - first_query);
    const Index visible = visible_keys(problem, first_query, queries);
    if (visible == 0) {
      zero_rows(gradients.query, batch, head, first_query, first_query + queries, problem.head_dim);
    }
    for (Index first_key = 0; first_key < visible; first_key += key_block) {
      const ScoreBlock block{.batch = batch,
                             .head = head,
                             .first_query = first_query,
                             .queries = queries,
                             .first_key = first_key,
                             .keys = std::min(key_block, visible - first_key)};
      backward_block(problem, block, logsumexp, grad_output, gradients, buffers);
    }
  }
}

}  // namespace

template <class T>
void attention_backward(const AttentionProblem<T>& problem, HeadsView<const T> output,
                        const T* logsumexp, HeadsView<const T> grad_output,
                        const AttentionGradients<T>& gradients) {
  const Index rows = std::min(query_block, problem.queries);
  const Index width = padded_width<T>(std::min(key_block, problem.keys));
  const Index cost =
      problem.queries * problem.keys * (3 * problem.head_dim + 2 * problem.value_dim);
  parallel_for(problem.batch * problem.heads, task_grain(cost), [&](Index begin, Index end) {
    const bool has_dropout = problem.dropout > 0;
    const Scratch<T> tables(rows * width * (has_dropout ? 3 : 2));
    const Scratch<T> dots(problem.queries);
    const Buffers<T> buffers{tables.data(), tables.data() + rows * width,
                             has_dropout ? tables.data() + 2 * rows * width : nullptr, dots.data()};
    for (Index task = begin; task < end; ++task) {
      backward_head(problem, task / problem.heads, task % problem.heads, output,
                    logsumexp + task * problem.queries, grad_output, gradients, buffers);
    }
  });
}

template void attention_backward<float>(const AttentionProblem<float>&, HeadsView<const float>,
                                        const float*, HeadsView<const float>,
                                        const AttentionGradients<float>&);
template void attention_backward<double>(const AttentionProblem<double>&, HeadsView<const double>,
                                         const double*, HeadsView<const double>,
                                         const AttentionGradients<double>&);

}  // namespace tensorette::kernels
