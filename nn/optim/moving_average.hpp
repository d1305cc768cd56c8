/// \file
/// An exponential moving average of a model's parameters. Before: optimizer.hpp.
#pragma once

#include <map>
#include <string>
#include <tensorette/autograd/variable.hpp>
#include <vector>

namespace tensorette::optim {

/// How far back an average reaches. At update n its decay is the smaller of `decay` and
/// (1 + n)/(1 + n + 1/share), so that the random beginning is soon forgotten. Where `decay` is too
/// large to count, the weights are a power of n, the older the run the broader (Karras et al. 2024,
/// section 3.1).
struct MovingAverageOptions {
  double decay = 0.999;      ///< in [0, 1): about 1/(1 − decay) updates count
  double share = 1.0 / 9.0;  ///< in (0, 1]: of the updates so far, as long as those are few
};

/// Keeps a slowly moving copy of parameters, which mostly is the better model (Polyak and Juditsky
/// 1992): after each step a ← d·a + (1 − d)·p, with the decay d of MovingAverageOptions.
///
///     ExponentialMovingAverage average(model.parameters(), {.decay = 0.999});
///     optimizer.step();
///     average.update();
///     …
///     average.swap();  // the model now holds the averages
///     validate(model);
///     average.swap();  // and trains on as before
class ExponentialMovingAverage {
 public:
  /// Begins with the parameters as they are. A parameter that stands twice (tied) counts once.
  /// \throws Error for options out of range, an empty list and parameters with gaps
  explicit ExponentialMovingAverage(std::vector<Variable> parameters,
                                    const MovingAverageOptions& options = {});

  /// Moves the averages towards the parameters. \throws Error while they are swapped
  void update();
  /// Exchanges the values of parameters and averages, both ways.
  void swap();

  /// The parameters hold the averages at present.
  [[nodiscard]] bool is_swapped() const noexcept { return is_swapped_; }
  [[nodiscard]] const MovingAverageOptions& options() const noexcept { return options_; }
  /// Number of updates.
  [[nodiscard]] Index updates() const noexcept { return updates_; }

  /// What is not in the parameters: "updates", "is_swapped", and the values of parameter i as
  /// "values.i": its average, or while swapped what it is when they are swapped back. So a model
  /// that is saved with its averages swapped in is used with them, and trains on without. The
  /// tensors are those in use, which change with the next update: clone() what is to be kept.
  [[nodiscard]] std::map<std::string, Tensor> state_dict() const;
  /// \throws FormatError if it is of other parameters; nothing has changed then
  void load_state_dict(const std::map<std::string, Tensor>& state);

 private:
  std::vector<Variable> parameters_;
  std::vector<Tensor> averages_;
  MovingAverageOptions options_;
  Index updates_ = 0;
  bool is_swapped_ = false;
};

/// Swaps an average in for as long as it lives; without one it does nothing.
class AverageInPlace {
 public:
  explicit AverageInPlace(ExponentialMovingAverage* average) : average_(average) {
    if (average_ != nullptr) average_->swap();
  }
  AverageInPlace(const AverageInPlace&) = delete;
  AverageInPlace& operator=(const AverageInPlace&) = delete;
  ~AverageInPlace() {
    if (average_ != nullptr) average_->swap();
  }

 private:
  ExponentialMovingAverage* average_;
};

}  // namespace tensorette::optim
