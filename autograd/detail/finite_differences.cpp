#include <algorithm>
#include <cmath>
#include <numeric>
#include <tensorette/autograd/detail/finite_differences.hpp>
#include <tensorette/autograd/grad_mode.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::detail {
namespace {

// The values in a layout like that of `layout`, unless its elements share memory.
Tensor laid_out_like(const Tensor& layout, const Tensor& values) {
  if (layout.is_contiguous() || layout.element_count() == 0) return values;
  Index extent = 1;
  for (int axis = 0; axis < layout.rank(); ++axis) {
    const Index size = layout.shape()[axis];
    const Index stride = layout.strides()[axis];
    if (size > 1 && stride == 0) return values;
    extent += (size - 1) * stride;
  }
  const Tensor memory = zeros({extent}, layout.dtype());
  Tensor result(memory.storage(), layout.shape(), layout.strides(), 0, layout.dtype());
  copy_(result, values);
  return result;
}

Tensor displaced(const Tensor& x, const std::vector<double>& direction, double t) {
  std::vector<double> elements = elements_of(x);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (direction[i] != 0) elements[i] += t * direction[i];
  }
  return laid_out_like(x, from_vector(elements, x.shape()).to(x.dtype()));
}

}  // namespace

std::vector<double> elements_of(const Tensor& tensor) {
  return tensor.to(DType::f64).to_vector<double>();
}

std::vector<double> elements_of(std::span<const Variable> outputs) {
  std::vector<double> all;
  for (const Variable& output : outputs) {
    require<Error>(output.is_defined(), "gradcheck: the function gave an undefined output");
    if (!is_floating(output.dtype())) continue;
    const std::vector<double> elements = elements_of(output.value());
    all.insert(all.end(), elements.begin(), elements.end());
  }
  return all;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  require<Error>(a.size() == b.size(),
                 "gradcheck: the function gave {} numbers in one call and {} in another", a.size(),
                 b.size());
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> FiniteDifferences::value() const {
  const NoGrad no_grad;
  const std::vector<Variable> variables(inputs_.begin(), inputs_.end());
  return elements_of(function_(variables));
}

std::vector<double> FiniteDifferences::value_at(std::size_t input,
                                                const std::vector<double>& direction,
                                                double t) const {
  const NoGrad no_grad;
  std::vector<Variable> variables(inputs_.begin(), inputs_.end());
  variables[input] = displaced(inputs_[input], direction, t);
  return elements_of(function_(variables));
}

std::vector<double> FiniteDifferences::along(std::size_t input,
                                             const std::vector<double>& direction) const {
  const double h = step(input);
  struct Point {
    double place;
    double weight;
  };
  constexpr Point points[] = {{1, 8}, {-1, -8}, {2, -1}, {-2, 1}};
  std::vector<double> slope;
  for (const auto& [place, weight] : points) {
    const std::vector<double> values = value_at(input, direction, place * h);
    if (slope.empty()) slope.resize(values.size());
    require<Error>(slope.size() == values.size(),
                   "gradcheck: the function gave {} numbers in one call and {} in another",
                   slope.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) slope[i] += weight * values[i] / (12 * h);
  }
  return slope;
}

std::vector<double> FiniteDifferences::along_element(std::size_t input, Index element) const {
  std::vector<double> direction(static_cast<std::size_t>(inputs_[input].element_count()));
  direction[static_cast<std::size_t>(element)] = 1;
  return along(input, direction);
}

std::vector<double> FiniteDifferences::one_sided(std::size_t input, Index element, double t) const {
  std::vector<double> direction(static_cast<std::size_t>(inputs_[input].element_count()));
  direction[static_cast<std::size_t>(element)] = 1;
  std::vector<double> slope = value_at(input, direction, t);
  const std::vector<double> here = value();
  for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = (slope[i] - here[i]) / t;
  return slope;
}

double FiniteDifferences::step(std::size_t input) const {
  double largest = 1;
  for (const double x : elements_of(inputs_[input])) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  }
  return epsilon_ * largest;
}

}  // namespace tensorette::detail
