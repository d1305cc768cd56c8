// Arithmetic of two tensors against plain loops over random shapes, broadcasts and layouts.
#include <cmath>
#include <limits>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/error.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Matchers::Message;

namespace {

// Same value, or both NaN.
template <class T>
bool same(T a, T b) {
  return a == b || (a != a && b != b);
}

template <class T, class R = T, class Operation, class Expected>
void check_binary(Operation operation, Expected expected, std::uint32_t seed, int rounds = 60) {
  RandomEngine engine(seed);
  for (int round = 0; round < rounds; ++round) {
    const Shape shape = random_shape(engine);
    Shape shape_a = shape;
    Shape shape_b = random_part(engine, shape);
    if (random_index(engine, 0, 1) == 0) std::swap(shape_a, shape_b);
    const Tensor a = random_tensor<T>(engine, shape_a);
    const Tensor b = random_tensor<T>(engine, shape_b);
    const Tensor result = operation(a, b);
    REQUIRE(result.shape() == shape);
    REQUIRE(result.is_contiguous());
    REQUIRE(result.dtype() == dtype_of<R>);
    CAPTURE(to_string(a.shape()), to_string(a.strides()), to_string(b.shape()),
            to_string(b.strides()));
    bool all_same = true;
    for_each_index(shape, [&](const std::vector<Index>& indices, Index position) {
      const R wanted = expected(broadcast_at<T>(a, indices), broadcast_at<T>(b, indices));
      all_same = all_same && same(result.data<R>()[position], wanted);
    });
    REQUIRE(all_same);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("arithmetic of any shapes and layouts equals plain loops", "[arithmetic]", float,
                   double, std::int64_t) {
  using T = TestType;
  check_binary<T>([](auto& a, auto& b) { return a + b; }, [](T a, T b) { return a + b; }, 1);
  check_binary<T>([](auto& a, auto& b) { return a - b; }, [](T a, T b) { return a - b; }, 2);
  check_binary<T>([](auto& a, auto& b) { return a * b; }, [](T a, T b) { return a * b; }, 3);
  check_binary<T>([](auto& a, auto& b) { return maximum(a, b); },
                  [](T a, T b) { return a > b ? a : b; }, 4);
  check_binary<T>([](auto& a, auto& b) { return minimum(a, b); },
                  [](T a, T b) { return a < b ? a : b; }, 5);
  if constexpr (std::is_floating_point_v<T>) {
    check_binary<T>([](auto& a, auto& b) { return a / b; }, [](T a, T b) { return a / b; }, 6);
    check_binary<T>([](auto& a, auto& b) { return pow(a, b); },
                    [](T a, T b) { return std::pow(a, b); }, 7, 30);
  }
}

TEST_CASE("broadcast shapes follow NumPy", "[arithmetic][field][C16]") {
  struct Row {
    Shape a, b, result;
  };
  const Row rows[] = {
      {{}, {}, {}},
      {{3}, {}, {3}},
      {{3}, {1}, {3}},
      {{2, 3}, {3}, {2, 3}},
      {{2, 1}, {3}, {2, 3}},
      {{2, 1, 4}, {3, 1}, {2, 3, 4}},
      {{1, 2, 3}, {1}, {1, 2, 3}},
      {{0, 3}, {1, 3}, {0, 3}},
      {{0}, {1}, {0}},
      {{1}, {0}, {0}},
      {{5, 0, 2}, {2}, {5, 0, 2}},
      {{8, 1, 6, 1}, {7, 1, 5}, {8, 7, 6, 5}},
      {{2, 1, 1, 1, 1, 1, 1, 2}, {1, 2, 1, 2, 1, 2, 1}, {2, 1, 2, 1, 2, 1, 2, 2}},
  };
  for (const Row& row : rows) {
    CHECK((ones(row.a) + ones(row.b)).shape() == row.result);
    CHECK((ones(row.b) + ones(row.a)).shape() == row.result);
  }
  CHECK_THROWS_MATCHES(ones({2, 3, 4}) + ones({4, 3, 2}), ShapeError,
                       Message("add: shapes do not broadcast: [2, 3, 4] and [4, 3, 2]"));
  CHECK_THROWS_MATCHES(ones({3}) + ones({4}), ShapeError,
                       Message("add: shapes do not broadcast: [3] and [4]"));
  CHECK_THROWS_MATCHES(ones({0, 3}) * ones({2, 3}), ShapeError,
                       Message("multiply: shapes do not broadcast: [0, 3] and [2, 3]"));
}

TEST_CASE("a number takes the tensor's dtype", "[arithmetic]") {
  const Tensor x = tensor({1, 2, 4});
  CHECK((x + 1).to_vector<float>() == std::vector<float>{2, 3, 5});
  CHECK((1 + x).to_vector<float>() == std::vector<float>{2, 3, 5});
  CHECK((x - 1).to_vector<float>() == std::vector<float>{0, 1, 3});
  CHECK((1 - x).to_vector<float>() == std::vector<float>{0, -1, -3});
  CHECK((x * 0.5).to_vector<float>() == std::vector<float>{0.5F, 1, 2});
  CHECK((x / 2).to_vector<float>() == std::vector<float>{0.5F, 1, 2});
  CHECK((2 / x).to_vector<float>() == std::vector<float>{2, 1, 0.5F});
  CHECK(pow(x, 2).to_vector<float>() == std::vector<float>{1, 4, 16});
  CHECK(pow(2, x).to_vector<float>() == std::vector<float>{2, 4, 16});
  CHECK(maximum(x, 2).to_vector<float>() == std::vector<float>{2, 2, 4});
  CHECK(minimum(x, 2).to_vector<float>() == std::vector<float>{1, 2, 2});
  const Tensor ids = tensor({1, 2}, DType::i64);
  CHECK((ids + 1).dtype() == DType::i64);
  CHECK((ids - (std::int64_t{1} << 60)).to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{1 - (std::int64_t{1} << 60), 2 - (std::int64_t{1} << 60)});
  CHECK((scalar(3) + 1).item<float>() == 4);
  CHECK((zeros({0, 3}) + 1).shape() == Shape{0, 3});
  // Expanded and transposed tensors meet numbers, too.
  const Tensor expanded(x.storage(), {2, 3}, {0, 1}, 0, DType::f32);
  CHECK((expanded * 2).to_vector<float>() == std::vector<float>{2, 4, 8, 2, 4, 8});
}

TEST_CASE("powers are those of std::pow", "[arithmetic]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  const double bases[] = {-infinity, -2.5, -1, -0.0, 0.0, 0.3, 1, 2, infinity, nan};
  for (const double exponent : {0.0, 1.0, 2.0, 3.0, 0.5, -0.5, -1.0, -2.0, 2.5, infinity, nan}) {
    const Tensor x = from_span<double>(bases, {10});
    const Tensor y = pow(x, exponent);
    for (Index i = 0; i < 10; ++i) {
      const double wanted = std::pow(bases[i], exponent);
      CAPTURE(bases[i], exponent);
      // A cube by multiplication rounds twice.
      CHECK((same(y.at<double>(i), wanted) ||
             y.at<double>(i) == Catch::Approx(wanted).epsilon(3e-16)));
      CHECK(std::signbit(y.at<double>(i)) == std::signbit(wanted));
    }
  }
}

TEST_CASE("integers wrap around", "[arithmetic]") {
  using Limits = std::numeric_limits<std::int64_t>;
  const Tensor x = from_vector<std::int64_t>({Limits::max(), Limits::min()});
  CHECK((x + 1).at<std::int64_t>(0) == Limits::min());
  CHECK((x - 1).at<std::int64_t>(1) == Limits::max());
  CHECK((x * 2).to_vector<std::int64_t>() == std::vector<std::int64_t>{-2, 0});
}

TEST_CASE("maximum and minimum keep NaN", "[arithmetic]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor a = from_vector<float>({nan, 1, nan, 2});
  const Tensor b = from_vector<float>({1, nan, nan, 3});
  const auto largest = maximum(a, b).to_vector<float>();
  const auto smallest = minimum(a, b).to_vector<float>();
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::isnan(largest[i]));
    CHECK(std::isnan(smallest[i]));
  }
  CHECK(largest[3] == 3);
  CHECK(smallest[3] == 2);
  CHECK(std::isnan(maximum(a, 0).at<float>(0)));
}

TEST_CASE("a tensor plus its own transpose", "[arithmetic][field][E09]") {
  Tensor x = tensor({{1, 2}, {3, 4}});
  const Tensor transposed(x.storage(), {2, 2}, {1, 2}, 0, DType::f32);
  x = x + transposed;
  CHECK(x.to_vector<float>() == std::vector<float>{2, 5, 5, 8});
}

TEST_CASE("large tensors: the same numbers in any layout", "[arithmetic]") {
  RandomEngine engine(11);
  const Index rows = 301;
  const Index columns = 517;
  const Tensor a = random_tensor<float>(engine, {rows, columns});
  const Tensor memory = random_tensor<float>(engine, {columns, rows});
  const Tensor b(memory.contiguous().storage(), {rows, columns}, {1, rows}, 0, DType::f32);
  const Tensor row = random_tensor<float>(engine, {columns});
  const Tensor column = random_tensor<float>(engine, {rows, 1});
  const Tensor sum = a + b * row - column;
  bool all_same = true;
  for_each_index({rows, columns}, [&](const std::vector<Index>& i, Index position) {
    const float product = broadcast_at<float>(b, i) * broadcast_at<float>(row, i);
    const float wanted = broadcast_at<float>(a, i) + product - broadcast_at<float>(column, i);
    all_same = all_same && sum.data<float>()[position] == wanted;
  });
  CHECK(all_same);
}

TEST_CASE("arithmetic refuses what it can't take", "[arithmetic]") {
  const Tensor f = ones({2});
  const Tensor d = ones({2}, DType::f64);
  const Tensor i = ones({2}, DType::i64);
  const Tensor b = ones({2}, DType::boolean);
  CHECK_THROWS_MATCHES(f + d, DTypeError, Message("add: dtypes differ: f32 and f64"));
  CHECK_THROWS_MATCHES(i * f, DTypeError, Message("multiply: dtypes differ: i64 and f32"));
  CHECK_THROWS_MATCHES(i / i, DTypeError, Message("divide: takes f32 or f64, got i64"));
  CHECK_THROWS_MATCHES(pow(i, 2), DTypeError, Message("pow: takes f32 or f64, got i64"));
  CHECK_THROWS_MATCHES(b + b, DTypeError, Message("add: takes f32, f64 or i64, got boolean"));
  CHECK_THROWS_MATCHES(i + 0.5, DTypeError,
                       Message("add: the number 0.5 is not an integer and the tensor is i64"));
  CHECK_THROWS_MATCHES(f + Tensor(), Error, Message("add: got an undefined tensor"));
  CHECK_THROWS_MATCHES(Tensor() + f, Error, Message("add: got an undefined tensor"));
  CHECK_THROWS_MATCHES(Tensor() * 2, Error, Message("multiply: got an undefined tensor"));
}
