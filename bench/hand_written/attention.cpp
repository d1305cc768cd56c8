#include "attention.hpp"

#include <omp.h>

#include <cmath>
#include <cstring>

#include "machine/sgemm.hpp"
#include "row_softmax.hpp"

namespace tensorette::bench {
namespace {

// Rows of a chunk: enough for the products to run well, few enough to stay in the cache.
constexpr std::int64_t rows_per_chunk = 256;

void add_bias(float* rows, std::int64_t count, std::int64_t width, const float* bias) {
  for (std::int64_t row = 0; row < count; ++row) {
    float* out = rows + row * width;
    for (std::int64_t i = 0; i < width; ++i) out[i] += bias[i];
  }
}

// sums[i] = Σ over rows of columns begin .. end
void sum_columns(const float* rows, std::int64_t count, std::int64_t width, std::int64_t begin,
                 std::int64_t end, float* sums) {
  std::fill(sums + begin, sums + end, 0.F);
  for (std::int64_t row = 0; row < count; ++row) {
    for (std::int64_t i = begin; i < end; ++i) sums[i] += rows[row * width + i];
  }
}

}  // namespace

HandWrittenAttention::HandWrittenAttention(const AttentionShape& shape, bool keep_scores)
    : parameters(shape.width),
      gradients(shape.width),
      input(shape.batch * shape.length * shape.width),
      output(input.size()),
      upstream(input.size()),
      input_gradient(input.size()),
      shape_(shape),
      keep_scores_(keep_scores),
      qkv_(3 * input.size()),
      scores_(keep_scores ? shape.batch * shape.heads * shape.length * shape.length : 0),
      context_(input.size()),
      qkv_gradient_(keep_scores ? 3 * input.size() : 0) {
  const std::int64_t chunk_rows = cut_by_samples() ? samples_per_chunk() * shape.length : rows();
  for (int thread = 0; thread < omp_get_max_threads(); ++thread) {
    const bool needs_context = cut_by_samples() || thread == 0;
    scratch_.push_back({FloatArray(shape.length * shape.length),
                        FloatArray(needs_context ? chunk_rows * shape.width : 0)});
  }
}

bool HandWrittenAttention::cut_by_samples() const {
  return shape_.batch >= omp_get_max_threads();
}

std::int64_t HandWrittenAttention::samples_per_chunk() const {
  const std::int64_t fitting = std::max<std::int64_t>(1, rows_per_chunk / shape_.length);
  return std::clamp<std::int64_t>(shape_.batch / omp_get_max_threads(), 1, fitting);
}

float* HandWrittenAttention::scores_of(std::int64_t sample, std::int64_t head,
                                       const Scratch& own) const {
  if (!keep_scores_) return own.scores.data();
  return scores_.data() + (sample * shape_.heads + head) * shape_.length * shape_.length;
}

void HandWrittenAttention::project_qkv(std::int64_t begin, std::int64_t end) {
  const std::int64_t width = shape_.width;
  float* qkv = qkv_.data() + begin * 3 * width;
  sgemm(end - begin, 3 * width, width, 1, {input.data() + begin * width, width},
        {parameters.qkv_weight.data(), width, true}, 0, qkv, 3 * width);
  add_bias(qkv, end - begin, 3 * width, parameters.qkv_bias.data());
}

// context = softmax(query · keyᵀ / √head_dim) · value
void HandWrittenAttention::attend(std::int64_t sample, std::int64_t head, const Scratch& own) {
  const std::int64_t length = shape_.length;
  const std::int64_t stride = 3 * shape_.width;
  const float scale = 1 / std::sqrt(float(head_dim()));
  const float* query = qkv_.data() + sample * length * stride + head * head_dim();
  const float* key = query + shape_.width;
  const float* value = key + shape_.width;
  float* scores = scores_of(sample, head, own);
  float* context = context_.data() + sample * length * shape_.width + head * head_dim();
  sgemm(length, length, head_dim(), scale, {query, stride}, {key, stride, true}, 0, scores, length);
  for (std::int64_t row = 0; row < length; ++row) softmax_row(scores + row * length, length);
  sgemm(length, head_dim(), length, 1, {scores, length}, {value, stride}, 0, context, shape_.width);
}

void HandWrittenAttention::project_output(std::int64_t begin, std::int64_t end) {
  const std::int64_t width = shape_.width;
  float* out = output.data() + begin * width;
  sgemm(end - begin, width, width, 1, {context_.data() + begin * width, width},
        {parameters.output_weight.data(), width, true}, 0, out, width);
  add_bias(out, end - begin, width, parameters.output_bias.data());
}

void HandWrittenAttention::output_backward(std::int64_t begin, std::int64_t end,
                                           float* context_gradient) {
  const std::int64_t width = shape_.width;
  sgemm(end - begin, width, width, 1, {upstream.data() + begin * width, width},
        {parameters.output_weight.data(), width}, 0, context_gradient, width);
}

// value gradient = scoresᵀ · g          with g the gradient of the context
// raw gradient   = scores ∘ (g · valueᵀ − rowsum(g ∘ context)) / √head_dim
// query gradient = raw gradient · key   key gradient = raw gradientᵀ · query
void HandWrittenAttention::attend_backward(std::int64_t sample, std::int64_t head,
                                           const float* context_gradient, const Scratch& own) {
  const std::int64_t length = shape_.length;
  const std::int64_t width = shape_.width;
  const std::int64_t stride = 3 * width;
  const float scale = 1 / std::sqrt(float(head_dim()));
  const std::int64_t offset = sample * length * stride + head * head_dim();
  const float* query = qkv_.data() + offset;
  const float* key = query + width;
  const float* value = key + width;
  float* query_gradient = qkv_gradient_.data() + offset;
  float* key_gradient = query_gradient + width;
  float* value_gradient = key_gradient + width;
  const float* scores = scores_of(sample, head, own);
  const float* context = context_.data() + sample * length * width + head * head_dim();
  float* raw_gradient = own.scores.data();

  sgemm(length, head_dim(), length, 1, {scores, length, true}, {context_gradient, width}, 0,
        value_gradient, stride);
  sgemm(length, length, head_dim(), 1, {context_gradient, width}, {value, stride, true}, 0,
        raw_gradient, length);
  for (std::int64_t row = 0; row < length; ++row) {
    const float dot =
        dot_product(context_gradient + row * width, context + row * width, head_dim());
    softmax_row_backward(scores + row * length, raw_gradient + row * length, length, dot, scale);
  }
  sgemm(length, head_dim(), length, 1, {raw_gradient, length}, {key, stride}, 0, query_gradient,
        stride);
  sgemm(length, head_dim(), length, 1, {raw_gradient, length, true}, {query, stride}, 0,
        key_gradient, stride);
}

void HandWrittenAttention::qkv_backward(std::int64_t begin, std::int64_t end) {
  const std::int64_t width = shape_.width;
  sgemm(end - begin, width, 3 * width, 1, {qkv_gradient_.data() + begin * 3 * width, 3 * width},
        {parameters.qkv_weight.data(), width}, 0, input_gradient.data() + begin * width, width);
}

// Each part makes some rows of both weights' gradients, over all samples.
void HandWrittenAttention::parameter_gradients(std::int64_t part, std::int64_t parts) {
  const std::int64_t width = shape_.width;
  const auto make_rows = [&](const FloatArray& g, std::int64_t out, const FloatArray& x,
                             FloatArray& weight_gradient, FloatArray& bias_gradient) {
    const std::int64_t begin = part_begin(out, parts, part);
    const std::int64_t end = part_begin(out, parts, part + 1);
    if (begin == end) return;
    sgemm(end - begin, width, rows(), 1, {g.data() + begin, out, true}, {x.data(), width}, 0,
          weight_gradient.data() + begin * width, width);
    sum_columns(g.data(), rows(), out, begin, end, bias_gradient.data());
  };
  make_rows(qkv_gradient_, 3 * width, input, gradients.qkv_weight, gradients.qkv_bias);
  make_rows(upstream, width, context_, gradients.output_weight, gradients.output_bias);
}

void HandWrittenAttention::forward() {
  const std::int64_t step = samples_per_chunk();
  if (cut_by_samples()) {
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t first = 0; first < shape_.batch; first += step) {
      const Scratch& own = scratch_[std::size_t(omp_get_thread_num())];
      const std::int64_t last = std::min(first + step, shape_.batch);
      project_qkv(first * shape_.length, last * shape_.length);
      for (std::int64_t sample = first; sample < last; ++sample) {
        for (std::int64_t head = 0; head < shape_.heads; ++head) attend(sample, head, own);
      }
      project_output(first * shape_.length, last * shape_.length);
    }
    return;
  }
#pragma omp parallel
  {
    const std::int64_t begin = part_begin(rows(), omp_get_num_threads(), omp_get_thread_num());
    const std::int64_t end = part_begin(rows(), omp_get_num_threads(), omp_get_thread_num() + 1);
    const Scratch& own = scratch_[std::size_t(omp_get_thread_num())];
    project_qkv(begin, end);
#pragma omp barrier
#pragma omp for schedule(dynamic)
    for (std::int64_t pair = 0; pair < shape_.batch * shape_.heads; ++pair) {
      attend(pair / shape_.heads, pair % shape_.heads, own);
    }
    project_output(begin, end);
  }
}

void HandWrittenAttention::backward() {
  const std::int64_t length = shape_.length;
  const std::int64_t width = shape_.width;
  const std::int64_t step = samples_per_chunk();
#pragma omp parallel
  {
    const Scratch& own = scratch_[std::size_t(omp_get_thread_num())];
    const std::int64_t parts = omp_get_num_threads();
    const std::int64_t part = omp_get_thread_num();
    if (cut_by_samples()) {
      const float* context_gradient = own.context_gradient.data();
#pragma omp for schedule(dynamic)
      for (std::int64_t first = 0; first < shape_.batch; first += step) {
        const std::int64_t last = std::min(first + step, shape_.batch);
        output_backward(first * length, last * length, own.context_gradient.data());
        for (std::int64_t sample = first; sample < last; ++sample) {
          for (std::int64_t head = 0; head < shape_.heads; ++head) {
            attend_backward(
                sample, head,
                context_gradient + (sample - first) * length * width + head * head_dim(), own);
          }
        }
        qkv_backward(first * length, last * length);
      }
    } else {
      const std::int64_t begin = part_begin(rows(), parts, part);
      const std::int64_t end = part_begin(rows(), parts, part + 1);
      float* context_gradient = scratch_.front().context_gradient.data();
      output_backward(begin, end, context_gradient + begin * width);
#pragma omp barrier
#pragma omp for schedule(dynamic)
      for (std::int64_t pair = 0; pair < shape_.batch * shape_.heads; ++pair) {
        const std::int64_t sample = pair / shape_.heads;
        const std::int64_t head = pair % shape_.heads;
        attend_backward(sample, head,
                        context_gradient + sample * length * width + head * head_dim(), own);
      }
      qkv_backward(begin, end);
    }
    parameter_gradients(part, parts);
  }
}

}  // namespace tensorette::bench
