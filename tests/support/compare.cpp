#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tensorette/tensor/arithmetic.hpp>

namespace tensorette::testing {

std::vector<double> numbers(const Tensor& x) {
  return x.to(DType::f64).to_vector<double>();
}

double distance(const Tensor& actual, const std::vector<double>& expected) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> values = numbers(actual);
  if (values.size() != expected.size()) return infinite;
  double largest = 1;
  double difference = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || !std::isfinite(expected[i])) return infinite;
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(values[i] - expected[i]));
  }
  return difference / largest;
}

double distance(const Tensor& actual, const Tensor& expected) {
  if (actual.shape() != expected.shape()) return std::numeric_limits<double>::infinity();
  return distance(actual, numbers(expected));
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const std::vector<double> left = numbers(a);
  const std::vector<double> right = numbers(b);
  return left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(double)) == 0;
}

bool is_finite(const Tensor& x) {
  const std::vector<double> values = numbers(x);
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

void randomize(nn::Module& module, Generator& generator, double mean, double deviation) {
  for (const Variable& parameter : module.parameters()) {
    Tensor value = parameter.value();
    copy_(value, generator.normal(value.shape(), mean, deviation, value.dtype()));
  }
}

}  // namespace tensorette::testing
