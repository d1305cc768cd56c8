// Derivatives of a function of tensors, measured from its values.
#pragma once

#include <span>
#include <tensorette/autograd/gradcheck.hpp>
#include <tensorette/tensor/tensor.hpp>
#include <vector>

namespace tensorette::detail {

/// Elements in row-major order; f32 becomes double.
[[nodiscard]] std::vector<double> elements_of(const Tensor& tensor);
/// The elements of all floating outputs, one after the other.
[[nodiscard]] std::vector<double> elements_of(std::span<const Variable> outputs);

[[nodiscard]] double dot(const std::vector<double>& a, const std::vector<double>& b);

/// Values and derivatives of f near x. A derivative is a vector: one number per element of the
/// outputs.
class FiniteDifferences {
 public:
  FiniteDifferences(GradcheckFunctions function, std::vector<Tensor> inputs, double epsilon)
      : function_(std::move(function)), inputs_(std::move(inputs)), epsilon_(epsilon) {}

  [[nodiscard]] std::span<const Tensor> inputs() const noexcept { return inputs_; }

  /// f(x), without a graph.
  [[nodiscard]] std::vector<double> value() const;
  /// d/dt f(.., x_i + t direction, ..) at 0, by the formula of gradcheck().
  [[nodiscard]] std::vector<double> along(std::size_t input,
                                          const std::vector<double>& direction) const;
  /// The same along one element.
  [[nodiscard]] std::vector<double> along_element(std::size_t input, Index element) const;
  /// (f(x + t) − f(x)) / t in one element: the slope on one side of x, that of the sign of t.
  [[nodiscard]] std::vector<double> one_sided(std::size_t input, Index element, double t) const;
  /// The step h for an input.
  [[nodiscard]] double step(std::size_t input) const;

 private:
  [[nodiscard]] std::vector<double> value_at(std::size_t input,
                                             const std::vector<double>& direction, double t) const;

  GradcheckFunctions function_;
  std::vector<Tensor> inputs_;
  double epsilon_;
};

}  // namespace tensorette::detail
