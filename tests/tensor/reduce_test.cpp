// Reductions against plain loops over the elements behind each result.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/parallel.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr float nan_f32 = std::numeric_limits<float>::quiet_NaN();

// The elements behind each result, in row-major order, found one by one.
template <class T>
std::vector<std::vector<T>> groups(const Tensor& x, const std::vector<int>& axes) {
  std::vector<bool> is_reduced(static_cast<std::size_t>(x.rank()), false);
  for (const int axis : axes) is_reduced[static_cast<std::size_t>(axis)] = true;
  Index count = 1;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (!is_reduced[static_cast<std::size_t>(axis)]) count *= x.shape()[axis];
  std::vector<std::vector<T>> result(static_cast<std::size_t>(count));
  for_each_index(x.shape(), [&](const std::vector<Index>& indices, Index) {
    Index group = 0;
    for (int axis = 0; axis < x.rank(); ++axis)
      if (!is_reduced[static_cast<std::size_t>(axis)])
        group = group * x.shape()[axis] + indices[static_cast<std::size_t>(axis)];
    result[static_cast<std::size_t>(group)].push_back(broadcast_at<T>(x, indices));
  });
  return result;
}

std::vector<int> random_axes(RandomEngine& engine, int rank) {
  std::vector<int> axes;
  for (int axis = 0; axis < rank; ++axis)
    if (random_index(engine, 0, 1) == 0) axes.push_back(axis);
  return axes;
}

template <class T, class Group, class Reduce>
void compare(const Tensor& result, const std::vector<Group>& expected_groups, Reduce&& reduce,
             double tolerance) {
  const std::vector<T> got = result.to_vector<T>();
  REQUIRE(got.size() == expected_groups.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double expected = reduce(expected_groups[i]);
    const double difference = std::abs(static_cast<double>(got[i]) - expected);
    if (!(difference <= tolerance * std::max(1.0, std::abs(expected)))) {
      CAPTURE(i, got[i], expected);
      FAIL("wrong element");
    }
  }
}

double sum_of(const auto& group) {
  double total = 0;
  for (const auto value : group) total += static_cast<double>(value);
  return total;
}
double variance_of(const auto& group) {
  const double mean = sum_of(group) / static_cast<double>(group.size());
  double total = 0;
  for (const auto value : group)
    total += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  return total / static_cast<double>(group.size());
}
double logsumexp_of(const auto& group) {
  double total = 0;
  for (const auto value : group) total += std::exp(static_cast<double>(value));
  return std::log(total);
}
double norm_of(const auto& group) {
  double total = 0;
  for (const auto value : group) total += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(total);
}
double largest_of(const auto& group) {
  return static_cast<double>(*std::max_element(group.begin(), group.end()));
}
double smallest_of(const auto& group) {
  return static_cast<double>(*std::min_element(group.begin(), group.end()));
}

template <class T>
void check_numeric(RandomEngine& engine, const Shape& shape) {
  const Tensor x = random_tensor<T>(engine, shape);
  const std::vector<int> axes = random_axes(engine, shape.rank());
  const auto expected = groups<T>(x, axes);
  CAPTURE(to_string(x.shape()), to_string(x.strides()), axes);
  compare<T>(
      sum(x, axes), expected, [](const auto& group) { return sum_of(group); }, 0);
  const bool has_elements = expected.empty() || !expected[0].empty();
  if (!has_elements) {
    CHECK_THROWS_AS(max(x, axes), ShapeError);
    CHECK_THROWS_AS(min(x, axes), ShapeError);
    return;
  }
  compare<T>(
      max(x, axes), expected, [](const auto& group) { return largest_of(group); }, 0);
  compare<T>(
      min(x, axes), expected, [](const auto& group) { return smallest_of(group); }, 0);
  if constexpr (std::is_floating_point_v<T>) {
    const double tolerance = std::is_same_v<T, float> ? 1e-6 : 1e-13;
    compare<T>(
        mean(x, axes), expected,
        [](const auto& g) { return sum_of(g) / static_cast<double>(g.size()); }, tolerance);
    compare<T>(
        variance(x, axes), expected, [](const auto& g) { return variance_of(g); }, 4 * tolerance);
    compare<T>(
        logsumexp(x, axes), expected, [](const auto& g) { return logsumexp_of(g); }, 4 * tolerance);
    compare<T>(
        norm(x, axes), expected, [](const auto& g) { return norm_of(g); }, tolerance);
  }
}

}  // namespace

TEST_CASE("reductions agree with plain loops over any axes and layout") {
  RandomEngine engine(7);
  for (int round = 0; round < 150; ++round) {
    const Shape shape = random_shape(engine);
    check_numeric<float>(engine, shape);
    check_numeric<double>(engine, shape);
    check_numeric<std::int64_t>(engine, shape);
  }
}

TEST_CASE("reductions of larger tables agree with plain loops") {
  RandomEngine engine(8);
  for (const Shape& shape : {Shape{1500, 3}, Shape{3, 1500}, Shape{700, 130}, Shape{2, 300, 50},
                             Shape{1, 70000}, Shape{70000, 2}, Shape{40, 1100}}) {
    check_numeric<float>(engine, shape);
    check_numeric<std::int64_t>(engine, shape);
  }
}

TEST_CASE("any, all and sum of booleans") {
  RandomEngine engine(9);
  for (int round = 0; round < 100; ++round) {
    const Shape shape = random_shape(engine);
    const Tensor x = random_tensor<bool>(engine, shape);
    const std::vector<int> axes = random_axes(engine, shape.rank());
    const auto expected = groups<bool>(x, axes);
    compare<std::int64_t>(
        sum(x, axes), expected, [](const auto& g) { return sum_of(g); }, 0);
    compare<bool>(
        any(x, axes), expected,
        [](const auto& g) { return std::count(g.begin(), g.end(), true) > 0 ? 1.0 : 0.0; }, 0);
    compare<bool>(
        all(x, axes), expected,
        [](const auto& g) { return std::count(g.begin(), g.end(), false) > 0 ? 0.0 : 1.0; }, 0);
  }
  CHECK(sum(ones({3, 1000}, DType::boolean), 1).to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{1000, 1000, 1000});
}

TEST_CASE("products are formed without overflow on the way") {
  CHECK(prod(tensor({{1, 2, 3}, {4, 5, 6}}), 1).to_vector<float>() == std::vector<float>{6, 120});
  CHECK(prod(tensor({{1, 2, 3}, {4, 5, 6}}), 0).to_vector<float>() ==
        std::vector<float>{4, 10, 18});
  CHECK(prod(tensor({1e30, 1e30, 1e-30, 1e-30})).item() == Catch::Approx(1));
  CHECK(prod(zeros({0})).item() == 1);
  CHECK(prod(arange(1, 11)).item<std::int64_t>() == 3628800);
}

TEST_CASE("kept axes stay with size 1") {
  const Tensor x = ones({2, 3, 4});
  CHECK(sum(x, {0, 2}, KeepDims::yes).shape() == Shape{1, 3, 1});
  CHECK(sum(x, {0, 2}).shape() == Shape{3});
  CHECK(sum(x).shape() == Shape{});
  CHECK(sum(x, Axes::all(), KeepDims::yes).shape() == Shape{1, 1, 1});
  CHECK(sum(x, std::vector<int>{}).shape() == Shape{2, 3, 4});
}

TEST_CASE("axes in any order; repeated ones throw", "[field][C12]") {
  const Tensor x = ones({2, 4, 1});
  CHECK(sum(x, {-2, 0}).to_vector<float>() == std::vector<float>{8});
  CHECK_THROWS_AS(sum(x, {0, 0}), ShapeError);
  CHECK_THROWS_WITH(sum(x, {0, -3}), "sum: axis -3 is named twice in [0, -3]");
  CHECK_THROWS_WITH(sum(x, 3), "sum: axis 3 is outside [-3, 3) of a tensor of rank 3");
  CHECK(max(scalar(2.5)).item() == 2.5);
}

TEST_CASE("reductions over nothing", "[field][C15]") {
  const Tensor nothing = zeros({0});
  CHECK(sum(nothing).item() == 0);
  CHECK(std::isnan(mean(nothing).item()));
  CHECK_THROWS_AS(max(nothing), ShapeError);
  CHECK_THROWS_AS(argmax(nothing), ShapeError);
  CHECK(softmax(nothing).shape() == Shape{0});
  CHECK(logsumexp(nothing).item() == -infinity);
  CHECK(norm(nothing).item() == 0);
  CHECK_FALSE(any(zeros({0}, DType::boolean)).item<bool>());
  CHECK(all(zeros({0}, DType::boolean)).item<bool>());
  CHECK(sum(zeros({0, 3}), 0).to_vector<float>() == std::vector<float>{0, 0, 0});
  CHECK(max(zeros({0, 3}), 1).shape() == Shape{0});
  CHECK_THROWS_WITH(
      max(zeros({2, 0}), 1),
      "max: there is nothing to choose from: the reduced axes of shape [2, 0] hold no element");
}

TEST_CASE("a NaN is the largest, the smallest, and in every sum") {
  for (const Index position : {0, 3, 8, 40, 99}) {
    Tensor row = ones({1, 100});
    row.mutable_data<float>()[position] = nan_f32;
    const Tensor column = transpose(row).clone();
    CHECK(std::isnan(max(row).item()));
    CHECK(std::isnan(min(row).item()));
    CHECK(std::isnan(sum(row).item()));
    CHECK(std::isnan(max(expand(column, {100, 20}).clone(), 0).at<float>(11)));
    CHECK(argmax(row).item<std::int64_t>() == position);
    CHECK(argmin(row).item<std::int64_t>() == position);
    CHECK(argmax(column, 0).item<std::int64_t>() == position);
  }
}

TEST_CASE("sums of many f32 stay exact to a few units in the last place") {
  // A running f32 sum of 2^24 ones and more stands still; blocks do not.
  const Tensor x = full({1 << 22, 5}, 0.1);
  const double exact = static_cast<double>(0.1F) * (1 << 22);
  CHECK(sum(x).item() == Catch::Approx(5 * exact).epsilon(2.5e-6));
  const Tensor columns = sum(x, 0);
  for (int c = 0; c < 5; ++c) CHECK(columns.at<float>(c) == Catch::Approx(exact).epsilon(2.5e-6));
}

TEST_CASE("variance of numbers with a large mean", "[field][A29]") {
  CHECK(variance(tensor({2000, 2001, 2002, 2003})).item() == Catch::Approx(1.25));
  CHECK(variance(tensor({2000, 2001, 2002, 2003}), 0, KeepDims::no, 1).item() ==
        Catch::Approx(5.0 / 3));
  CHECK(std::isnan(variance(ones({1}), 0, KeepDims::no, 1).item()));
}

TEST_CASE("logsumexp neither overflows nor loses infinities") {
  CHECK(logsumexp(tensor({1000, 1000})).item() == Catch::Approx(1000 + std::log(2)));
  CHECK(logsumexp(full({3}, -infinity)).item() == -infinity);
  CHECK(logsumexp(tensor({-infinity, 2})).item() == Catch::Approx(2));
  CHECK(logsumexp(tensor({infinity, 2})).item() == infinity);
  CHECK(std::isnan(logsumexp(tensor({std::nan(""), 2})).item()));
}

TEST_CASE("norms of very large and very small numbers") {
  CHECK(norm(tensor({3e30, 4e30})).item() == Catch::Approx(5e30));
  CHECK(norm(tensor({3e-30, 4e-30})).item() == Catch::Approx(5e-30));
  CHECK(norm(tensor({3e300, 4e300}, DType::f64)).item() == Catch::Approx(5e300));
  CHECK(norm(zeros({7})).item() == 0);
  CHECK(norm(tensor({1, -infinity})).item() == infinity);
  CHECK(norm(tensor({{3, 4}, {3e30, 4e30}, {0, 0}}), 1).to_vector<float>() ==
        std::vector<float>{5, 5e30F, 0});
}

TEST_CASE("argmax and argmin agree with plain loops, first among ties") {
  RandomEngine engine(10);
  for (int round = 0; round < 200; ++round) {
    const Shape shape = random_shape(engine);
    if (shape.rank() == 0 || shape.element_count() == 0) continue;
    const Tensor x = random_tensor<float>(engine, shape);
    const int axis = static_cast<int>(random_index(engine, 0, shape.rank() - 1));
    const auto expected = groups<float>(x, {axis});
    const auto largest = argmax(x, axis - shape.rank()).to_vector<std::int64_t>();
    const auto smallest = argmin(x, axis).to_vector<std::int64_t>();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto& g = expected[i];
      REQUIRE(largest[i] == std::max_element(g.begin(), g.end()) - g.begin());
      REQUIRE(smallest[i] == std::min_element(g.begin(), g.end()) - g.begin());
    }
    const auto flat = x.to_vector<float>();
    REQUIRE(argmax(x).item<std::int64_t>() ==
            std::max_element(flat.begin(), flat.end()) - flat.begin());
  }
  CHECK(argmax(tensor({{1, 5}, {5, 2}}), std::nullopt, KeepDims::yes).shape() == Shape{1, 1});
  CHECK(argmax(tensor({{1, 5}, {5, 2}}), 1, KeepDims::yes).shape() == Shape{2, 1});
  CHECK(argmax(arange(5)).item<std::int64_t>() == 4);
  CHECK(argmax(scalar(3)).item<std::int64_t>() == 0);
}

TEST_CASE("cumsum along any axis") {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  CHECK(cumsum(x, 1).to_vector<float>() == std::vector<float>{1, 3, 6, 4, 9, 15});
  CHECK(cumsum(x, 0).to_vector<float>() == std::vector<float>{1, 2, 3, 5, 7, 9});
  CHECK(cumsum(transpose(x), 0).to_vector<float>() == std::vector<float>{1, 4, 3, 9, 6, 15});
  CHECK(cumsum(ones({3}, DType::boolean), 0).to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{1, 2, 3});
  CHECK(cumsum(zeros({0, 2}), 0).shape() == Shape{0, 2});
  CHECK_THROWS_WITH(cumsum(x, 2), "cumsum: axis 2 is outside [-2, 2) of a tensor of rank 2");
}

TEST_CASE("reductions do not depend on the number of threads") {
  Tensor x({1000, 300});
  float* element = x.mutable_data<float>();
  for (Index i = 0; i < x.element_count(); ++i)
    element[i] = std::sin(static_cast<float>(i)) * 100.0F;
  const auto all_sums = [&] {
    std::vector<float> results = sum(x).to_vector<float>();
    for (const Tensor& part : {sum(x, 0), sum(x, 1), variance(x, 0), logsumexp(x, 0), norm(x)})
      for (const float value : part.to_vector<float>()) results.push_back(value);
    return results;
  };
  set_num_threads(1);
  const auto alone = all_sums();
  set_num_threads(4);
  const auto together = all_sums();
  set_num_threads(0);
  CHECK(alone == together);
}

TEST_CASE("reductions refuse what they do not take") {
  CHECK_THROWS_WITH(sum(Tensor()), "sum: got an undefined tensor");
  CHECK_THROWS_WITH(mean(arange(3)), "mean: takes f32 or f64, got i64");
  CHECK_THROWS_WITH(max(ones({2}, DType::boolean)), "max: takes f32, f64 or i64, got boolean");
  CHECK_THROWS_WITH(any(ones({2})), "any: takes boolean, got f32");
}
