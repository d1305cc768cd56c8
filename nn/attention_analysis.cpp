#include <tensorette/nn/attention_analysis.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/elementwise.hpp>
#include <tensorette/tensor/matmul.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette::nn {
namespace {

using detail::require;

void check_scores(const char* operation, const Tensor& scores) {
  require<Error>(scores.is_defined(), "{}: got an undefined tensor", operation);
  require(scores.rank() == 4, "{}: scores are [batch, heads, queries, keys], got {}", operation,
          scores.shape());
  require<DTypeError>(is_floating(scores.dtype()), "{}: scores are {}", operation, scores.dtype());
}

}  // namespace

Tensor attention_entropy(const Tensor& scores) {
  check_scores("attention_entropy", scores);
  // p log p is 0 at p = 0.
  const Tensor logarithms = log(where(scores > 0, scores, Scalar(1)));
  const Tensor entropies = sum(scores * logarithms, -1) * -1.0;    // [B, H, Tq]
  const Tensor counts = (sum(scores, -1) > 0).to(scores.dtype());  // 1 if a key is left
  return sum(entropies, -1) / maximum(sum(counts, -1), Scalar(1));
}

Tensor attention_rollout(const std::vector<Tensor>& scores) {
  require<Error>(!scores.empty(), "attention_rollout: no layer");
  Tensor flow;
  for (const Tensor& layer : scores) {
    check_scores("attention_rollout", layer);
    require(layer.size(2) == layer.size(3) && layer.shape() == scores.front().shape(),
            "attention_rollout: layers are [batch, heads, tokens, tokens] of one shape, got {} "
            "after {}",
            layer.shape(), scores.front().shape());
    const Tensor step = mean(layer, 1) + eye(layer.size(2), -1, layer.dtype());
    const Tensor shares = step / sum(step, -1, KeepDims::yes);
    flow = flow.is_defined() ? matmul(shares, flow) : shares;
  }
  return flow;
}

}  // namespace tensorette::nn
