// Dropout decisions made from counters, and the elementary functions behind the normal
// distribution.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tensorette/tensor/kernels/random.hpp>
#include <tensorette/tensor/kernels/random_math.hpp>
#include <tensorette/tensor/random.hpp>
#include <tensorette_test.hpp>
#include <vector>

using namespace tensorette;
using Catch::Approx;

TEST_CASE("dropout decisions are the same in every tiling", "[tensor][random][dropout]") {
  const Generator::State state{1, 2, 3};
  constexpr Index count = 5000;
  std::vector<float> whole(count);
  kernels::dropout_mask(state, 0, 0.4, 2.5F, whole.data(), count);
  const Index tile = GENERATE(1, 3, 8, 64, 2047, 2049);
  for (Index first = 0; first < count; first += tile) {
    const Index size = std::min(tile, count - first);
    std::vector<float> part(static_cast<std::size_t>(size));
    kernels::dropout_mask(state, first, 0.4, 2.5F, part.data(), size);
    REQUIRE(std::equal(part.begin(), part.end(), whole.begin() + first));
  }
  // The documented rule, half-word by half-word.
  for (Index i = 0; i < count; ++i) {
    const auto block = philox({static_cast<std::uint32_t>(3 + i / 8), 0, 2, 0}, {1, 0});
    const std::uint32_t half =
        (block[static_cast<std::size_t>(i % 8 / 2)] >> (i % 2 * 16)) & 0xFFFF;
    REQUIRE(whole[static_cast<std::size_t>(i)] == (half < std::lround(0.6 * 65536) ? 2.5F : 0.0F));
  }
}

TEST_CASE("dropout scales what it keeps and zeroes the rest", "[tensor][random][dropout]") {
  const Generator::State state{5, 0, 9};
  constexpr std::size_t count = 100000;
  std::vector<double> x(count), y(count), mask(count);
  std::iota(x.begin(), x.end(), 1.0);
  x[0] = x[1] = x[2] = x[3] = std::nan("");
  kernels::dropout_mask(state, 7, 0.25, 1 / 0.75, mask.data(), count);
  kernels::dropout(state, 7, 0.25, 1 / 0.75, x.data(), y.data(), count);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (mask[i] == 0)
      REQUIRE(y[i] == 0);  // also where x is NaN
    else if (i >= 4)
      REQUIRE(y[i] == x[i] * mask[i]);
    kept += mask[i] != 0 ? 1U : 0U;
  }
  CHECK(static_cast<double>(kept) / count == Approx(0.75).margin(0.006));
  CHECK(std::count(mask.begin(), mask.begin() + 4, 0.0) > 0);
  kernels::dropout(state, 7, 0.25, 1 / 0.75, x.data(), x.data(), count);
  CHECK(std::equal(x.begin() + 4, x.end(), y.begin() + 4));
}

TEST_CASE("dropout of nothing and of everything is exact", "[tensor][random][dropout]") {
  std::vector<float> mask(100000);
  kernels::dropout_mask({1, 0, 0}, 0, 0.0, 1.0F, mask.data(), 100000);
  CHECK(std::count(mask.begin(), mask.end(), 1.0F) == 100000);
  kernels::dropout_mask({1, 0, 0}, 0, 1.0, 1.0F, mask.data(), 100000);
  CHECK(std::count(mask.begin(), mask.end(), 0.0F) == 100000);
}

TEST_CASE("the elementary functions behind the normal agree with libm", "[tensor][random]") {
  Generator generator(53);
  for (int i = 0; i < 20000; ++i) {
    const double u = std::ldexp(1 - generator.next_uniform(), -(i % 53));
    REQUIRE(kernels::log_of_unit(u) == Approx(std::log(u)).epsilon(4e-16).margin(0));
    const double fraction = generator.next_uniform();
    const auto [sine, cosine] = kernels::sine_cosine_of_turn(fraction);
    const long double angle = 6.283185307179586476925286766559L * fraction;
    REQUIRE(std::abs(sine - static_cast<double>(std::sin(angle))) < 4e-16);
    REQUIRE(std::abs(cosine - static_cast<double>(std::cos(angle))) < 4e-16);
  }
  CHECK(kernels::log_of_unit(1.0) == 0.0);
  CHECK(kernels::sine_cosine_of_turn(0.25).sine == 1.0);
}

TEST_CASE("the inverse normal distribution function inverts", "[tensor][random]") {
  // Table values of Φ⁻¹ (Wichura 1988 gives the first two for checking an implementation).
  CHECK(kernels::inverse_normal_cdf(0.25) == Approx(-0.6744897501960817).epsilon(1e-15));
  CHECK(kernels::inverse_normal_cdf(0.001) == Approx(-3.090232306167814).epsilon(1e-15));
  CHECK(kernels::inverse_normal_cdf(1e-20) == Approx(-9.262340089798408).epsilon(1e-15));
  CHECK(kernels::inverse_normal_cdf(0.5) == 0.0);
  for (const double x : {-0.1, -0.9, -2.0, -4.0, -9.0, -30.0}) {
    CAPTURE(x);
    CHECK(kernels::lower_normal_cdf(x) ==
          Approx(0.5 * std::erfc(-x / std::sqrt(2.0))).epsilon(1e-12));
  }
  CHECK(kernels::lower_normal_cdf(-40.0) == 0.0);
}
