/// \file
/// The affine map of the last axis.
#pragma once

#include <tensorette/nn/module.hpp>

namespace tensorette::nn {

/// Options of Linear.
struct LinearOptions {
  Index in = 0;      ///< width of the input's last axis
  Index out = 0;     ///< width of the output's last axis
  bool bias = true;  ///< whether a bias is added
};

/// y = x Wᵀ + b        x [.., in] -> y [.., out]
///
/// First values: weight Xavier-uniform with fan_in = in and fan_out = out, bias 0.
class Linear final : public Module {
 public:
  /// \throws Error unless in and out are positive
  Linear(const LinearOptions& options, Generator& generator);

  /// \throws ShapeError unless the last axis of x has size in
  [[nodiscard]] Variable forward(const Variable& x) const;
  [[nodiscard]] std::string type_name() const override { return "Linear"; }

  Variable weight;  ///< [out, in]
  Variable bias;    ///< [out]; undefined without bias

 protected:
  void list_parts(Parts& parts) override {
    parts("weight", weight);
    parts("bias", bias);
  }
};

}  // namespace tensorette::nn
