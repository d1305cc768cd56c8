// Why a gradient is wrong, as far as numbers can tell.
#pragma once

#include <span>
#include <string>
#include <tensorette/autograd/detail/finite_differences.hpp>
#include <vector>

namespace tensorette::detail {

/// What is known of a function whose gradient for one input is wrong.
struct GradcheckEvidence {
  const FiniteDifferences& differences;
  std::span<const Variable> outputs;                  ///< f(x), recorded
  std::span<const std::string> names;                 ///< of the inputs
  const std::vector<double>& upstream;                ///< for the elements of all outputs
  const std::vector<std::vector<double>>& gradients;  ///< of upstream · f(x), from backward
  std::size_t input;                                  ///< the one whose gradient is wrong
};

/// A sentence, or an empty string where the numbers tell nothing.
[[nodiscard]] std::string likely_cause(const GradcheckEvidence& evidence);

}  // namespace tensorette::detail
