/// \file
/// Dropout as a layer.
#pragma once

#include <tensorette/nn/module.hpp>

namespace tensorette::nn {

/// Options of Dropout.
struct DropoutOptions {
  double probability = 0.1;  ///< of an element to be zeroed, in [0, 1]
};

/// In training mode zeroes elements at random and scales the others by 1/(1 − probability); in
/// evaluation mode gives its input. Draws from a generator of its own, split off at construction,
/// so that dropout never shifts the numbers of other modules.
class Dropout final : public Module {
 public:
  /// \throws Error for a probability outside [0, 1]
  Dropout(const DropoutOptions& options, Generator& generator);

  [[nodiscard]] Variable forward(const Variable& x) const;
  /// Numbers for `count` decisions made elsewhere (in a fused operation).
  [[nodiscard]] Generator::State reserve(Index count) const { return generator_.reserve(count); }
  /// The probability that applies in the present mode.
  [[nodiscard]] double active_probability() const noexcept {
    return is_training() ? probability_ : 0.0;
  }
  [[nodiscard]] std::string type_name() const override { return "Dropout"; }

 protected:
  void list_parts(Parts& parts) override { parts("generator", generator_); }

 private:
  double probability_;
  mutable Generator generator_;
};

}  // namespace tensorette::nn
