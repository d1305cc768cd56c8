#include "plain_attention.hpp"

#include <algorithm>
#include <cmath>

namespace tensorette::bench {
namespace {

using Vector = std::vector<double>;

// A head inside larger arrays: element (row, i) stands at offset + row · stride + i.
struct HeadPlace {
  std::int64_t offset, stride;
  [[nodiscard]] std::size_t at(std::int64_t row, std::int64_t i) const {
    return std::size_t(offset + row * stride + i);
  }
};

// Adds the head's output and gradients to arrays that begin as zeros.
void one_head(std::int64_t length, std::int64_t head_dim, HeadPlace in, HeadPlace out,
              const Vector& query, const Vector& key, const Vector& value, const Vector& upstream,
              PlainHeads& result) {
  const double scale = 1 / std::sqrt(double(head_dim));
  for (std::int64_t row = 0; row < length; ++row) {
    Vector scores(std::size_t(length), 0.0);
    double largest = -INFINITY;
    for (std::int64_t other = 0; other < length; ++other) {
      double& score = scores[std::size_t(other)];
      for (std::int64_t i = 0; i < head_dim; ++i) {
        score += scale * query[in.at(row, i)] * key[in.at(other, i)];
      }
      largest = std::max(largest, score);
    }
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - largest);
    for (double& score : scores) score /= sum;

    Vector gradient(std::size_t(length), 0.0);  // of the scores
    double dot = 0;
    for (std::int64_t other = 0; other < length; ++other) {
      const double score = scores[std::size_t(other)];
      for (std::int64_t i = 0; i < head_dim; ++i) {
        result.output[out.at(row, i)] += score * value[in.at(other, i)];
        result.value_gradient[in.at(other, i)] += score * upstream[out.at(row, i)];
        gradient[std::size_t(other)] += upstream[out.at(row, i)] * value[in.at(other, i)];
      }
      dot += score * gradient[std::size_t(other)];
    }
    for (std::int64_t other = 0; other < length; ++other) {
      const double raw = scale * scores[std::size_t(other)] * (gradient[std::size_t(other)] - dot);
      for (std::int64_t i = 0; i < head_dim; ++i) {
        result.query_gradient[in.at(row, i)] += raw * key[in.at(other, i)];
        result.key_gradient[in.at(other, i)] += raw * query[in.at(row, i)];
      }
    }
  }
}

Vector widened(std::span<const float> values) {
  return {values.begin(), values.end()};
}

// y[rows, out] = x[rows, in] · Wᵀ + b
Vector linear(const Vector& x, const Vector& weight, const Vector& bias) {
  const std::size_t out = bias.size();
  const std::size_t in = weight.size() / out;
  Vector y;
  for (std::size_t row = 0; row < x.size() / in; ++row) {
    for (std::size_t o = 0; o < out; ++o) {
      double sum = bias[o];
      for (std::size_t i = 0; i < in; ++i) sum += x[row * in + i] * weight[o * in + i];
      y.push_back(sum);
    }
  }
  return y;
}

struct LinearGradients {
  Vector x, weight, bias;
};

LinearGradients linear_backward(const Vector& x, const Vector& weight, const Vector& upstream,
                                std::size_t out) {
  const std::size_t in = weight.size() / out;
  LinearGradients g{Vector(x.size(), 0.0), Vector(weight.size(), 0.0), Vector(out, 0.0)};
  for (std::size_t row = 0; row < x.size() / in; ++row) {
    for (std::size_t o = 0; o < out; ++o) {
      const double up = upstream[row * out + o];
      g.bias[o] += up;
      for (std::size_t i = 0; i < in; ++i) {
        g.x[row * in + i] += up * weight[o * in + i];
        g.weight[o * in + i] += up * x[row * in + i];
      }
    }
  }
  return g;
}

}  // namespace

PlainHeads plain_heads(std::int64_t heads, std::int64_t length, std::int64_t head_dim,
                       const PlainHeadInputs& inputs) {
  const Vector zeros(inputs.query.size(), 0.0);
  PlainHeads result{zeros, zeros, zeros, zeros};
  for (std::int64_t head = 0; head < heads; ++head) {
    const HeadPlace place{head * length * head_dim, head_dim};
    one_head(length, head_dim, place, place, widened(inputs.query), widened(inputs.key),
             widened(inputs.value), widened(inputs.upstream), result);
  }
  return result;
}

PlainAttention plain_attention(const AttentionShape& shape, const PlainAttentionInputs& inputs) {
  const auto [batch, length, width, heads] = shape;
  const Vector input = widened(inputs.input);
  const Vector qkv_weight = widened(inputs.qkv_weight);
  const Vector output_weight = widened(inputs.output_weight);
  const Vector qkv = linear(input, qkv_weight, widened(inputs.qkv_bias));

  // Queries, keys and values are thirds of each row: the same array seen from three beginnings.
  const auto third = [&](std::int64_t which) {
    return Vector(qkv.begin() + std::ptrdiff_t(which * width), qkv.end());
  };
  const auto for_each_head = [&](const Vector& upstream, PlainHeads& result) {
    for (std::int64_t sample = 0; sample < batch; ++sample) {
      for (std::int64_t head = 0; head < heads; ++head) {
        const std::int64_t head_dim = width / heads;
        const HeadPlace in{sample * length * 3 * width + head * head_dim, 3 * width};
        const HeadPlace out{sample * length * width + head * head_dim, width};
        one_head(length, head_dim, in, out, third(0), third(1), third(2), upstream, result);
      }
    }
  };
  const Vector context_zeros(input.size(), 0.0);
  const Vector qkv_zeros(qkv.size(), 0.0);
  const PlainHeads empty{context_zeros, qkv_zeros, qkv_zeros, qkv_zeros};

  PlainHeads forward = empty;
  for_each_head(context_zeros, forward);
  const Vector upstream = widened(inputs.upstream);
  LinearGradients output_gradients =
      linear_backward(forward.output, output_weight, upstream, std::size_t(width));
  PlainHeads heads_result = empty;
  for_each_head(output_gradients.x, heads_result);

  Vector qkv_gradient = heads_result.query_gradient;
  for (std::size_t i = std::size_t(width); i < qkv.size(); ++i) {
    qkv_gradient[i] += heads_result.key_gradient[i - std::size_t(width)];
  }
  for (std::size_t i = 2 * std::size_t(width); i < qkv.size(); ++i) {
    qkv_gradient[i] += heads_result.value_gradient[i - 2 * std::size_t(width)];
  }
  LinearGradients qkv_gradients =
      linear_backward(input, qkv_weight, qkv_gradient, 3 * std::size_t(width));
  return {linear(forward.output, output_weight, widened(inputs.output_bias)),
          std::move(qkv_gradients.x),
          std::move(qkv_gradients.weight),
          std::move(qkv_gradients.bias),
          std::move(output_gradients.weight),
          std::move(output_gradients.bias)};
}

}  // namespace tensorette::bench
