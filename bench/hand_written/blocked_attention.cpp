#include "blocked_attention.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "machine/sgemm.hpp"
#include "row_softmax.hpp"

namespace tensorette::bench {
namespace {

constexpr std::int64_t query_block = 256;
constexpr std::int64_t key_block = 256;

void scale_row(float* row, std::int64_t size, float factor) {
  for (std::int64_t i = 0; i < size; ++i) row[i] *= factor;
}

}  // namespace

BlockedAttention::BlockedAttention(std::int64_t heads, std::int64_t length, std::int64_t head_dim)
    : query(heads * length * head_dim),
      key(query.size()),
      value(query.size()),
      output(query.size()),
      upstream(query.size()),
      query_gradient(query.size()),
      key_gradient(query.size()),
      value_gradient(query.size()),
      heads_(heads),
      length_(length),
      head_dim_(head_dim),
      log_sum_(heads * length),
      output_dot_(heads * length) {
  for (int thread = 0; thread < omp_get_max_threads(); ++thread) {
    scratch_.push_back({FloatArray(query_block * key_block), FloatArray(query_block * key_block),
                        FloatArray(query_block), FloatArray(query_block)});
  }
}

// With m the running maximum and s the running sum of a query, a new block of raw scores r gives
//   m' = max(m, max r)    s' = s · exp(m − m') + Σ exp(r − m')    out' = out · exp(m − m') + ...
void BlockedAttention::attend(std::int64_t head, std::int64_t first_query, const Scratch& own) {
  const float scale = 1 / std::sqrt(float(head_dim_));
  const std::int64_t queries = std::min(query_block, length_ - first_query);
  const std::int64_t head_offset = head * length_ * head_dim_;
  const float* q = query.data() + head_offset + first_query * head_dim_;
  float* out = output.data() + head_offset + first_query * head_dim_;
  std::fill_n(own.largest.data(), queries, -std::numeric_limits<float>::infinity());
  std::fill_n(own.sum.data(), queries, 0.F);
  std::fill_n(out, queries * head_dim_, 0.F);

  for (std::int64_t first_key = 0; first_key < length_; first_key += key_block) {
    const std::int64_t keys = std::min(key_block, length_ - first_key);
    const std::int64_t key_offset = head_offset + first_key * head_dim_;
    sgemm(queries, keys, head_dim_, scale, {q, head_dim_},
          {key.data() + key_offset, head_dim_, true}, 0, own.scores.data(), keys);
    for (std::int64_t row = 0; row < queries; ++row) {
      float* scores = own.scores.data() + row * keys;
      float& largest = own.largest[std::size_t(row)];
      const float raised = std::max(largest, largest_of(scores, keys));
      const float correction = std::exp(largest - raised);
      float& sum = own.sum[std::size_t(row)];
      sum = sum * correction + exponentials(scores, keys, raised);
      if (correction != 1) scale_row(out + row * head_dim_, head_dim_, correction);
      largest = raised;
    }
    sgemm(queries, head_dim_, keys, 1, {own.scores.data(), keys},
          {value.data() + key_offset, head_dim_}, 1, out, head_dim_);
  }
  for (std::int64_t row = 0; row < queries; ++row) {
    const float sum = own.sum[std::size_t(row)];
    scale_row(out + row * head_dim_, head_dim_, 1 / sum);
    log_sum_[std::size_t(head * length_ + first_query + row)] =
        own.largest[std::size_t(row)] + std::log(sum);
  }
}

void BlockedAttention::attend_backward(std::int64_t head, const Scratch& own) {
  const float scale = 1 / std::sqrt(float(head_dim_));
  const std::int64_t head_offset = head * length_ * head_dim_;
  const float* log_sum = log_sum_.data() + head * length_;
  float* output_dot = output_dot_.data() + head * length_;
  for (std::int64_t row = 0; row < length_; ++row) {
    output_dot[row] = dot_product(upstream.data() + head_offset + row * head_dim_,
                                  output.data() + head_offset + row * head_dim_, head_dim_);
  }
  for (std::int64_t first_key = 0; first_key < length_; first_key += key_block) {
    const std::int64_t keys = std::min(key_block, length_ - first_key);
    const std::int64_t key_offset = head_offset + first_key * head_dim_;
    const float* k = key.data() + key_offset;
    const float* v = value.data() + key_offset;
    for (std::int64_t first_query = 0; first_query < length_; first_query += query_block) {
      const std::int64_t queries = std::min(query_block, length_ - first_query);
      const std::int64_t query_offset = head_offset + first_query * head_dim_;
      const float* q = query.data() + query_offset;
      const float* g = upstream.data() + query_offset;
      float* scores = own.scores.data();
      float* gradient = own.scores_gradient.data();
      const float keep_keys = first_query == 0 ? 0 : 1;  // the first block overwrites
      const float keep_queries = first_key == 0 ? 0 : 1;

      sgemm(queries, keys, head_dim_, scale, {q, head_dim_}, {k, head_dim_, true}, 0, scores, keys);
      sgemm(queries, keys, head_dim_, 1, {g, head_dim_}, {v, head_dim_, true}, 0, gradient, keys);
      for (std::int64_t row = 0; row < queries; ++row) {
        exponentials(scores + row * keys, keys, log_sum[first_query + row]);
        softmax_row_backward(scores + row * keys, gradient + row * keys, keys,
                             output_dot[first_query + row], scale);
      }
      sgemm(keys, head_dim_, queries, 1, {scores, keys, true}, {g, head_dim_}, keep_keys,
            value_gradient.data() + key_offset, head_dim_);
      sgemm(keys, head_dim_, queries, 1, {gradient, keys, true}, {q, head_dim_}, keep_keys,
            key_gradient.data() + key_offset, head_dim_);
      sgemm(queries, head_dim_, keys, 1, {gradient, keys}, {k, head_dim_}, keep_queries,
            query_gradient.data() + query_offset, head_dim_);
    }
  }
}

void BlockedAttention::forward() {
  const std::int64_t blocks = (length_ + query_block - 1) / query_block;
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < heads_ * blocks; ++i) {
    attend(i / blocks, i % blocks * query_block, scratch_[std::size_t(omp_get_thread_num())]);
  }
}

void BlockedAttention::backward() {
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t head = 0; head < heads_; ++head) {
    attend_backward(head, scratch_[std::size_t(omp_get_thread_num())]);
  }
}

}  // namespace tensorette::bench
