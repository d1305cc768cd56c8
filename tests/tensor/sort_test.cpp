// Sorting and partial selection, against a stable sort of the standard library.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using Positions = std::vector<std::int64_t>;

namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Positions of a row in order, by the standard library's stable sort.
template <class T>
Positions sorted_positions(const std::vector<T>& row, bool descending) {
  Positions order(row.size());
  std::iota(order.begin(), order.end(), 0);
  const auto less = [](T a, T b) { return a < b || (b != b && a == a); };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    const T left = row[static_cast<std::size_t>(a)];
    const T right = row[static_cast<std::size_t>(b)];
    return descending ? less(right, left) : less(left, right);
  });
  return order;
}

template <class T>
void check_row(const std::vector<T>& row) {
  const Tensor x = from_vector(row);
  for (const bool descending : {false, true}) {
    const auto result = sort(x, 0, descending ? Order::descending : Order::ascending);
    const Positions expected = sorted_positions(row, descending);
    REQUIRE(result.indices.to_vector<std::int64_t>() == expected);
    const auto values = result.values.to_vector<T>();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const T wanted = row[static_cast<std::size_t>(expected[i])];
      REQUIRE((values[i] == wanted || (wanted != wanted && values[i] != values[i])));
    }
  }
  Positions best = sorted_positions(row, true);
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}, row.size() / 3, row.size()}) {
    if (k > row.size()) continue;
    const auto result = topk(x, static_cast<Index>(k));
    REQUIRE(result.indices.to_vector<std::int64_t>() ==
            Positions(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(k)));
  }
}

}  // namespace

TEST_CASE("sort and topk agree with a stable sort, ties and NaN included") {
  RandomEngine engine(6);
  for (int round = 0; round < 100; ++round) {
    const Index size = random_index(engine, 0, 120);
    std::vector<float> floats;
    std::vector<double> doubles;
    std::vector<std::int64_t> integers;
    for (Index i = 0; i < size; ++i) {
      const bool is_nan = round % 3 == 0 && random_index(engine, 0, 9) == 0;
      floats.push_back(is_nan ? static_cast<float>(not_a_number) : random_element<float>(engine));
      doubles.push_back(is_nan ? not_a_number : random_element<double>(engine));
      integers.push_back(random_element<std::int64_t>(engine));
    }
    check_row(floats);
    check_row(doubles);
    check_row(integers);
  }
}

TEST_CASE("-0 and 0 tie; infinities stand beside NaN") {
  const double infinity = std::numeric_limits<double>::infinity();
  check_row(std::vector<float>{0.0F, -0.0F, static_cast<float>(infinity), -1.0F, -0.0F,
                               static_cast<float>(not_a_number), static_cast<float>(-infinity),
                               0.0F});
  CHECK(topk(tensor({1, not_a_number, infinity}), 2).indices.to_vector<std::int64_t>() ==
        Positions{1, 2});
}

TEST_CASE("sort and topk along any axis and layout") {
  const Tensor x = tensor({{3, 1}, {1, 2}, {2, 1}});
  CHECK(sort(x, 0).values.to_vector<float>() == std::vector<float>{1, 1, 2, 1, 3, 2});
  CHECK(sort(x, 0).indices.to_vector<std::int64_t>() == Positions{1, 0, 2, 2, 0, 1});
  CHECK(sort(transpose(x), 1).values.to_vector<float>() == std::vector<float>{1, 2, 3, 1, 1, 2});
  const auto best = topk(x, 2, 0);
  CHECK(best.values.shape() == Shape{2, 2});
  CHECK(best.values.to_vector<float>() == std::vector<float>{3, 2, 2, 1});
  CHECK(best.indices.to_vector<std::int64_t>() == Positions{0, 1, 2, 0});
  CHECK(topk(x, 1).values.shape() == Shape{3, 1});
  CHECK(sort(zeros({2, 0})).values.shape() == Shape{2, 0});
}

TEST_CASE("log_softmax_topk gives the largest of log_softmax, to the bit") {
  RandomEngine engine(9);
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Index size : {1, 2, 7, 8, 33, 1000}) {
      std::vector<double> elements;
      for (Index i = 0; i < 3 * size; ++i) {
        elements.push_back(static_cast<double>(random_index(engine, -900, 900)) / 64);
      }
      const Tensor x = from_vector(elements, {3, 1, size}).to(dtype);
      for (const Index k : {Index{0}, Index{1}, std::min<Index>(5, size), size}) {
        const auto best = log_softmax_topk(x, k);
        const auto positions = topk(x, k);
        REQUIRE(best.values.shape() == Shape{3, 1, k});
        CHECK(best.indices.to_vector<std::int64_t>() ==
              positions.indices.to_vector<std::int64_t>());
        CHECK(best.values.to(DType::f64).to_vector<double>() ==
              gather(log_softmax(x, -1), 2, positions.indices).to(DType::f64).to_vector<double>());
      }
    }
  }
}

TEST_CASE("log_softmax_topk of rows without a finite element") {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x =
      tensor({{-infinity, -infinity, -infinity}, {0, -infinity, 0}, {1, not_a_number, 2}});
  const auto best = log_softmax_topk(x, 2);
  const std::vector<float> values = best.values.to_vector<float>();
  CHECK(values[0] == -std::numeric_limits<float>::infinity());
  CHECK(values[1] == -std::numeric_limits<float>::infinity());
  CHECK(values[2] == Catch::Approx(-std::log(2.0)));
  CHECK(values[3] == Catch::Approx(-std::log(2.0)));
  CHECK(std::isnan(values[4]));
  CHECK(best.indices.to_vector<std::int64_t>() == Positions{0, 1, 0, 2, 1, 2});
  CHECK_THROWS_WITH(log_softmax_topk(ones({2, 3}), 4),
                    "log_softmax_topk: 4 of 3 elements asked for (shape [2, 3], axis 1)");
  CHECK_THROWS_AS(log_softmax_topk(ones({3}, DType::i64), 1), DTypeError);
}

TEST_CASE("topk refuses more than there is") {
  CHECK_THROWS_WITH(topk(ones({2, 3}), 4),
                    "topk: 4 of 3 elements asked for (shape [2, 3], axis 1)");
  CHECK_THROWS_AS(topk(ones({2, 3}), -1), ShapeError);
  CHECK_THROWS_WITH(sort(scalar(1)), "sort: axis -1 is outside [0, 0) of a tensor of rank 0");
  CHECK_THROWS_WITH(sort(ones({2}, DType::boolean)), "sort: takes f32, f64 or i64, got boolean");
}
