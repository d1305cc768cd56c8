/// \file
/// Where a token stands: sinusoidal and learned positions.
#pragma once

#include <tensorette/nn/module.hpp>

namespace tensorette::nn {

/// The table of sinusoidal positions [length, dim] (Vaswani et al. 2017, section 3.5):
/// column 2i is sin(position / 10000^(2i/dim)), column 2i + 1 the cosine of the same angle. An odd
/// width ends on a sine. \throws Error unless both are positive
[[nodiscard]] Tensor sinusoidal_positions(Index length, Index dim, DType dtype = DType::f32);

/// Options of both kinds.
struct PositionOptions {
  Index max_length = 512;  ///< longest sequence
  Index dim = 0;           ///< width of a token vector
};

/// Adds sinusoidal positions. No parameters.        x [batch, tokens, dim] -> same
class SinusoidalPosition final : public Module {
 public:
  explicit SinusoidalPosition(const PositionOptions& options);
  /// `first` is the position of the first token (when decoding with a cache).
  /// \throws ShapeError if a position is beyond max_length, or the width differs
  [[nodiscard]] Variable forward(const Variable& x, Index first = 0) const;
  [[nodiscard]] std::string type_name() const override { return "SinusoidalPosition"; }

 protected:
  void list_parts(Parts&) override {}

 private:
  Tensor table_;
  Tensor table_f64_;
};

/// Adds a learned vector for each position. First values: normal with deviation 1/√dim.
class LearnedPosition final : public Module {
 public:
  LearnedPosition(const PositionOptions& options, Generator& generator);
  [[nodiscard]] Variable forward(const Variable& x, Index first = 0) const;
  [[nodiscard]] std::string type_name() const override { return "LearnedPosition"; }

  Variable weight;  ///< [max_length, dim]

 protected:
  void list_parts(Parts& parts) override { parts("weight", weight); }
};

}  // namespace tensorette::nn
