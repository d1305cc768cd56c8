/// \file
/// Losses. Before: variable.hpp. Next: optim/optimizer.hpp.
#pragma once

#include <optional>
#include <tensorette/autograd/variable.hpp>

namespace tensorette::nn {

/// How the losses of single elements become one number.
enum class Reduction { mean, sum, none };

/// Options of cross_entropy().
struct CrossEntropyOptions {
  std::optional<Index> ignore_index{};    ///< targets of this id do not count
  double label_smoothing = 0.0;           ///< ε in [0, 1]
  Reduction reduction = Reduction::mean;  ///< mean over the targets that count
};

/// Cross entropy of logits and class ids:
///   loss = −Σ_c q_c log softmax(logits)_c,  q = (1 − ε) at the target, plus ε/V at all V classes
///
/// logits [.., V], targets [..] i64 -> [] (or [..] for Reduction::none). The mean is over the
/// targets that count; if none does, the loss is 0 with zero gradients.
/// \throws IndexError naming a target outside [0, V); ShapeError, DTypeError
[[nodiscard]] Variable cross_entropy(const Variable& logits, const Tensor& targets,
                                     const CrossEntropyOptions& options = {});

/// Number of targets that count.
[[nodiscard]] Index counted_targets(const Tensor& targets, std::optional<Index> ignore_index);

/// Options of nll().
struct NllOptions {
  std::optional<Index> ignore_index{};
  Reduction reduction = Reduction::mean;
};
/// Negative log likelihood −log p[target] from log probabilities [.., V].
[[nodiscard]] Variable nll(const Variable& log_probabilities, const Tensor& targets,
                           const NllOptions& options = {});

/// Mean (or sum) of (prediction − target)². Both have one shape. \throws ShapeError
[[nodiscard]] Variable mse(const Variable& prediction, const Variable& target,
                           Reduction reduction = Reduction::mean);
/// |prediction − target|
[[nodiscard]] Variable l1(const Variable& prediction, const Variable& target,
                          Reduction reduction = Reduction::mean);

/// Options of huber().
struct HuberOptions {
  double delta = 1.0;  ///< where the square meets the straight line; positive
  Reduction reduction = Reduction::mean;
};
/// d²/2 where |d| <= delta, else delta (|d| − delta/2), d = prediction − target (Huber 1964).
[[nodiscard]] Variable huber(const Variable& prediction, const Variable& target,
                             const HuberOptions& options = {});

/// −t log σ(x) − (1 − t) log(1 − σ(x)) for logits x and targets t in [0, 1], without overflow.
[[nodiscard]] Variable bce_with_logits(const Variable& logits, const Variable& targets,
                                       Reduction reduction = Reduction::mean);

/// Kullback-Leibler divergence Σ p (log p − log q) over the last axis, from log q and
/// probabilities p; 0 log 0 = 0. The mean is over the rows.
[[nodiscard]] Variable kl_divergence(const Variable& log_probabilities, const Variable& target,
                                     Reduction reduction = Reduction::mean);

}  // namespace tensorette::nn
