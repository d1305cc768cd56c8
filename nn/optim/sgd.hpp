/// \file
/// Stochastic gradient descent.
#pragma once

#include <tensorette/nn/optim/optimizer.hpp>

namespace tensorette::optim {

/// Options of SGD.
struct SgdOptions {
  double learning_rate = 1e-2;
  double momentum = 0.0;  ///< in [0, 1)
  bool nesterov = false;  ///< look ahead along the momentum (Sutskever et al. 2013)
};

/// b ← momentum·b + g,  p ← p − lr·b; Nesterov: p ← p − lr (g + momentum·b). The first step sets
/// b = g. A group's weight decay is added to the gradient.
class SGD final : public Optimizer {
 public:
  SGD(std::vector<Variable> parameters, const SgdOptions& options);
  SGD(std::vector<ParameterGroup> groups, const SgdOptions& options);

 protected:
  void update(Tensor& value, const Tensor& gradient, double learning_rate, double weight_decay,
              std::span<Tensor> moments) override;
  [[nodiscard]] bool updates_in_parallel() const noexcept override { return true; }

 private:
  SgdOptions options_;
};

}  // namespace tensorette::optim
