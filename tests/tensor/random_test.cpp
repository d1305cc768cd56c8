// Random numbers: the generator against published answers, the distributions against what
// probability theory says of them, with fixed seeds and bounds that a correct generator passes with
// room to spare.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tensorette/tensor/kernels/random.hpp>
#include <tensorette/tensor/parallel.hpp>
#include <tensorette/tensor/random.hpp>
#include <tensorette_test.hpp>

using namespace tensorette;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

// The mean of (x − center)^power.
double moment(const std::vector<double>& x, double center, int power) {
  double sum = 0;
  for (const double value : x) sum += std::pow(value - center, power);
  return sum / static_cast<double>(x.size());
}

std::vector<double> as_doubles(const Tensor& x) {
  return x.to(DType::f64).to_vector<double>();
}

// Kolmogorov and Smirnov's statistic √n·sup|F_n − F|: above 1.95 with probability 0.001.
template <class Cdf>
double kolmogorov_smirnov(std::vector<double> x, Cdf cdf) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = cdf(x[i]);
    distance = std::max({distance, expected - static_cast<double>(i) / n,
                         static_cast<double>(i + 1) / n - expected});
  }
  return std::sqrt(n) * distance;
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

// Pearson's statistic against equal counts, scaled to mean 0 and variance 1.
double scaled_chi_square(const std::vector<Index>& counts, double total) {
  const double expected = total / static_cast<double>(counts.size());
  double chi_square = 0;
  for (const Index count : counts) {
    const double difference = static_cast<double>(count) - expected;
    chi_square += difference * difference / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

}  // namespace

TEST_CASE("philox gives the published answers", "[tensor][random][field][D29]") {
  // The known-answer vectors that Random123, the authors' own code, is checked with.
  using Words = std::array<std::uint32_t, 4>;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("draws are made from the documented counters", "[tensor][random][field][D29]") {
  // u = (word >> 8)·2⁻²⁴, word i % 4 of the block at position i / 4, for every place in bulk loops.
  Generator generator(0x0123456789abcdef, 0xfedcba9876543210);
  generator.set_state({0x0123456789abcdef, 0xfedcba9876543210, 0xfffffffffffffff0});
  const std::vector<float> drawn = generator.uniform({203}).to_vector<float>();
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const std::uint64_t position = 0xfffffffffffffff0 + i / 4;  // wraps around
    const auto block = philox({static_cast<std::uint32_t>(position),
                               static_cast<std::uint32_t>(position >> 32), 0x76543210, 0xfedcba98},
                              {0x89abcdef, 0x01234567});
    REQUIRE(drawn[i] == static_cast<float>(block[i % 4] >> 8) * 0x1p-24F);
  }
}

TEST_CASE("the numbers of seed 1 never change", "[tensor][random][field][D28]") {
  Generator generator(1);
  const auto uniform = generator.uniform({4}).to_vector<float>();
  const auto normal = generator.normal({4}).to_vector<float>();
  const auto normal64 = generator.normal({2}, 0, 1, DType::f64).to_vector<double>();
  const auto truncated = generator.truncated_normal({4}).to_vector<float>();
  const auto integers = generator.integers({6}, 0, 10).to_vector<Index>();
  const auto order = generator.permutation(8).to_vector<Index>();
  const auto next = generator.next_below(1000);
  const auto child = generator.split().next_uniform();
  CHECK(uniform ==
        std::vector<float>{0x1.c7d00cp-1F, 0x1.ca141cp-1F, 0x1.2be444p-1F, 0x1.6c2b54p-1F});
  CHECK(normal ==
        std::vector<float>{0x1.40ff5p-1F, -0x1.449986p-1F, -0x1.5b466ap-1F, -0x1.03594p+0F});
  CHECK(normal64 == std::vector<double>{0x1.e866ccaed0526p-1, -0x1.06302e99b6a1p-1});
  CHECK(truncated ==
        std::vector<float>{0x1.52c4b2p-1F, -0x1.933184p+0F, -0x1.fe019ap-1F, -0x1.720c9cp+0F});
  CHECK(integers == std::vector<Index>{2, 6, 6, 8, 1, 2});
  CHECK(order == std::vector<Index>{0, 3, 7, 2, 5, 6, 4, 1});
  CHECK(next == 559);
  CHECK(child == 0x1.b2aebf0a7c49ep-2);
}

TEST_CASE("equal seeds give equal numbers, other seeds and streams others",
          "[tensor][random][field][D29]") {
  const auto draw = [](Generator generator) { return generator.normal({64}).to_vector<float>(); };
  CHECK(draw(Generator(1)) == draw(Generator(1)));
  CHECK(draw(Generator(1)) != draw(Generator(2)));
  CHECK(draw(Generator(1)) != draw(Generator(1, 1)));
}

TEST_CASE("a saved state goes on bit by bit", "[tensor][random]") {
  Generator generator(7, 3);
  (void)generator.normal({5});
  const Generator::State state = generator.state();
  const auto first = generator.uniform({9}).to_vector<float>();
  Generator other(99);
  other.set_state(state);
  CHECK(other.state() == state);
  CHECK(other.uniform({9}).to_vector<float>() == first);
  CHECK(other.state() == generator.state());
}

TEST_CASE("draws never overlap", "[tensor][random]") {
  // 53 random bits each: equal numbers among some thousand would mean equal words.
  Generator generator(5);
  std::set<double> seen;
  std::size_t count = 0;
  for (const Index size : {1, 2, 3, 4, 5, 7, 1000, 1}) {
    for (const double value : generator.uniform({size}, 0, 1, DType::f64).to_vector<double>())
      seen.insert(value);
    seen.insert(generator.next_uniform());
    count += static_cast<std::size_t>(size) + 1;
  }
  CHECK(seen.size() == count);
}

TEST_CASE("the position moves on by what a draw uses", "[tensor][random]") {
  Generator generator(1);
  const auto moved = [&](auto&& draw) {
    const auto before = generator.state().position;
    draw();
    return generator.state().position - before;
  };
  CHECK(moved([&] { (void)generator.uniform({0}); }) == 0);
  CHECK(moved([&] { (void)generator.uniform({4}); }) == 1);
  CHECK(moved([&] { (void)generator.normal({5}); }) == 2);
  CHECK(moved([&] { (void)generator.normal({5}, 0, 1, DType::f64); }) == 3);
  CHECK(moved([&] { (void)generator.integers({8}, 0, 5); }) == 2);
  CHECK(moved([&] { (void)generator.integers({8}, 0, Index{1} << 40); }) == 4);
  CHECK(moved([&] { (void)generator.bernoulli({9}, 0.5); }) == 3);
  CHECK(moved([&] { (void)generator.next_uniform(); }) == 1);
  CHECK(moved([&] { (void)generator.split(); }) == 1);
}

TEST_CASE("results do not depend on the number of threads", "[tensor][random]") {
  const auto draw_all = [] {
    Generator generator(11);
    std::vector<double> all;
    const auto keep = [&all](const Tensor& x) {
      const auto values = as_doubles(x);
      all.insert(all.end(), values.begin(), values.end());
    };
    keep(generator.uniform({70001}));
    keep(generator.normal({70001}));
    keep(generator.normal({70001}, 1, 2, DType::f64));
    keep(generator.truncated_normal({70001}));
    keep(generator.integers({70001}, -3, 1000));
    keep(generator.integers({70001}, 0, Index{3} << 40));
    std::vector<float> mask(70001);
    kernels::dropout_mask(generator.state(), 5, 0.3, 1.0F, mask.data(), 70001);
    all.insert(all.end(), mask.begin(), mask.end());
    return all;
  };
  set_num_threads(1);
  const auto alone = draw_all();
  set_num_threads(3);
  const auto together = draw_all();
  set_num_threads(0);
  CHECK(alone == together);
}

TEST_CASE("split generators have nothing in common", "[tensor][random]") {
  Generator parent(3);
  Generator a = parent.split();
  Generator b = parent.split();
  const auto x = as_doubles(a.normal({20000}, 0, 1, DType::f64));
  const auto y = as_doubles(b.normal({20000}, 0, 1, DType::f64));
  const auto z = as_doubles(parent.normal({20000}, 0, 1, DType::f64));
  const auto correlation = [](const std::vector<double>& u, const std::vector<double>& v) {
    return std::inner_product(u.begin(), u.end(), v.begin(), 0.0) / static_cast<double>(u.size());
  };
  // Standard error 1/√20000 = 0.007.
  CHECK(std::abs(correlation(x, y)) < 0.03);
  CHECK(std::abs(correlation(x, z)) < 0.03);
  CHECK(std::abs(correlation(y, z)) < 0.03);
  Generator again(3);
  CHECK(as_doubles(again.split().normal({20000}, 0, 1, DType::f64)) == x);
}

TEST_CASE("uniform numbers are uniform", "[tensor][random]") {
  const DType dtype = GENERATE(DType::f32, DType::f64);
  Generator generator(17);
  const auto x = as_doubles(generator.uniform({100000}, -2.0, 3.0, dtype));
  CHECK(*std::min_element(x.begin(), x.end()) >= -2.0);
  CHECK(*std::max_element(x.begin(), x.end()) < 3.0);
  CHECK(mean_of(x) == Approx(0.5).margin(0.02));
  CHECK(moment(x, 0.5, 2) == Approx(25.0 / 12).margin(0.03));
  CHECK(kolmogorov_smirnov(x, [](double value) { return (value + 2) / 5; }) < 1.95);
}

TEST_CASE("uniform keeps its bounds where rounding would cross them", "[tensor][random]") {
  Generator generator(1);
  // Between neighbours of a float there is nothing to round to but the lower bound.
  const float above_one = std::nextafter(1.0F, 2.0F);
  for (const float value : generator.uniform({4096}, 1.0, above_one).to_vector<float>())
    REQUIRE(value == 1.0F);
  // 0.1F is above 0.1: the largest float below the bound is the one before.
  for (const float value : generator.uniform({4096}, 0.0999999999, 0.1).to_vector<float>())
    REQUIRE(static_cast<double>(value) < 0.1 + 1e-8);
  for (const float value : generator.uniform({5}, 0.3, 0.3).to_vector<float>())
    CHECK(value == 0.3F);
}

TEST_CASE("normal numbers are normal", "[tensor][random]") {
  const DType dtype = GENERATE(DType::f32, DType::f64);
  Generator generator(23);
  const auto x = as_doubles(generator.normal({100001}, 1.0, 2.0, dtype));
  CHECK(mean_of(x) == Approx(1.0).margin(0.03));
  CHECK(moment(x, 1.0, 2) == Approx(4.0).margin(0.08));
  CHECK(moment(x, 1.0, 3) / 8 == Approx(0.0).margin(0.04));
  CHECK(moment(x, 1.0, 4) / 16 == Approx(3.0).margin(0.15));
  CHECK(kolmogorov_smirnov(x, [](double value) { return normal_cdf((value - 1) / 2); }) < 1.95);
  CHECK(std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); }));
}

TEST_CASE("neighbouring normal numbers are not correlated", "[tensor][random]") {
  Generator generator(29);
  const auto x = as_doubles(generator.normal({100000}));
  for (const std::size_t lag : {1U, 2U, 3U, 4U}) {
    double sum = 0;
    for (std::size_t i = lag; i < x.size(); ++i) sum += x[i] * x[i - lag];
    CHECK(std::abs(sum / static_cast<double>(x.size())) < 0.013);  // 4 standard errors
  }
}

TEST_CASE("truncated normal numbers follow the conditional distribution", "[tensor][random]") {
  const DType dtype = GENERATE(DType::f32, DType::f64);
  const double bound = GENERATE(0.5, 2.0, 6.0);
  Generator generator(31);
  const auto x = as_doubles(generator.truncated_normal({50000}, 0.5, 0.02, bound, dtype));
  for (const double value : x) REQUIRE(std::abs(value - 0.5) <= bound * 0.02);
  const double below = normal_cdf(-bound);
  CHECK(kolmogorov_smirnov(x, [&](double value) {
          return (normal_cdf((value - 0.5) / 0.02) - below) / (1 - 2 * below);
        }) < 1.95);
}

TEST_CASE("integers are unbiased", "[tensor][random]") {
  // 3 does not divide 2³²; 11 buckets leave room for one out of range.
  Generator generator(37);
  SECTION("small range") {
    std::vector<Index> counts(11, 0);
    for (const Index value : generator.integers({110000}, -5, 6).to_vector<Index>()) {
      REQUIRE(value >= -5);
      REQUIRE(value < 6);
      ++counts[static_cast<std::size_t>(value + 5)];
    }
    CHECK(std::abs(scaled_chi_square(counts, 110000)) < 4);
  }
  SECTION("a range that rejects every other word") {
    // Taking words modulo 3·2³⁰ would make the lower third twice as likely.
    constexpr Index range = Index{3} << 30;
    std::vector<Index> counts(3, 0);
    for (const Index value : generator.integers({90000}, 0, range).to_vector<Index>())
      ++counts[static_cast<std::size_t>(value / (range / 3))];
    CHECK(std::abs(scaled_chi_square(counts, 90000)) < 4);
  }
  SECTION("a range above 32 bits") {
    constexpr Index range = Index{3} << 61;
    std::vector<Index> counts(3, 0);
    for (const Index value : generator.integers({90000}, 0, range).to_vector<Index>())
      ++counts[static_cast<std::size_t>(value / (range / 3))];
    CHECK(std::abs(scaled_chi_square(counts, 90000)) < 4);
  }
  SECTION("the whole of i64") {
    constexpr Index least = std::numeric_limits<Index>::min();
    constexpr Index most = std::numeric_limits<Index>::max();
    Index negative = 0;
    for (const Index value : generator.integers({10000}, least, most).to_vector<Index>())
      negative += value < 0 ? 1 : 0;
    CHECK(std::abs(negative - 5000) < 200);
  }
  SECTION("one value") {
    for (const Index value : generator.integers({9}, 4, 5).to_vector<Index>()) CHECK(value == 4);
  }
}

TEST_CASE("next_below is unbiased and below", "[tensor][random]") {
  Generator generator(41);
  std::vector<Index> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts.at(generator.next_below(7));
  CHECK(std::abs(scaled_chi_square(counts, 70000)) < 4);
  CHECK(generator.next_below(1) == 0);
  CHECK(generator.next_below(~std::uint64_t{0}) < ~std::uint64_t{0});
}

TEST_CASE("permutations hold every index and are equally likely", "[tensor][random]") {
  Generator generator(43);
  auto order = generator.permutation(1000).to_vector<Index>();
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (Index i = 0; i < 1000; ++i) REQUIRE(order[static_cast<std::size_t>(i)] == i);
  CHECK(generator.permutation(0).shape() == Shape{0});
  CHECK(generator.permutation(1).to_vector<Index>() == std::vector<Index>{0});

  std::vector<Index> counts(6, 0);  // the 3! orders, by Lehmer code
  for (int i = 0; i < 6000; ++i) {
    const auto p = generator.permutation(3).to_vector<Index>();
    const Index code = 2 * p[0] + (p[1] > p[2] ? 1 : 0);
    ++counts[static_cast<std::size_t>(code)];
  }
  CHECK(std::abs(scaled_chi_square(counts, 6000)) < 4);
}

TEST_CASE("bernoulli is true with its probability", "[tensor][random]") {
  Generator generator(47);
  const auto share = [&](double probability) {
    Index hits = 0;
    for (const bool value : generator.bernoulli({100000}, probability).to_vector<bool>())
      hits += value ? 1 : 0;
    return static_cast<double>(hits) / 100000;
  };
  CHECK(share(0.0) == 0.0);
  CHECK(share(1.0) == 1.0);
  CHECK(share(0.3) == Approx(0.3).margin(0.006));
}

TEST_CASE("wrong arguments are refused and move nothing", "[tensor][random]") {
  Generator generator(1);
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(generator.uniform({2}, 1.0, 0.5),
                    "uniform: needs finite bounds with low <= high, got 1 and 0.5");
  CHECK_THROWS_AS(generator.uniform({2}, 0.0, infinity), Error);
  CHECK_THROWS_AS(generator.uniform({2}, -1.7e308, 1.7e308), Error);
  CHECK_THROWS_AS(generator.uniform({2}, std::nan(""), 1.0), Error);
  CHECK_THROWS_WITH(generator.uniform({2}, 0, 1, DType::i64), "uniform: takes f32 or f64, got i64");
  CHECK_THROWS_AS(generator.uniform({2}, 0, 1, DType::boolean), DTypeError);
  CHECK_THROWS_WITH(generator.normal({2}, 0, -1), ContainsSubstring("got 0 and -1"));
  CHECK_THROWS_AS(generator.normal({2}, infinity, 1), Error);
  CHECK_THROWS_AS(generator.truncated_normal({2}, 0, 1, 0), Error);
  CHECK_THROWS_WITH(generator.integers({2}, 3, 3), "integers: needs low < high, got 3 and 3");
  CHECK_THROWS_AS(generator.permutation(-1), Error);
  CHECK_THROWS_WITH(generator.bernoulli({2}, 1.5),
                    "bernoulli: needs a probability in [0, 1], got 1.5");
  CHECK_THROWS_AS(generator.bernoulli({2}, std::nan("")), Error);
  CHECK_THROWS_AS(generator.next_below(0), Error);
  CHECK_THROWS_AS(generator.normal({-2}), ShapeError);
  CHECK(generator.state() == Generator(1).state());
  CHECK(generator.normal({0, 3}).shape() == Shape{0, 3});
  CHECK(generator.normal({}).shape() == Shape{});
}
