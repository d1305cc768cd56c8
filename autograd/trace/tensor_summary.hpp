/// \file
/// What can be said of a tensor in a few numbers.
#pragma once

#include <cstdint>
#include <tensorette/tensor/tensor.hpp>
#include <vector>

namespace tensorette {

/// Statistics of the elements of a tensor, and the elements themselves where they are few.
struct TensorSummary {
  Shape shape{};
  DType dtype = DType::f32;
  Index nan_count = 0;
  Index infinite_count = 0;
  Index zero_count = 0;
  // Of the finite elements; 0 if there are none.
  double mean = 0;
  double standard_deviation = 0;
  double minimum = 0;
  double maximum = 0;
  double norm = 0;  ///< √Σx²
  /// All elements in row-major order, if there are at most as many as asked for.
  std::vector<double> elements{};
  /// Else how many finite elements lie in each of histogram_bins equal steps from minimum to
  /// maximum.
  std::vector<std::uint32_t> histogram{};

  static constexpr std::size_t histogram_bins = 24;

  [[nodiscard]] bool is_finite() const noexcept { return nan_count + infinite_count == 0; }
};

/// Looks at every element, in double. Booleans count as 0 and 1.
[[nodiscard]] TensorSummary summarize(const Tensor& tensor, Index element_limit = 64);

}  // namespace tensorette
