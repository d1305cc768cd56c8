#include <cmath>
#include <limits>
#include <support/axis_ticks.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

using namespace tensorette::pictures;
using Catch::Approx;
using Labels = std::vector<std::string>;

TEST_CASE("linear ticks stand at round numbers around the values", "[pictures][ticks]") {
  const Ticks ticks = nice_ticks(0.13, 0.98, 5, Scale::linear);
  CHECK(ticks.labels == Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(ticks.lowest == 0.0);
  CHECK(ticks.highest == Approx(1.0));
  CHECK(nice_ticks(-30, 42, 4, Scale::linear).labels ==
        Labels{"−40", "−20", "0", "20", "40", "60"});
  CHECK(nice_ticks(0, 24000, 5, Scale::linear).labels[1] == "5000");
}

TEST_CASE("one value gets an axis around it", "[pictures][ticks]") {
  for (const double value : {0.0, 3.0, -3.0, 1e-9, 1e12}) {
    for (const Scale scale : {Scale::linear, Scale::logarithmic}) {
      if (scale == Scale::logarithmic && value <= 0) continue;
      const Ticks ticks = nice_ticks(value, value, 5, scale);
      CAPTURE(value);
      CHECK(ticks.lowest < value);
      CHECK(ticks.highest > value);
      CHECK(ticks.values.size() >= 2);
    }
  }
}

TEST_CASE("ticks are few, ascending and within the axis for every range", "[pictures][ticks]") {
  const double greatest = std::numeric_limits<double>::max();
  const std::vector<std::pair<double, double>> ranges{{-greatest, greatest},
                                                      {0, 5e-324},
                                                      {1e16, 1e16 + 2},
                                                      {1e-300, 1e300},
                                                      {2.1, 4.9},
                                                      {0.9, 1.1},
                                                      {3e-5, 4.7}};
  for (const auto& [lowest, highest] : ranges) {
    for (const Scale scale : {Scale::linear, Scale::logarithmic}) {
      if (scale == Scale::logarithmic && lowest <= 0) continue;
      CAPTURE(lowest, highest, static_cast<int>(scale));
      const Ticks ticks = nice_ticks(lowest, highest, 5, scale);
      REQUIRE(ticks.values.size() == ticks.labels.size());
      CHECK(ticks.values.size() >= 2);
      CHECK(ticks.values.size() <= 14);
      for (std::size_t i = 0; i < ticks.values.size(); ++i) {
        CHECK(std::isfinite(ticks.values[i]));
        if (i > 0) CHECK(ticks.values[i] > ticks.values[i - 1]);
      }
    }
  }
}

TEST_CASE("logarithmic ticks are powers of ten, with 2 and 5 on a short axis",
          "[pictures][ticks]") {
  CHECK(nice_ticks(0.021, 4.6, 5, Scale::logarithmic).labels ==
        Labels{"0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5"});
  CHECK(nice_ticks(1e-3, 1e3, 8, Scale::logarithmic).labels ==
        Labels{"0.001", "0.01", "0.1", "1", "10", "100", "1e+03"});
}

TEST_CASE("positions on the axis", "[pictures][ticks]") {
  const Ticks linear{-10, 10, {}, {}}, decades{0.01, 100, {}, {}};
  CHECK(axis_position(linear, 0, Scale::linear) == Approx(0.5));
  CHECK(axis_position(linear, 99, Scale::linear) == 1.0);
  CHECK(axis_position(decades, 0.1, Scale::logarithmic) == Approx(0.25));
}

TEST_CASE("an axis that cannot be is refused", "[pictures][ticks]") {
  CHECK_THROWS_WITH(nice_ticks(2, 1, 5, Scale::linear), "nice_ticks: no axis from 2 to 1");
  CHECK_THROWS_AS(nice_ticks(0, std::nan(""), 5, Scale::linear), tensorette::Error);
  CHECK_THROWS_WITH(nice_ticks(0, 1, 5, Scale::logarithmic),
                    "nice_ticks: a logarithmic axis cannot begin at 0");
}
