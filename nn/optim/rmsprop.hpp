/// \file
/// RMSprop.
#pragma once

#include <tensorette/nn/optim/optimizer.hpp>

namespace tensorette::optim {

/// Options of RMSprop.
struct RmspropOptions {
  double learning_rate = 1e-2;
  double alpha = 0.99;    ///< decay of the mean squared gradient, in [0, 1)
  double epsilon = 1e-8;  ///< added to the root
  double momentum = 0.0;  ///< in [0, 1)
  bool centered = false;  ///< divide by the deviation instead of the root mean square
};

/// v ← α v + (1 − α) g²,  p ← p − lr g/(√v + ε) (Tieleman and Hinton 2012); with momentum
/// b ← momentum·b + g/(√v + ε), p ← p − lr b; centred: v − (mean g)² instead of v. A group's
/// weight decay is added to the gradient.
class RMSprop final : public Optimizer {
 public:
  RMSprop(std::vector<Variable> parameters, const RmspropOptions& options);
  RMSprop(std::vector<ParameterGroup> groups, const RmspropOptions& options);

 protected:
  void update(Tensor& value, const Tensor& gradient, double learning_rate, double weight_decay,
              std::span<Tensor> moments) override;
  [[nodiscard]] bool updates_in_parallel() const noexcept override { return true; }

 private:
  RmspropOptions options_;
};

}  // namespace tensorette::optim
