// Comparisons, boolean logic, and equality of whole tensors.
#include <cmath>
#include <limits>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Matchers::Message;

namespace {

using Flags = std::vector<bool>;

template <class T>
struct Comparison {
  Tensor (*of_tensors)(const Tensor&, const Tensor&);
  Tensor (*with_number)(const Tensor&, Scalar);
  bool (*expected)(T, T);
};

}  // namespace

TEMPLATE_TEST_CASE("comparisons of any shapes and layouts equal plain loops", "[comparison]", float,
                   double, std::int64_t, bool) {
  using T = TestType;
  const Comparison<T> comparisons[] = {
      {equal, equal, [](T a, T b) { return a == b; }},
      {not_equal, not_equal, [](T a, T b) { return a != b; }},
      {less, less, [](T a, T b) { return a < b; }},
      {less_equal, less_equal, [](T a, T b) { return a <= b; }},
      {greater, greater, [](T a, T b) { return a > b; }},
      {greater_equal, greater_equal, [](T a, T b) { return a >= b; }},
  };
  RandomEngine engine(41);
  for (const auto& comparison : comparisons) {
    for (int round = 0; round < 30; ++round) {
      const Shape shape = random_shape(engine);
      const Tensor a = random_tensor<T>(engine, random_part(engine, shape));
      const Tensor b = random_tensor<T>(engine, shape);
      const T number = random_element<T>(engine);
      const Tensor result = comparison.of_tensors(a, b);
      const Tensor with_number = comparison.with_number(b, number);
      REQUIRE(result.dtype() == DType::boolean);
      REQUIRE(result.shape() == shape);
      bool all_same = true;
      for_each_index(shape, [&](const std::vector<Index>& i, Index position) {
        const T q = broadcast_at<T>(b, i);
        const bool wanted = comparison.expected(broadcast_at<T>(a, i), q);
        all_same = all_same && result.data<bool>()[position] == wanted &&
                   with_number.data<bool>()[position] == comparison.expected(q, number);
      });
      REQUIRE(all_same);
    }
  }
}

TEST_CASE("NaN compares unequal to everything", "[comparison]") {
  const double nan = std::nan("");
  const Tensor x = from_vector<double>({nan, 1});
  CHECK(equal(x, x).to_vector<bool>() == Flags{false, true});
  CHECK(not_equal(x, x).to_vector<bool>() == Flags{true, false});
  CHECK((x < 2).to_vector<bool>() == Flags{false, true});
  CHECK((x >= 0).to_vector<bool>() == Flags{false, true});
  CHECK((x <= x).to_vector<bool>() == Flags{false, true});
  CHECK((x > x).to_vector<bool>() == Flags{false, false});
}

TEST_CASE("boolean logic", "[comparison]") {
  const Tensor a = from_vector<bool>({false, false, true, true});
  const Tensor b = from_vector<bool>({false, true, false, true});
  CHECK(logical_and(a, b).to_vector<bool>() == Flags{false, false, false, true});
  CHECK(logical_or(a, b).to_vector<bool>() == Flags{false, true, true, true});
  CHECK(logical_xor(a, b).to_vector<bool>() == Flags{false, true, true, false});
  CHECK((!a).to_vector<bool>() == Flags{true, true, false, false});
  CHECK(logical_and(a, full({2, 1}, true, DType::boolean)).shape() == Shape{2, 4});
  CHECK_THROWS_MATCHES(logical_and(ones({2}), ones({2})), DTypeError,
                       Message("logical_and: takes boolean, got f32"));
  CHECK_THROWS_AS(!ones({2}), DTypeError);
}

TEST_CASE("all_close", "[comparison]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  const auto of = [](std::vector<double> values) { return from_vector(values); };
  CHECK(all_close(of({1, 2}), of({1.000001, 2})));
  CHECK_FALSE(all_close(of({1, 2}), of({1.0001, 2})));
  CHECK(all_close(of({1, 2}), of({1.0001, 2}), 1e-3));
  CHECK(all_close(of({0}), of({0.01}), 0, 0.02));
  // The tolerance is relative to the second tensor.
  CHECK(all_close(of({0.5}), of({1}), 0.5, 0));
  CHECK_FALSE(all_close(of({1}), of({0.5}), 0.5, 0));
  CHECK(all_close(of({infinity, -infinity}), of({infinity, -infinity})));
  CHECK_FALSE(all_close(of({infinity}), of({-infinity})));
  CHECK_FALSE(all_close(of({1}), of({infinity})));
  CHECK_FALSE(all_close(of({nan}), of({nan})));
  CHECK(all_close(of({nan}), of({nan}), 1e-5, 1e-8, true));
  CHECK_FALSE(all_close(of({nan}), of({1}), 1e-5, 1e-8, true));
  CHECK_FALSE(all_close(ones({2}), ones({2, 1})));
  CHECK_FALSE(all_close(ones({2}), ones({2}, DType::f64)));
  CHECK(all_close(ones({0}), ones({0})));
  CHECK_THROWS_AS(all_close(ones({1}), Tensor()), Error);
}

TEST_CASE("identical compares bits", "[comparison]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = from_vector<float>({1, nan, 0});
  CHECK(identical(x, x.clone()));
  CHECK_FALSE(identical(x, from_vector<float>({1, nan, -0.0F})));
  CHECK_FALSE(identical(ones({2}), ones({2, 1})));
  CHECK_FALSE(identical(ones({2}, DType::f64), ones({2}, DType::i64)));
  CHECK(identical(zeros({0, 2}), zeros({0, 2})));
  const Tensor square = tensor({{1, 2}, {2, 3}});
  const Tensor transposed(square.storage(), {2, 2}, {1, 2}, 0, DType::f32);
  CHECK(identical(square, transposed));
}
