// What can be reduced: each operation says how two values become one, and what is done to an
// element before and to the total after. Written once for packs and for single numbers.
//
// Element   what memory holds                    Block   what up to steps_per_block elements are
// Total     what the blocks are combined in              combined in
// Result    what is stored
// map(x, p) is applied to each element; p belongs to the result (its mean, its maximum), and is
// read only where has_parameter. finish(total, p) makes the result.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tensorette/tensor/kernels/reduce_pack.hpp>

namespace tensorette::kernels {

/// Blocks are short, so that rounding errors of f32 do not pile up: they meet in double.
inline constexpr Index steps_per_block = 32;

/// Totals of floating blocks are double.
template <class T>
using TotalOf = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

/// The common parts: elements as they are, totals stored as they are.
template <class T>
struct Reduction {
  using Element = T;
  using Block = T;
  using Total = TotalOf<T>;
  using Result = T;
  static constexpr bool has_parameter = false;
  static constexpr double identity = 0;

  template <class V>
  static V combine(V a, V b) {
    return a + b;
  }
  template <class V>
  static V map(V x, V /*parameter*/) {
    return x;
  }
  static Result finish(Total total, Element /*parameter*/) { return static_cast<Result>(total); }
};

template <class T>
struct Sum : Reduction<T> {};

/// Σx / count
template <class T>
struct Mean : Reduction<T> {
  double count = 1;
  T finish(double total, T /*parameter*/) const { return static_cast<T>(total / count); }
};

/// Number of true elements: each lane of bytes stays far below 256 within a block.
struct Count : Reduction<std::uint8_t> {
  using Result = std::int64_t;
  static Result finish(Total total, Element /*parameter*/) { return total; }
};

/// Products of f32 are formed in double: 1e30 · 1e30 · 1e-30 must not overflow on the way.
template <class T>
struct Product : Reduction<T> {
  using Block = TotalOf<T>;
  static constexpr double identity = 1;
  template <class V>
  static V combine(V a, V b) {
    return a * b;
  }
};

template <class T>
struct Largest : Reduction<T> {
  using Total = T;
  static constexpr T identity = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                                            : std::numeric_limits<T>::lowest();
  template <class V>
  static V combine(V a, V b) {
    return larger(a, b);
  }
};

template <class T>
struct Smallest : Reduction<T> {
  using Total = T;
  static constexpr T identity = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                                            : std::numeric_limits<T>::max();
  template <class V>
  static V combine(V a, V b) {
    return smaller(a, b);
  }
};

/// Booleans are bytes 0 and 1.
struct Any : Largest<std::uint8_t> {
  using Result = bool;
  static constexpr std::uint8_t identity = 0;
  static bool finish(Total total, Element /*parameter*/) { return total != 0; }
};
struct All : Smallest<std::uint8_t> {
  using Result = bool;
  static constexpr std::uint8_t identity = 1;
  static bool finish(Total total, Element /*parameter*/) { return total != 0; }
};

/// The largest |x|
template <class T>
struct LargestMagnitude : Largest<T> {
  static constexpr T identity = 0;
  template <class V>
  static V map(V x, V /*parameter*/) {
    using std::abs;
    using xsimd::abs;
    return abs(x);
  }
};

/// Σ(x − mean)² / divisor
template <class T>
struct SquaredDistance : Reduction<T> {
  static constexpr bool has_parameter = true;
  double divisor = 1;
  template <class V>
  static V map(V x, V mean) {
    const V distance = x - mean;
    return distance * distance;
  }
  T finish(double total, T /*mean*/) const { return static_cast<T>(total / divisor); }
};

/// √Σx²
template <class T>
struct EuclideanNorm : Reduction<T> {
  template <class V>
  static V map(V x, V /*parameter*/) {
    return x * x;
  }
  static T finish(double total, T /*parameter*/) { return static_cast<T>(std::sqrt(total)); }
};

/// s·√Σ(x/s)²: for elements whose squares leave the range of T. s = 0 only where all are 0.
template <class T>
struct ScaledNorm : Reduction<T> {
  static constexpr bool has_parameter = true;
  template <class V>
  static V map(V x, V scale) {
    const V ratio = x / scale;
    return ratio * ratio;
  }
  static T finish(double total, T scale) {
    if (scale == 0 || std::isinf(scale)) return scale;
    return static_cast<T>(static_cast<double>(scale) * std::sqrt(total));
  }
};

/// log Σ exp(x − shift) + shift
template <class T>
struct LogSumExp : Reduction<T> {
  static constexpr bool has_parameter = true;
  template <class V>
  static V map(V x, V shift) {
    return exponential(x - shift);
  }
  static T finish(double total, T shift) {
    return static_cast<T>(std::log(total) + static_cast<double>(shift));
  }
};

}  // namespace tensorette::kernels
