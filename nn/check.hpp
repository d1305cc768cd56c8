/// \file
/// Is a model what it is meant to be? Checks that tell, in words, where it is not.
/// Before: module.hpp.
///
/// Each takes the model as a function, tries it on inputs that should make no difference, and
/// compares. They run with recording off and leave parameters as they were. A model with dropout
/// belongs in evaluation mode (deterministic() says when it is not).
///
///     const auto report = nn::check::causal(
///         [&](const Tensor& x) { return decoder.forward(x, memory); }, x);
///     if (!report) std::cerr << report.message << '\n';
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tensorette/nn/module.hpp>
#include <vector>

namespace tensorette::nn::check {

/// What a check found.
struct Report {
  bool ok = true;
  std::string message{};       ///< one line, whether all is well or not
  std::vector<Index> where{};  ///< the element of the output that is worst; empty if all is well
  double difference = 0;       ///< there: |found − expected|; infinite where one is not a number

  explicit operator bool() const noexcept { return ok; }
};

/// x [batch, tokens, ..], vectors or token ids, to an output whose first axis is the batch.
using SequenceFunction = std::function<Variable(const Tensor& x)>;
/// The same with a boolean tensor [batch, tokens]: true where a token is real, false for padding.
using MaskedFunction = std::function<Variable(const Tensor& x, const Tensor& valid)>;

/// Options of the checks of sequences.
struct Options {
  double tolerance = 0;    ///< of |found − expected|, times the largest |expected| above 1
  bool per_token = true;   ///< the output is [batch, tokens, ..]: compare it token by token
  std::uint64_t seed = 0;  ///< of the changes
};

/// No output token depends on later input tokens: changes the tokens from t on, for every t, and
/// looks at the outputs before t. x has two tokens at least, and two different ids if it holds ids.
/// \throws Error, ShapeError for an x or an output that does not fit
[[nodiscard]] Report causal(const SequenceFunction& f, const Tensor& x,
                            const Options& options = {});

/// Outputs of real tokens do not depend on what stands in the padding: fills it with other tokens,
/// and with numbers up to a million. With per_token false the whole output must stay as it is (a
/// decoder's output for another source padding). \throws Error if no token is padding
[[nodiscard]] Report ignores_padding(const MaskedFunction& f, const Tensor& x, const Tensor& valid,
                                     const Options& options = {});

/// The output for one sample depends neither on the other samples nor on its place in the batch:
/// tries each alone, and the batch in reverse order. The tolerance is 1e-5 where the options say 0,
/// because sums may be grouped otherwise in a batch of another size. Padded tokens don't count.
[[nodiscard]] Report batch_independent(const SequenceFunction& f, const Tensor& x,
                                       const Options& options = {});
[[nodiscard]] Report batch_independent(const MaskedFunction& f, const Tensor& x,
                                       const Tensor& valid, const Options& options = {});

/// Two calls give the same bits; so do the gradients of the sum of the output with respect to
/// `parameters`, if there are any.
[[nodiscard]] Report deterministic(const std::function<Variable()>& f,
                                   const std::vector<Variable>& parameters = {});

/// Options of can_overfit_one_batch().
struct OverfitOptions {
  int steps = 300;              ///< updates at most
  double learning_rate = 1e-2;  ///< of Adam
  double target = 0.05;         ///< the loss to reach
};

/// A model that can't learn one batch by heart will not learn anything: a gradient is cut, a label
/// is shifted, or an activation is dead. Trains with Adam until the loss is at the target, and puts
/// parameters and random generators back. The message names parameters that no gradient reached.
/// \throws GraphError if the loss depends on no parameter
[[nodiscard]] Report can_overfit_one_batch(Module& model, const std::function<Variable()>& loss,
                                           const OverfitOptions& options = {});

}  // namespace tensorette::nn::check
