// The 16-bit floating formats: every value out and in again, and the rounding on the way in.
#include <bit>
#include <cmath>
#include <limits>
#include <tensorette/tensor/io/detail/half.hpp>
#include <tensorette_test.hpp>

using namespace tensorette::detail;

namespace {

// What the bits of a 16-bit format mean, straight from its definition.
double meaning(std::uint16_t bits, int mantissa_bits, int exponent_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const double fraction = std::ldexp(bits & ((1 << mantissa_bits) - 1), -mantissa_bits);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  return exponent == 0 ? sign * std::ldexp(fraction, 1 - bias)
                       : sign * std::ldexp(1 + fraction, exponent - bias);
}

}  // namespace

TEST_CASE("every 16-bit number is read exactly and written back", "[tensor][io]") {
  for (std::uint32_t i = 0; i <= 0xFFFF; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const double half = meaning(bits, 10, 5);
    const double bfloat = meaning(bits, 7, 8);
    if (std::isnan(half)) {
      REQUIRE(std::isnan(from_half(bits)));
      REQUIRE(std::isnan(from_half(to_half(half))));
    } else {
      REQUIRE(std::bit_cast<std::uint32_t>(from_half(bits)) ==
              std::bit_cast<std::uint32_t>(static_cast<float>(half)));
      REQUIRE(to_half(half) == bits);
    }
    if (std::isnan(bfloat)) {
      REQUIRE(std::isnan(from_bfloat(bits)));
      REQUIRE(std::isnan(from_bfloat(to_bfloat(bfloat))));
    } else {
      REQUIRE(from_bfloat(bits) == static_cast<float>(bfloat));
      REQUIRE(to_bfloat(bfloat) == bits);
    }
  }
}

TEST_CASE("rounding goes to the nearest, ties to even", "[tensor][io]") {
  // Between each pair of neighbours: the middle goes to the even one, its neighbours to the nearer.
  for (std::uint32_t i = 0; i < 0x7BFF; ++i) {
    const auto lower = static_cast<std::uint16_t>(i);
    const auto upper = static_cast<std::uint16_t>(i + 1);
    const double middle = (meaning(lower, 10, 5) + meaning(upper, 10, 5)) / 2;
    REQUIRE(to_half(middle) == (i % 2 == 0 ? lower : upper));
    REQUIRE(to_half(std::nextafter(middle, 0)) == lower);
    REQUIRE(to_half(std::nextafter(middle, 1e9)) == upper);
    REQUIRE(to_half(-middle) == (to_half(middle) | 0x8000));
  }
  for (std::uint32_t i = 0; i < 0x7F7F; ++i) {
    const auto lower = static_cast<std::uint16_t>(i);
    const auto upper = static_cast<std::uint16_t>(i + 1);
    const double middle = (meaning(lower, 7, 8) + meaning(upper, 7, 8)) / 2;
    REQUIRE(to_bfloat(middle) == (i % 2 == 0 ? lower : upper));
    REQUIRE(to_bfloat(std::nextafter(middle, 0)) == lower);
    REQUIRE(to_bfloat(std::nextafter(middle, 1e40)) == upper);
  }
}

TEST_CASE("numbers out of a 16-bit range become infinite or zero", "[tensor][io]") {
  CHECK(to_half(65504) == 0x7BFF);
  CHECK(to_half(65519.999) == 0x7BFF);
  CHECK(to_half(65520) == 0x7C00);  // half-way to the next one, which would be even
  CHECK(to_half(-1e300) == 0xFC00);
  CHECK(to_half(1e-300) == 0);
  CHECK(to_half(-1e-300) == 0x8000);
  CHECK(to_bfloat(3.4e38) == 0x7F80);
  CHECK(to_bfloat(std::numeric_limits<double>::max()) == 0x7F80);
  CHECK(to_half(-std::numeric_limits<double>::infinity()) == 0xFC00);
  // Rounded by way of float this would be a tie: 1 + 2⁻¹¹ + 2⁻⁴⁰.
  CHECK(to_half(1 + 0x1p-11 + 0x1p-40) == 0x3C01);
}
