/// \file
/// Are gradients right? Compares what backward computes with differences of function values.
/// Before: engine.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tensorette/autograd/variable.hpp>
#include <vector>

namespace tensorette {

/// Options of gradcheck() and gradgradcheck(). A derivative is right if it differs from the
/// measured one by at most absolute + relative · (the larger of both).
struct GradcheckOptions {
  double epsilon = 1e-4;       ///< step of the differences, times the largest |x| above 1
  double relative = 1e-6;      ///< tolerance
  double absolute = 1e-8;      ///< tolerance
  bool full_jacobian = false;  ///< every output against every input, not random projections
  int directions = 2;          ///< random directions tried for each input
  Index elements = 8;          ///< single elements tried for each input; all, where it has fewer
  std::uint64_t seed = 0;      ///< of the random projections
};

/// One derivative that is wrong.
struct GradcheckFailure {
  std::size_t input = 0;         ///< its position among the inputs
  std::string input_name;        ///< "input 1", or "upstream gradient 0" in gradgradcheck()
  Shape shape;                   ///< of the input
  std::optional<Index> element;  ///< row-major position; none: along a random direction
  std::optional<Index> output;   ///< position in the outputs; none: a random projection of them
  double analytic = 0;           ///< from backward
  double numeric = 0;            ///< from differences
  double relative_error = 0;     ///< |analytic − numeric| / the larger of both
};

/// What gradcheck() found.
struct GradcheckReport {
  std::vector<GradcheckFailure> failures;  ///< largest relative error first
  std::size_t comparisons = 0;             ///< derivatives compared
  double largest_error = 0;                ///< relative error of the worst derivative, right or not
  std::size_t too_small = 0;               ///< derivatives that differ, but less than `absolute`
  bool is_deterministic = true;            ///< the function gave the same values twice
  std::string likely_cause;                ///< where it can be told

  [[nodiscard]] bool ok() const noexcept { return failures.empty() && is_deterministic; }
  /// One line if all is well; else what is wrong, where, by how much, and the likely cause.
  [[nodiscard]] std::string to_string() const;
};

/// A function to check: one output, or several.
using GradcheckFunction = std::function<Variable(std::span<const Variable>)>;
using GradcheckFunctions = std::function<std::vector<Variable>(std::span<const Variable>)>;

/// Compares the gradients of a function with respect to each floating input with central
/// differences of fourth order, (8 (f(x + h) − f(x − h)) − (f(x + 2h) − f(x − 2h))) / 12h.
/// Other inputs (i64, boolean) are handed through.
///
/// By default outputs are contracted with random upstream gradients, and the derivatives are those
/// along random directions and of some elements (all, where an input has few): a wrong formula
/// does not pass, and the time hardly grows with the size of the inputs. Inputs should be f64 and
/// away from kinks. They may be empty, strided or expanded; the function sees the same layout,
/// except that displaced copies of an expanded tensor are dense.
///
///     const auto report = gradcheck([](auto in) { return softmax(in[0] * in[1]); }, {a, b});
///     if (!report.ok()) std::cerr << report.to_string();
///
/// \throws Error for options out of range, or outputs whose number or shape changes between calls;
/// whatever the function throws
[[nodiscard]] GradcheckReport gradcheck(const GradcheckFunction& function,
                                        const std::vector<Variable>& inputs,
                                        const GradcheckOptions& options = {});
[[nodiscard]] GradcheckReport gradcheck(const GradcheckFunctions& function,
                                        const std::vector<Variable>& inputs,
                                        const GradcheckOptions& options = {});

/// The same for second derivatives: checks the gradients of the function's gradients, with respect
/// to the inputs and to random upstream gradients.
[[nodiscard]] GradcheckReport gradgradcheck(const GradcheckFunction& function,
                                            const std::vector<Variable>& inputs,
                                            const GradcheckOptions& options = {});
[[nodiscard]] GradcheckReport gradgradcheck(const GradcheckFunctions& function,
                                            const std::vector<Variable>& inputs,
                                            const GradcheckOptions& options = {});

}  // namespace tensorette
