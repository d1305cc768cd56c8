// Softmax, log-softmax and cross entropy rows, against their definitions in double.
#include <cmath>
#include <limits>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/kernels/softmax.hpp>
#include <tensorette/tensor/parallel.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Approx;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// log softmax of one row
std::vector<double> log_softmax_of(const std::vector<double>& row) {
  double largest = -infinity;
  for (const double x : row) largest = std::max(largest, x);
  double total = 0;
  for (const double x : row) total += std::exp(x - largest);
  std::vector<double> result;
  result.reserve(row.size());
  for (const double x : row) result.push_back(x - largest - std::log(total));
  return result;
}

template <class T>
void check_along(const Tensor& x, int axis, double tolerance) {
  const Tensor y = softmax(x, axis);
  const Tensor log_y = log_softmax(x, axis - x.rank());
  REQUIRE(y.shape() == x.shape());
  REQUIRE(log_y.shape() == x.shape());
  for_each_index(x.shape(), [&](std::vector<Index> at, Index) {
    const Index here = at[static_cast<std::size_t>(axis)];
    if (here != 0) return;
    std::vector<double> row;
    for (Index i = 0; i < x.shape()[axis]; ++i) {
      at[static_cast<std::size_t>(axis)] = i;
      row.push_back(static_cast<double>(x.at<T>(std::span<const Index>(at))));
    }
    const std::vector<double> expected = log_softmax_of(row);
    for (Index i = 0; i < x.shape()[axis]; ++i) {
      at[static_cast<std::size_t>(axis)] = i;
      const double wanted = expected[static_cast<std::size_t>(i)];
      REQUIRE(static_cast<double>(y.at<T>(std::span<const Index>(at))) ==
              Approx(std::exp(wanted)).epsilon(4 * tolerance).margin(1e-37));
      REQUIRE(static_cast<double>(log_y.at<T>(std::span<const Index>(at))) ==
              Approx(wanted).epsilon(tolerance).margin(4 * tolerance));
    }
  });
}

}  // namespace

TEST_CASE("softmax agrees with its definition along any axis and layout") {
  RandomEngine engine(11);
  for (int round = 0; round < 60; ++round) {
    const Shape shape = random_shape(engine);
    if (shape.rank() == 0) continue;
    const int axis = static_cast<int>(random_index(engine, 0, shape.rank() - 1));
    CAPTURE(to_string(shape), axis);
    check_along<float>(random_tensor<float>(engine, shape), axis, 1e-6);
    check_along<double>(random_tensor<double>(engine, shape), axis, 1e-14);
  }
  check_along<float>(random_tensor<float>(engine, {3, 1000}), 1, 1e-6);
  check_along<float>(random_tensor<float>(engine, {2, 300, 70}), 1, 1e-6);
}

TEST_CASE("softmax of logits far apart", "[field][B23]") {
  CHECK(softmax(tensor({378, -250, -424})).to_vector<float>() == std::vector<float>{1, 0, 0});
}

TEST_CASE("softmax and log-softmax of large numbers", "[field][C06]") {
  const auto row = softmax(tensor({1000, 1001, 1002})).to_vector<float>();
  CHECK(row[0] == Approx(0.0900306));
  CHECK(row[1] == Approx(0.2447285));
  CHECK(row[2] == Approx(0.6652410));
  CHECK(softmax(tensor({-1000, -1000})).to_vector<float>() == std::vector<float>{0.5F, 0.5F});
  CHECK(log_softmax(tensor({0, 1000})).to_vector<float>() == std::vector<float>{-1000, 0});
  CHECK(softmax(tensor({{1, 1}, {1, 1}}), 0).to_vector<float>() ==
        std::vector<float>{0.5F, 0.5F, 0.5F, 0.5F});
}

TEST_CASE("a row of -inf gives zeros, and its logarithm stays") {
  const Tensor x = full({2, 20}, -infinity);
  for (const int axis : {0, 1}) {
    CHECK(identical(softmax(x, axis), zeros({2, 20})));
    CHECK(identical(log_softmax(x, axis), x));
  }
  const auto half_masked = softmax(tensor({-infinity, 0, -infinity, 0})).to_vector<float>();
  CHECK(half_masked == std::vector<float>{0, 0.5F, 0, 0.5F});
}

TEST_CASE("one NaN makes its row NaN and no other, wherever it stands") {
  for (const Index width : {1, 3, 16, 17, 63, 64, 100, 1030}) {
    for (const Index place : {Index{0}, width / 2, width - 1}) {
      for (const double others : {0.5, -infinity}) {
        CAPTURE(width, place, others);
        Tensor x = full({2, width}, others);
        x.mutable_data<float>()[place] = std::numeric_limits<float>::quiet_NaN();
        for (const Tensor& y : {softmax(x, 1), log_softmax(x, 1)}) {
          const auto values = y.to_vector<float>();
          for (Index i = 0; i < width; ++i) {
            REQUIRE(std::isnan(values[static_cast<std::size_t>(i)]));
            REQUIRE_FALSE(std::isnan(values[static_cast<std::size_t>(width + i)]));
          }
        }
      }
    }
  }
}

TEST_CASE("elements far below the largest give exactly 0, those nearer what they should") {
  for (const double distance : {80.0, 86.0, 87.0, 88.5, 100.0, 1e30, infinity}) {
    CAPTURE(distance);
    Tensor x = full({1, 40}, -distance);
    x.mutable_data<float>()[7] = 0;
    const auto y = softmax(x, 1).to_vector<float>();
    CHECK(y[7] == 1.0F);
    // Denormal numbers may be 0.
    const double expected = distance > 87.5 ? 0 : std::exp(-distance);
    CHECK(static_cast<double>(y[8]) == Approx(expected).epsilon(1e-6).margin(0));
    CHECK(y[39] == y[8]);
  }
}

TEST_CASE("softmax refuses what it does not take") {
  CHECK_THROWS_WITH(softmax(Tensor()), "softmax: got an undefined tensor");
  CHECK_THROWS_WITH(softmax(ones({2}), 1),
                    "softmax: axis 1 is outside [-1, 1) of a tensor of rank 1");
  CHECK_THROWS_WITH(log_softmax(arange(2)), "log_softmax: takes f32 or f64, got i64");
  CHECK(softmax(zeros({0, 4}), 0).shape() == Shape{0, 4});
}

TEST_CASE("the ways back of softmax and log-softmax follow their formulas") {
  RandomEngine engine(12);
  for (const Index width : {1, 3, 8, 37, 130}) {
    const Tensor x = random_tensor<double>(engine, {5, width}).clone();
    const Tensor grad = random_tensor<double>(engine, {5, width}).clone();
    const Tensor y = softmax(x);
    const Tensor log_y = log_softmax(x);
    Tensor dx = empty_like(x);
    kernels::softmax_backward_rows(y.data<double>(), grad.data<double>(), dx.mutable_data<double>(),
                                   5, width);
    CHECK(all_close(dx, y * (grad - sum(grad * y, 1, KeepDims::yes)), 1e-12, 1e-13));
    kernels::log_softmax_backward_rows(log_y.data<double>(), grad.data<double>(),
                                       dx.mutable_data<double>(), 5, width);
    CHECK(all_close(dx, grad - y * sum(grad, 1, KeepDims::yes), 1e-12, 1e-12));
  }
}

TEST_CASE("cross entropy rows follow the definition, forward and back") {
  RandomEngine engine(13);
  for (const double smoothing : {0.0, 0.1}) {
    for (const Index classes : {2, 5, 33}) {
      constexpr Index rows = 4;
      const Tensor logits = random_tensor<double>(engine, {rows, classes}).clone();
      const std::vector<std::int64_t> targets{0, -100, classes - 1, 1};
      const std::vector<double> scale{1, 2, 0.5, 3};
      const kernels::CrossEntropyOptions options{.ignore_index = -100,
                                                 .label_smoothing = smoothing};
      std::vector<double> loss(rows);
      std::vector<double> logsumexps(rows);
      Tensor dlogits = empty_like(logits);
      kernels::cross_entropy_rows(logits.data<double>(), targets.data(), loss.data(),
                                  logsumexps.data(), rows, classes, options);
      kernels::cross_entropy_backward_rows(logits.data<double>(), targets.data(), logsumexps.data(),
                                           scale.data(), 1, dlogits.mutable_data<double>(), rows,
                                           classes, options);
      const Tensor log_y = log_softmax(logits);
      for (Index row = 0; row < rows; ++row) {
        const auto r = static_cast<std::size_t>(row);
        const bool counts = targets[r] != -100;
        double expected = 0;
        for (Index c = 0; c < classes; ++c) {
          const double q =
              (c == targets[r] ? 1 - smoothing : 0) + smoothing / static_cast<double>(classes);
          const double log_p = log_y.at<double>(row, c);
          if (counts) expected -= q * log_p;
          const double slope = counts ? (std::exp(log_p) - q) * scale[r] : 0;
          CHECK(dlogits.at<double>(row, c) == Approx(slope).margin(1e-13));
        }
        CHECK(loss[r] == Approx(expected).margin(1e-13));
      }
    }
  }
}

TEST_CASE("softmax does not depend on the number of threads") {
  RandomEngine engine(14);
  const Tensor x = random_tensor<float>(engine, {300, 301}, false);
  set_num_threads(1);
  const Tensor rows = softmax(x, 1);
  const Tensor columns = log_softmax(x, 0);
  set_num_threads(3);
  CHECK(identical(softmax(x, 1), rows));
  CHECK(identical(log_softmax(x, 0), columns));
  set_num_threads(0);
}
