#include <algorithm>
#include <tensorette/autograd/fused/cross_entropy.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/loss.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn {
namespace {

using detail::require;

Variable reduced(const Variable& losses, Reduction reduction) {
  switch (reduction) {
    case Reduction::mean:
      return mean(losses);
    case Reduction::sum:
      return sum(losses);
    case Reduction::none:
      break;
  }
  return losses;
}

void check_same_shape(const char* loss, const Variable& prediction, const Variable& target) {
  require(prediction.shape() == target.shape(), "{}: the prediction has shape {}, the target {}",
          loss, prediction.shape(), target.shape());
}

}  // namespace

Index counted_targets(const Tensor& targets, std::optional<Index> ignore_index) {
  if (!ignore_index) return targets.element_count();
  return sum(not_equal(targets, *ignore_index)).item<Index>();
}

Variable cross_entropy(const Variable& logits, const Tensor& targets,
                       const CrossEntropyOptions& options) {
  const Variable losses =
      tensorette::cross_entropy(logits, targets, options.ignore_index, options.label_smoothing);
  if (options.reduction != Reduction::mean) return reduced(losses, options.reduction);
  const Index counted = counted_targets(targets, options.ignore_index);
  return sum(losses) / static_cast<double>(std::max<Index>(counted, 1));
}

Variable nll(const Variable& log_probabilities, const Tensor& targets, const NllOptions& options) {
  Shape expected = targets.shape();
  require(log_probabilities.rank() == targets.rank() + 1,
          "nll: log probabilities {} need targets of one axis less, got {}",
          log_probabilities.shape(), targets.shape());
  expected.push_back(log_probabilities.size(-1));
  require(log_probabilities.shape() == expected, "nll: log probabilities {} do not fit targets {}",
          log_probabilities.shape(), targets.shape());
  require<DTypeError>(targets.dtype() == DType::i64, "nll: targets are i64, got {}",
                      targets.dtype());
  Tensor counts = ones(targets.shape(), log_probabilities.dtype());
  Tensor ids = targets;
  if (options.ignore_index) {
    const Tensor ignored = equal(targets, *options.ignore_index);
    counts = masked_fill(counts, ignored, 0);
    ids = masked_fill(targets, ignored, 0);
  }
  const Variable picked = squeeze(gather(log_probabilities, -1, unsqueeze(ids, -1)), -1);
  const Variable losses = where(greater(counts, 0), negate(picked), Scalar(0));
  if (options.reduction != Reduction::mean) return reduced(losses, options.reduction);
  return sum(losses) / std::max(sum(counts).item(), 1.0);
}

Variable mse(const Variable& prediction, const Variable& target, Reduction reduction) {
  check_same_shape("mse", prediction, target);
  return reduced(square(prediction - target), reduction);
}

Variable l1(const Variable& prediction, const Variable& target, Reduction reduction) {
  check_same_shape("l1", prediction, target);
  return reduced(abs(prediction - target), reduction);
}

Variable huber(const Variable& prediction, const Variable& target, const HuberOptions& options) {
  check_same_shape("huber", prediction, target);
  require<Error>(options.delta > 0, "huber: delta must be positive, got {}", options.delta);
  const Variable distance = abs(prediction - target);
  const Variable near = square(distance) * 0.5;
  const Variable far = (distance - 0.5 * options.delta) * options.delta;
  return reduced(where(distance <= options.delta, near, far), options.reduction);
}

Variable bce_with_logits(const Variable& logits, const Variable& targets, Reduction reduction) {
  check_same_shape("bce_with_logits", logits, targets);
  // softplus(x) - t x = -t log s(x) - (1 - t) log(1 - s(x))
  return reduced(softplus(logits) - targets * logits, reduction);
}

Variable kl_divergence(const Variable& log_probabilities, const Variable& target,
                       Reduction reduction) {
  check_same_shape("kl_divergence", log_probabilities, target);
  require(target.rank() >= 1, "kl_divergence: takes [.., classes], got {}", target.shape());
  // Where p = 0 the log is taken of 1, and 0 log 0 = 0 comes by itself.
  const Variable safe = masked_fill(target, equal(target.value(), 0), 1);
  const Variable rows = sum(target * (log(safe) - log_probabilities), -1);
  return reduced(rows, reduction);
}

}  // namespace tensorette::nn
