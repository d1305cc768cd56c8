/// \file
/// Functions and inputs to try every recorded operation on: what tests of gradients loop over.
#pragma once

#include <string>
#include <tensorette/autograd/gradcheck.hpp>
#include <tensorette/autograd/op_table.hpp>
#include <vector>

namespace tensorette::testing {

/// How the elements of a sample lie in memory.
enum class Layout { contiguous, transposed, sliced, expanded };

/// The same values in another layout; `expanded` repeats the first slice of the last axis.
[[nodiscard]] Tensor laid_out(const Tensor& values, Layout layout);
/// f64 values that differ from each other by 0.1 at least and from multiples of 0.1 by 0.05: away
/// from the kinks of every operation.
[[nodiscard]] Tensor distinct_values(const Shape& shape, std::uint64_t seed = 1);
/// Uniform f64 values.
[[nodiscard]] Tensor values_between(double low, double high, const Shape& shape,
                                    std::uint64_t seed = 1);

struct OpSample {
  Op op;
  std::string name;
  GradcheckFunctions function;
  std::vector<Variable> inputs;
  GradcheckOptions options{};
};

/// Samples of all rows of the op table except leaf and custom.
[[nodiscard]] const std::vector<OpSample>& op_samples();

}  // namespace tensorette::testing
