// Functions of one tensor, and selections: values, special values, dtypes, layouts, errors.
#include <cmath>
#include <limits>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/elementwise.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

namespace tt = tensorette;
using namespace tensorette::testing;
using Catch::Approx;
using Catch::Matchers::Message;
using tt::DType;
using tt::Index;
using tt::Shape;
using tt::Tensor;

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
    {"negate", tt::negate, [](double x) { return -x; }},
    {"abs", tt::abs, [](double x) { return std::abs(x); }},
    {"sign", tt::sign, [](double x) { return x > 0   ? 1.0
                                             : x < 0 ? -1.0
                                                     : x; }},
    {"square", tt::square, [](double x) { return x * x; }},
    {"reciprocal", tt::reciprocal, [](double x) { return 1 / x; }},
    {"exp", tt::exp, [](double x) { return std::exp(x); }},
    {"expm1", tt::expm1, [](double x) { return std::expm1(x); }},
    {"log", tt::log, [](double x) { return std::log(x); }},
    {"log1p", tt::log1p, [](double x) { return std::log1p(x); }},
    {"sqrt", tt::sqrt, [](double x) { return std::sqrt(x); }},
    {"rsqrt", tt::rsqrt, [](double x) { return 1 / std::sqrt(x); }},
    {"sin", tt::sin, [](double x) { return std::sin(x); }},
    {"cos", tt::cos, [](double x) { return std::cos(x); }},
    {"tanh", tt::tanh, [](double x) { return std::tanh(x); }},
    {"sigmoid", tt::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"erf", tt::erf, [](double x) { return std::erf(x); }},
    {"relu", tt::relu, [](double x) { return x > 0    ? x
                                             : x == x ? 0
                                                      : x; }},
    {"gelu", tt::gelu, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
    {"gelu_tanh", tt::gelu_tanh,
     [](double x) {
       const double inner = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
       return 0.5 * x * (1 + std::tanh(inner));
     }},
    {"silu", tt::silu, [](double x) { return x / (1 + std::exp(-x)); }},
    {"softplus", tt::softplus, [](double x) { return std::log(1 + std::exp(x)); }},
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
      return function(tt::scalar(x, dtype)).item();
    };
    for (const Function& f : functions) {
      CAPTURE(f.name);
      CHECK(std::isnan(at(f.function, not_a_number)));
    }
    CHECK(at(tt::exp, infinity) == infinity);
    CHECK(at(tt::exp, -infinity) == 0);
    CHECK(at(tt::expm1, -infinity) == -1);
    CHECK(at(tt::log, 0) == -infinity);
    CHECK(at(tt::log, infinity) == infinity);
    CHECK(std::isnan(at(tt::log, -1)));
    CHECK(at(tt::log1p, -1) == -infinity);
    CHECK(std::isnan(at(tt::log1p, -2)));
    CHECK(at(tt::log1p, infinity) == infinity);
    CHECK(at(tt::tanh, infinity) == 1);
    CHECK(at(tt::tanh, -infinity) == -1);
    CHECK(at(tt::erf, -infinity) == -1);
    CHECK(at(tt::sigmoid, -infinity) == 0);
    CHECK(at(tt::sigmoid, infinity) == 1);
    CHECK(at(tt::softplus, -infinity) == 0);
    CHECK(at(tt::softplus, infinity) == infinity);
    for (const auto gate : {tt::relu, tt::gelu, tt::gelu_tanh, tt::silu}) {
      CHECK(at(gate, -infinity) == 0);
      CHECK(at(gate, infinity) == infinity);
      CHECK(at(gate, -1e30) == 0);
    }
    CHECK(at(tt::rsqrt, 0) == infinity);
    CHECK(std::isnan(at(tt::sin, infinity)));
    CHECK(std::isnan(at(tt::sqrt, -1)));
    CHECK(std::signbit(at(tt::negate, 0)));
    CHECK_FALSE(std::signbit(at(tt::relu, -0.0)));
    CHECK_FALSE(std::signbit(at(tt::abs, -0.0)));
    CHECK(at(tt::sign, -3) == -1);
    CHECK(at(tt::sign, 0) == 0);
  }
  CHECK(tt::sigmoid(tt::scalar(-100.0)).item() == Approx(3.783506e-44).epsilon(0.03));
  CHECK(tt::softplus(tt::scalar(1000.0)).item() == 1000);
}

TEST_CASE("integers have signs and squares", "[elementwise]") {
  const Tensor x = tt::from_vector<std::int64_t>({-3, 0, 4, std::numeric_limits<Index>::min()});
  using Values = std::vector<std::int64_t>;
  constexpr auto lowest = std::numeric_limits<Index>::min();
  CHECK((-x).to_vector<Index>() == Values{3, 0, -4, lowest});
  CHECK(tt::abs(x).to_vector<Index>() == Values{3, 0, 4, lowest});
  CHECK(tt::sign(x).to_vector<Index>() == Values{-1, 0, 1, -1});
  CHECK(tt::square(x).to_vector<Index>() == Values{9, 0, 16, 0});
  CHECK(tt::clamp(x, -1, 2).to_vector<Index>() == Values{-1, 0, 2, -1});
}

TEST_CASE("clamp limits and keeps NaN", "[elementwise]") {
  const Tensor x = tt::from_vector<double>({-5, -1, 0.5, 2, 7, not_a_number, infinity, -infinity});
  const auto y = tt::clamp(x, -1, 2).to_vector<double>();
  const std::vector<double> wanted{-1, -1, 0.5, 2, 2, not_a_number, 2, -1};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CHECK((y[i] == wanted[i] || (std::isnan(y[i]) && std::isnan(wanted[i]))));
  }
  CHECK(tt::clamp(x, -infinity, infinity).at<double>(4) == 7);
  CHECK_THROWS_MATCHES(tt::clamp(x, 2, 1), tt::Error,
                       Message("clamp: the lower bound 2 is above the upper, 1"));
  CHECK_THROWS_AS(tt::clamp(x, not_a_number, 1), tt::Error);
  CHECK_THROWS_MATCHES(tt::clamp(tt::ones({2}, DType::i64), 0, 0.5), tt::DTypeError,
                       Message("clamp: the number 0.5 is not an integer and the tensor is i64"));
}

TEST_CASE("isnan and isfinite", "[elementwise]") {
  const Tensor x = tt::from_vector<double>({0, not_a_number, infinity, -infinity, 1e308, -1});
  CHECK(tt::isnan(x).to_vector<bool>() == std::vector<bool>{0, 1, 0, 0, 0, 0});
  CHECK(tt::isfinite(x).to_vector<bool>() == std::vector<bool>{1, 0, 0, 0, 1, 1});
  CHECK(tt::isnan(x.to(DType::f32)).to_vector<bool>() == std::vector<bool>{0, 1, 0, 0, 0, 0});
  CHECK(tt::isfinite(x.to(DType::f32)).to_vector<bool>() == std::vector<bool>{1, 0, 0, 0, 0, 1});
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
    const Tensor both = tt::where(condition, a, b);
    const Tensor right = tt::where(condition, a, number);
    const Tensor left = tt::where(condition, number, a);
    const Tensor filled = tt::masked_fill(a, condition, number);
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
  const Tensor x = tt::from_vector<float>({1, static_cast<float>(not_a_number), 3});
  const Tensor mask = tt::isnan(x);
  CHECK(tt::masked_fill(x, mask, 0).to_vector<float>() == std::vector<float>{1, 0, 3});
  CHECK(tt::where(mask, 2, x).to_vector<float>() == std::vector<float>{1, 2, 3});
  CHECK(tt::masked_fill(x, mask, -infinity).at<float>(1) == -infinity);
}

TEST_CASE("functions refuse what they can't take", "[elementwise]") {
  const Tensor i = tt::ones({2}, DType::i64);
  const Tensor b = tt::ones({2}, DType::boolean);
  const Tensor f = tt::ones({2});
  CHECK_THROWS_MATCHES(tt::exp(i), tt::DTypeError, Message("exp: takes f32 or f64, got i64"));
  CHECK_THROWS_MATCHES(tt::abs(b), tt::DTypeError,
                       Message("abs: takes f32, f64 or i64, got boolean"));
  CHECK_THROWS_MATCHES(tt::exp(Tensor()), tt::Error, Message("exp: got an undefined tensor"));
  CHECK_THROWS_MATCHES(tt::where(f, f, f), tt::DTypeError,
                       Message("where: the condition must be boolean, got f32"));
  CHECK_THROWS_MATCHES(tt::where(b, f, i), tt::DTypeError,
                       Message("where: dtypes differ: f32 and i64"));
  CHECK_THROWS_MATCHES(tt::where(b, tt::ones({3}), 1), tt::ShapeError,
                       Message("where: shapes do not broadcast: [2] and [3]"));
  CHECK_THROWS_MATCHES(tt::where(b, i, 0.5), tt::DTypeError,
                       Message("where: the number 0.5 is not an integer and the tensor is i64"));
  CHECK_THROWS_MATCHES(tt::masked_fill(f, tt::ones({2, 2}, DType::boolean), 0), tt::ShapeError,
                       Message("masked_fill: the mask [2, 2] does not broadcast to [2]"));
  CHECK_THROWS_AS(tt::masked_fill(f, f, 0), tt::DTypeError);
}
