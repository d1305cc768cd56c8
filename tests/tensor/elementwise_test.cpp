// Functions of one tensor, and selections: values, special values, dtypes, layouts, errors.
#include <cmath>
#include <limits>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/elementwise.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Approx;
using Catch::Matchers::Message;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::nan("");

struct Function {
  const char* name;
  Tensor (*function)(const Tensor&);
  double (*exact)(double);
};

// Formulas in double; values where they lose digits are the accuracy tests' business.
const Function functions[] = {
    {"negate", negate, [](double x) { return -x; }},
    {"abs", abs, [](double x) { return std::abs(x); }},
    {"sign", sign, [](double x) { return x > 0   ? 1.0
                                         : x < 0 ? -1.0
                                                 : x; }},
    {"square", square, [](double x) { return x * x; }},
    {"reciprocal", reciprocal, [](double x) { return 1 / x; }},
    {"exp", exp, [](double x) { return std::exp(x); }},
    {"expm1", expm1, [](double x) { return std::expm1(x); }},
    {"log", log, [](double x) { return std::log(x); }},
    {"log1p", log1p, [](double x) { return std::log1p(x); }},
    {"sqrt", sqrt, [](double x) { return std::sqrt(x); }},
    {"rsqrt", rsqrt, [](double x) { return 1 / std::sqrt(x); }},
    {"sin", sin, [](double x) { return std::sin(x); }},
    {"cos", cos, [](double x) { return std::cos(x); }},
    {"tanh", tanh, [](double x) { return std::tanh(x); }},
    {"sigmoid", sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"erf", erf, [](double x) { return std::erf(x); }},
    {"relu", relu, [](double x) { return x > 0    ? x
                                         : x == x ? 0
                                                  : x; }},
    {"gelu", gelu, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
    {"gelu_tanh", gelu_tanh,
     [](double x) {
       const double inner = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
       return 0.5 * x * (1 + std::tanh(inner));
     }},
    {"silu", silu, [](double x) { return x / (1 + std::exp(-x)); }},
    {"softplus", softplus, [](double x) { return std::log(1 + std::exp(x)); }},
};

template <class T>
bool close(T got, double wanted) {
  const double tolerance = std::is_same_v<T, float> ? 1e-6 : 1e-14;
  if (std::isnan(wanted)) return std::isnan(got);
  if (std::isinf(wanted)) return static_cast<double>(got) == wanted;
  return std::abs(static_cast<double>(got) - wanted) <= tolerance * std::max(1.0, std::abs(wanted));
}

}  // namespace

TEMPLATE_TEST_CASE("functions of any shape and layout equal their formulas", "[elementwise]", float,
                   double) {
  using T = TestType;
  RandomEngine engine(21);
  for (const Function& f : functions) {
    CAPTURE(f.name);
    for (int round = 0; round < 12; ++round) {
      const Tensor x = random_tensor<T>(engine, random_shape(engine));
      const Tensor y = f.function(x);
      REQUIRE(y.shape() == x.shape());
      REQUIRE(y.dtype() == x.dtype());
      REQUIRE(y.is_contiguous());
      bool all_close = true;
      for_each_index(x.shape(), [&](const std::vector<Index>& indices, Index position) {
        const double wanted = f.exact(static_cast<double>(broadcast_at<T>(x, indices)));
        all_close = all_close && close(y.data<T>()[position], wanted);
      });
      REQUIRE(all_close);
    }
  }
}

TEST_CASE("special values", "[elementwise]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto at = [&](Tensor (*function)(const Tensor&), double x) {
      return function(scalar(x, dtype)).item();
    };
    for (const Function& f : functions) {
      CAPTURE(f.name);
      CHECK(std::isnan(at(f.function, not_a_number)));
    }
    CHECK(at(exp, infinity) == infinity);
    CHECK(at(exp, -infinity) == 0);
    CHECK(at(expm1, -infinity) == -1);
    CHECK(at(log, 0) == -infinity);
    CHECK(at(log, infinity) == infinity);
    CHECK(std::isnan(at(log, -1)));
    CHECK(at(log1p, -1) == -infinity);
    CHECK(std::isnan(at(log1p, -2)));
    CHECK(at(log1p, infinity) == infinity);
    CHECK(at(tanh, infinity) == 1);
    CHECK(at(tanh, -infinity) == -1);
    CHECK(at(erf, -infinity) == -1);
    CHECK(at(sigmoid, -infinity) == 0);
    CHECK(at(sigmoid, infinity) == 1);
    CHECK(at(softplus, -infinity) == 0);
    CHECK(at(softplus, infinity) == infinity);
    for (const auto gate : {relu, gelu, gelu_tanh, silu}) {
      CHECK(at(gate, -infinity) == 0);
      CHECK(at(gate, infinity) == infinity);
      CHECK(at(gate, -1e30) == 0);
    }
    CHECK(at(rsqrt, 0) == infinity);
    CHECK(std::isnan(at(sin, infinity)));
    CHECK(std::isnan(at(sqrt, -1)));
    CHECK(std::signbit(at(negate, 0)));
    CHECK_FALSE(std::signbit(at(relu, -0.0)));
    CHECK_FALSE(std::signbit(at(abs, -0.0)));
    CHECK(at(sign, -3) == -1);
    CHECK(at(sign, 0) == 0);
  }
  CHECK(sigmoid(scalar(-100.0)).item() == Approx(3.783506e-44).epsilon(0.03));
  CHECK(softplus(scalar(1000.0)).item() == 1000);
}

TEST_CASE("integers have signs and squares", "[elementwise]") {
  const Tensor x = from_vector<std::int64_t>({-3, 0, 4, std::numeric_limits<Index>::min()});
  using Values = std::vector<std::int64_t>;
  constexpr auto lowest = std::numeric_limits<Index>::min();
  CHECK((-x).to_vector<Index>() == Values{3, 0, -4, lowest});
  CHECK(abs(x).to_vector<Index>() == Values{3, 0, 4, lowest});
  CHECK(sign(x).to_vector<Index>() == Values{-1, 0, 1, -1});
  CHECK(square(x).to_vector<Index>() == Values{9, 0, 16, 0});
  CHECK(clamp(x, -1, 2).to_vector<Index>() == Values{-1, 0, 2, -1});
}

TEST_CASE("clamp limits and keeps NaN", "[elementwise]") {
  const Tensor x = from_vector<double>({-5, -1, 0.5, 2, 7, not_a_number, infinity, -infinity});
  const auto y = clamp(x, -1, 2).to_vector<double>();
  const std::vector<double> wanted{-1, -1, 0.5, 2, 2, not_a_number, 2, -1};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CHECK((y[i] == wanted[i] || (std::isnan(y[i]) && std::isnan(wanted[i]))));
  }
  CHECK(clamp(x, -infinity, infinity).at<double>(4) == 7);
  CHECK_THROWS_MATCHES(clamp(x, 2, 1), Error,
                       Message("clamp: the lower bound 2 is above the upper, 1"));
  CHECK_THROWS_AS(clamp(x, not_a_number, 1), Error);
  CHECK_THROWS_MATCHES(clamp(ones({2}, DType::i64), 0, 0.5), DTypeError,
                       Message("clamp: the number 0.5 is not an integer and the tensor is i64"));
}

TEST_CASE("isnan and isfinite", "[elementwise]") {
  const Tensor x = from_vector<double>({0, not_a_number, infinity, -infinity, 1e308, -1});
  CHECK(isnan(x).to_vector<bool>() == std::vector<bool>{0, 1, 0, 0, 0, 0});
  CHECK(isfinite(x).to_vector<bool>() == std::vector<bool>{1, 0, 0, 0, 1, 1});
  CHECK(isnan(x.to(DType::f32)).to_vector<bool>() == std::vector<bool>{0, 1, 0, 0, 0, 0});
  CHECK(isfinite(x.to(DType::f32)).to_vector<bool>() == std::vector<bool>{1, 0, 0, 0, 0, 1});
}

TEMPLATE_TEST_CASE("where selects over any shapes and layouts", "[elementwise]", float, double,
                   std::int64_t, bool) {
  using T = TestType;
  RandomEngine engine(31);
  for (int round = 0; round < 80; ++round) {
    const Shape shape = random_shape(engine);
    const Tensor condition = random_tensor<bool>(engine, random_part(engine, shape));
    const Tensor a = random_tensor<T>(engine, shape);
    const Tensor b = random_tensor<T>(engine, random_part(engine, shape));
    const T number = random_element<T>(engine);
    const Tensor both = where(condition, a, b);
    const Tensor right = where(condition, a, number);
    const Tensor left = where(condition, number, a);
    const Tensor filled = masked_fill(a, condition, number);
    REQUIRE(both.shape() == shape);
    bool all_same = true;
    for_each_index(shape, [&](const std::vector<Index>& i, Index position) {
      const bool c = broadcast_at<bool>(condition, i);
      const T p = broadcast_at<T>(a, i);
      all_same = all_same && both.data<T>()[position] == (c ? p : broadcast_at<T>(b, i)) &&
                 right.data<T>()[position] == (c ? p : number) &&
                 left.data<T>()[position] == (c ? number : p) &&
                 filled.data<T>()[position] == (c ? number : p);
    });
    REQUIRE(all_same);
  }
}

TEST_CASE("selection never touches the value it leaves out", "[elementwise]") {
  const Tensor x = from_vector<float>({1, static_cast<float>(not_a_number), 3});
  const Tensor mask = isnan(x);
  CHECK(masked_fill(x, mask, 0).to_vector<float>() == std::vector<float>{1, 0, 3});
  CHECK(where(mask, 2, x).to_vector<float>() == std::vector<float>{1, 2, 3});
  CHECK(masked_fill(x, mask, -infinity).at<float>(1) == -infinity);
}

TEST_CASE("functions refuse what they can't take", "[elementwise]") {
  const Tensor i = ones({2}, DType::i64);
  const Tensor b = ones({2}, DType::boolean);
  const Tensor f = ones({2});
  CHECK_THROWS_MATCHES(exp(i), DTypeError, Message("exp: takes f32 or f64, got i64"));
  CHECK_THROWS_MATCHES(abs(b), DTypeError, Message("abs: takes f32, f64 or i64, got boolean"));
  CHECK_THROWS_MATCHES(exp(Tensor()), Error, Message("exp: got an undefined tensor"));
  CHECK_THROWS_MATCHES(where(f, f, f), DTypeError,
                       Message("where: the condition must be boolean, got f32"));
  CHECK_THROWS_MATCHES(where(b, f, i), DTypeError, Message("where: dtypes differ: f32 and i64"));
  CHECK_THROWS_MATCHES(where(b, ones({3}), 1), ShapeError,
                       Message("where: shapes do not broadcast: [2] and [3]"));
  CHECK_THROWS_MATCHES(where(b, i, 0.5), DTypeError,
                       Message("where: the number 0.5 is not an integer and the tensor is i64"));
  CHECK_THROWS_MATCHES(masked_fill(f, ones({2, 2}, DType::boolean), 0), ShapeError,
                       Message("masked_fill: the mask [2, 2] does not broadcast to [2]"));
  CHECK_THROWS_AS(masked_fill(f, f, 0), DTypeError);
}
