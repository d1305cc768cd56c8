/// \file
/// Normalisation of the last axis.
#pragma once

#include <tensorette/nn/module.hpp>

namespace tensorette::nn {

/// Options of LayerNorm and RMSNorm.
struct NormOptions {
  Index dim = 0;          ///< width of the last axis
  double epsilon = 1e-5;  ///< added to the variance (the mean square)
  bool bias = true;       ///< LayerNorm only
};

/// y = (x − mean)/√(variance + ε) · gain + bias over the last axis, in two passes, with the
/// variance that divides by the count (Ba, Kiros and Hinton 2016).        [.., dim] -> [.., dim]
///
/// First values: gain 1, bias 0.
class LayerNorm final : public Module {
 public:
  /// \throws Error unless dim and epsilon are positive
  explicit LayerNorm(const NormOptions& options);

  [[nodiscard]] Variable forward(const Variable& x) const;
  [[nodiscard]] std::string type_name() const override { return "LayerNorm"; }

  Variable weight;  ///< gain, [dim]
  Variable bias;    ///< [dim]; undefined without bias

 protected:
  void list_parts(Parts& parts) override {
    parts("weight", weight);
    parts("bias", bias);
  }

 private:
  double epsilon_;
};

/// y = x/√(mean x² + ε) · gain over the last axis (Zhang and Sennrich 2019). First value: gain 1.
class RMSNorm final : public Module {
 public:
  /// \throws Error unless dim and epsilon are positive
  explicit RMSNorm(const NormOptions& options);

  [[nodiscard]] Variable forward(const Variable& x) const;
  [[nodiscard]] std::string type_name() const override { return "RMSNorm"; }

  Variable weight;  ///< gain, [dim]

 protected:
  void list_parts(Parts& parts) override { parts("weight", weight); }

 private:
  double epsilon_;
};

}  // namespace tensorette::nn
