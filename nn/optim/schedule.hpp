/// \file
/// Learning rates over the updates of a training run. All but the last are plain functions of the
/// update's number, counted from 1: nothing to save.
#pragma once

#include <tensorette/tensor/shape.hpp>

namespace tensorette::optim {

/// factor · dim^−½ · min(s^−½, s · warmup^−3⁄2) (Vaswani et al. 2017, equation 3). Rises until
/// update `warmup`, then falls with the root; without warm-up it only falls.
struct InverseSquareRootSchedule {
  Index dim = 512;
  Index warmup = 4000;
  double factor = 1.0;
  [[nodiscard]] double operator()(Index update) const;
};

/// Rises linearly to `peak` at update `warmup`, then falls along half a cosine to `floor` at
/// update `total` and stays there (Loshchilov and Hutter 2017).
struct CosineSchedule {
  double peak = 1e-3;
  Index warmup = 0;
  Index total = 1000;
  double floor = 0.0;
  [[nodiscard]] double operator()(Index update) const;
};

/// initial · decay^k, where k is the number of whole intervals before the update.
struct StepSchedule {
  double initial = 1e-3;
  Index interval = 1000;
  double decay = 0.5;
  [[nodiscard]] double operator()(Index update) const;
};

/// From `first` at update 1 straight to `last` at update `total`, then constant.
struct LinearSchedule {
  double first = 1e-3;
  double last = 0.0;
  Index total = 1000;
  [[nodiscard]] double operator()(Index update) const;
};

/// Options of PlateauSchedule.
struct PlateauOptions {
  double initial = 1e-3;
  double decay = 0.5;       ///< factor when a plateau is reached
  Index patience = 5;       ///< reports without improvement before the rate falls
  double threshold = 1e-4;  ///< an improvement is a loss below best · (1 − threshold)
  double floor = 0.0;       ///< lowest rate
};

/// Lowers the rate when a loss has stopped to fall.
class PlateauSchedule {
 public:
  explicit PlateauSchedule(const PlateauOptions& options);
  /// Takes the latest loss and gives the rate to go on with.
  double report(double loss);
  [[nodiscard]] double rate() const noexcept { return state_.rate; }

  /// What a continued run needs.
  struct State {
    double rate = 0;
    double best = 0;
    Index waited = 0;
    bool has_best = false;
  };
  [[nodiscard]] const State& state() const noexcept { return state_; }
  void set_state(const State& state) noexcept { state_ = state; }

 private:
  PlateauOptions options_;
  State state_;
};

}  // namespace tensorette::optim
