/// \file
/// Adam and AdamW.
#pragma once

#include <tensorette/nn/optim/optimizer.hpp>

namespace tensorette::optim {

/// Options of Adam and AdamW.
struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;     ///< decay of the mean gradient, in [0, 1)
  double beta2 = 0.999;   ///< decay of the mean squared gradient, in [0, 1)
  double epsilon = 1e-8;  ///< added to the root, outside of it
};

/// Adam (Kingma and Ba 2015, algorithm 1), bias-corrected:
///   m ← β₁ m + (1 − β₁) g,  v ← β₂ v + (1 − β₂) g²,  p ← p − lr m̂ / (√v̂ + ε)
/// A group's weight decay is added to the gradient: g + wd·p.
class Adam : public Optimizer {
 public:
  Adam(std::vector<Variable> parameters, const AdamOptions& options);
  Adam(std::vector<ParameterGroup> groups, const AdamOptions& options);

 protected:
  Adam(std::vector<ParameterGroup> groups, const AdamOptions& options, bool decoupled);
  void update(Tensor& value, const Tensor& gradient, double learning_rate, double weight_decay,
              std::span<Tensor> moments) override;
  [[nodiscard]] bool updates_in_parallel() const noexcept override { return true; }

 private:
  AdamOptions options_;
  bool decoupled_;
};

/// AdamW (Loshchilov and Hutter 2019, algorithm 2): as Adam, but decay acts on the parameter
/// itself, p ← p (1 − lr wd), and not through the moments. See decay_groups() for who decays.
class AdamW final : public Adam {
 public:
  AdamW(std::vector<ParameterGroup> groups, const AdamOptions& options);
};

}  // namespace tensorette::optim
