// How far f32 and f64 functions are from the exact value, in units in the last place: over bit
// patterns of all f32 numbers against double, over ranges of f64 numbers against long double.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/elementwise.hpp>
#include <vector>

#include "tensorette_test.hpp"

namespace tt = tensorette;
using tt::Index;
using tt::Tensor;

namespace {

// Distance between a result and the exact value; a wrong sign of zero, NaN or infinity is far.
template <class T, class Wide>
double ulps(T got, Wide wanted) {
  constexpr double far = 1e9;
  const T rounded = static_cast<T>(wanted);
  if (std::isnan(wanted)) return std::isnan(got) ? 0 : far;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : far;
  if (wanted == 0) return got == 0 && std::signbit(got) == std::signbit(wanted) ? 0 : far;
  int exponent = 0;
  std::frexp(wanted, &exponent);
  using Limits = std::numeric_limits<T>;
  const int last_place = std::max(exponent - Limits::digits, Limits::min_exponent - Limits::digits);
  return static_cast<double>(std::abs(static_cast<Wide>(got) - wanted) *
                             std::ldexp(Wide{1}, -last_place));
}

double worst_f32(Tensor (*function)(const Tensor&), double (*exact)(double)) {
  std::vector<float> inputs;
  // 32749 is prime: the steps meet all kinds of mantissas; 131,000 numbers in all.
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 32749)
    inputs.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (const float extreme : {0.0F, -0.0F, 1.0F, -1.0F, 88.7228F, -87.3366F, -103.97F, 1e-40F})
    inputs.push_back(extreme);
  const Tensor y = function(tt::from_vector(inputs));
  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double distance = ulps(y.data<float>()[i], exact(static_cast<double>(inputs[i])));
    if (distance > worst) {
      worst = distance;
      UNSCOPED_INFO("at " << inputs[i] << ": " << distance);
    }
  }
  return worst;
}

double worst_f64(Tensor (*function)(const Tensor&), long double (*exact)(long double), double low,
                 double high) {
  const Tensor x = tt::linspace(low, high, 20001, tt::DType::f64);
  const Tensor y = function(x);
  double worst = 0;
  for (Index i = 0; i < x.element_count(); ++i) {
    const double distance = ulps(y.data<double>()[i], exact(x.data<double>()[i]));
    if (distance > worst) {
      worst = distance;
      UNSCOPED_INFO("at " << x.data<double>()[i] << ": " << distance);
    }
  }
  return worst;
}

template <class T>
T exact_sigmoid(T x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

template <class T>
T exact_softplus(T x) {
  return (x > 0 ? x : x == x ? 0 : x) + std::log1p(std::exp(-std::abs(x)));
}

}  // namespace

TEST_CASE("f32 functions are exact to two units in the last place", "[elementwise][accuracy]") {
  CHECK(worst_f32(tt::exp, std::exp) <= 1.0);
  CHECK(worst_f32(tt::expm1, std::expm1) <= 1.5);
  CHECK(worst_f32(tt::log, std::log) <= 1.0);
  CHECK(worst_f32(tt::log1p, std::log1p) <= 1.5);
  CHECK(worst_f32(tt::tanh, std::tanh) <= 2.0);
  CHECK(worst_f32(tt::erf, std::erf) <= 1.5);
  CHECK(worst_f32(tt::sin, std::sin) <= 2.1);
  CHECK(worst_f32(tt::cos, std::cos) <= 2.1);
  CHECK(worst_f32(tt::sigmoid, exact_sigmoid<double>) <= 2.1);
  CHECK(worst_f32(tt::softplus, exact_softplus<double>) <= 2.0);
  CHECK(worst_f32(tt::sqrt, std::sqrt) <= 0.5);
}

TEST_CASE("f64 functions are exact to two units in the last place", "[elementwise][accuracy]") {
  CHECK(worst_f64(tt::exp, std::exp, -745.2, 709.7) <= 1.0);
  CHECK(worst_f64(tt::exp, std::exp, -1, 1) <= 1.0);
  CHECK(worst_f64(tt::expm1, std::expm1, -2, 2) <= 2.0);
  CHECK(worst_f64(tt::expm1, std::expm1, -45, 709.7) <= 2.0);
  CHECK(worst_f64(tt::log, std::log, 1e-3, 5) <= 1.0);
  CHECK(worst_f64(tt::log, std::log, 1e-320, 1e-306) <= 1.0);
  CHECK(worst_f64(tt::log1p, std::log1p, -0.99, 3) <= 1.5);
  CHECK(worst_f64(tt::log1p, std::log1p, -1e-9, 1e-9) <= 1.5);
  CHECK(worst_f64(tt::tanh, std::tanh, -3, 3) <= 2.0);
  CHECK(worst_f64(tt::tanh, std::tanh, -25, 25) <= 2.0);
  CHECK(worst_f64(tt::erf, std::erf, -1.1, 1.1) <= 1.5);
  CHECK(worst_f64(tt::erf, std::erf, -7, 7) <= 1.5);
  CHECK(worst_f64(tt::sin, std::sin, -50, 50) <= 2.0);
  CHECK(worst_f64(tt::cos, std::cos, -50, 50) <= 2.0);
  CHECK(worst_f64(tt::sigmoid, exact_sigmoid<long double>, -700, 40) <= 2.1);
  CHECK(worst_f64(tt::softplus, exact_softplus<long double>, -40, 40) <= 2.0);
}

TEST_CASE("gelu has the sign of its argument", "[elementwise][accuracy]") {
  for (const tt::DType dtype : {tt::DType::f32, tt::DType::f64}) {
    const Tensor x = tt::linspace(0, 12, 300001, dtype);
    const auto right = tt::gelu(x).to(tt::DType::f64).to_vector<double>();
    const auto left = tt::gelu(tt::negate(x)).to(tt::DType::f64).to_vector<double>();
    CHECK(*std::min_element(right.begin(), right.end()) >= 0);
    CHECK(*std::max_element(left.begin(), left.end()) <= 0);
  }
}

TEST_CASE("the measure of accuracy sees errors", "[elementwise][accuracy]") {
  CHECK(ulps(1.0F, 1.0) == 0);
  CHECK(ulps(std::nextafter(1.0F, 2.0F), 1.0) == 1);
  CHECK(ulps(0.0F, -0.0) > 1e6);
  CHECK(ulps(std::numeric_limits<float>::max(), 1e300) > 1e6);
  CHECK(ulps(1e-45F, 2.8e-45) > 0.9);
  CHECK(worst_f32(tt::exp, std::expm1) > 1e6);
}

TEMPLATE_TEST_CASE("a value does not depend on its place", "[elementwise][accuracy]", float,
                   double) {
  using T = TestType;
  Tensor (*const functions[])(const Tensor&) = {
      tt::exp,  tt::expm1,   tt::log,  tt::log1p, tt::sqrt,    tt::rsqrt,
      tt::sin,  tt::cos,     tt::tanh, tt::erf,   tt::gelu,    tt::gelu_tanh,
      tt::silu, tt::sigmoid, tt::relu, tt::abs,   tt::softplus};
  std::vector<T> inputs;
  for (int i = 0; i < 131; ++i) inputs.push_back(static_cast<T>(i - 65) / T{7});
  const Tensor x = tt::from_vector(inputs);
  for (const auto function : functions) {
    const Tensor all = function(x);
    bool all_same = true;
    for (Index i = 0; i < x.element_count(); ++i) {
      const T alone =
          function(tt::scalar(inputs[static_cast<std::size_t>(i)], x.dtype())).template item<T>();
      const T among = all.template data<T>()[i];
      all_same = all_same && (alone == among || (alone != alone && among != among));
    }
    CHECK(all_same);
  }
}
