/// \file
/// Random numbers: a counter-based generator (Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel
/// random numbers: as easy as 1, 2, 3", SC 2011). Number i of a stream is a function of (seed,
/// stream, i) alone, so results depend neither on threads nor on the standard library.
///
/// What is promised: a seed gives the same bits with every number of threads, every compiler and
/// every machine with IEEE 754 arithmetic, whatever its vector instructions and its math library:
/// the transforms are the library's own and use +, −, ·, / and √ only. Building the library with
/// options that loosen floating-point arithmetic (-ffast-math, -ffp-contract=fast) ends the
/// promise for normal and truncated normal numbers. A test pins the numbers of seed 1.
#pragma once

#include <array>
#include <cstdint>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

/// Four 32-bit random words for one 128-bit counter and 64-bit key.
[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) noexcept;

/// A source of random numbers: a seed, a stream number and a position. Copying it copies the
/// position. Every draw moves the position on by counters of its own, so that draws never overlap:
/// by ceil(n/4) for n numbers, and by ceil(n/2) where a number takes two words (f64, integers from
/// a range above 2³², each index of a permutation).
class Generator {
 public:
  explicit Generator(std::uint64_t seed = 0, std::uint64_t stream = 0) noexcept
      : seed_(seed), stream_(stream) {}

  /// All there is to know of a generator: save it, and set it to go on bit by bit.
  struct State {
    std::uint64_t seed = 0;
    std::uint64_t stream = 0;
    std::uint64_t position = 0;
    friend bool operator==(const State&, const State&) = default;
  };
  [[nodiscard]] State state() const noexcept { return {seed_, stream_, position_}; }
  void set_state(const State& state) noexcept {
    seed_ = state.seed;
    stream_ = state.stream;
    position_ = state.position;
  }
  /// A generator whose numbers have nothing to do with this one's. Moves this one on by one.
  [[nodiscard]] Generator split();

  /// Reserves counters for `count` numbers and says where they begin: for kernels that make
  /// their numbers as they go (dropout).
  [[nodiscard]] State reserve(Index count);

  /// Uniform in [low, high), from 24 random bits (f32) or 53 (f64); `low` where both are equal.
  /// \throws Error unless low <= high and high − low is finite. DTypeError unless f32 or f64.
  [[nodiscard]] Tensor uniform(const Shape& shape, double low = 0.0, double high = 1.0,
                               DType dtype = DType::f32);
  /// Normal by Box and Muller's transform; at most 6.7 deviations from the mean for f32, 8.6 for
  /// f64. \throws Error unless both are finite and deviation >= 0.
  [[nodiscard]] Tensor normal(const Shape& shape, double mean = 0.0, double deviation = 1.0,
                              DType dtype = DType::f32);
  /// Normal limited to mean ± bound·deviation by inverse transform. \throws Error as normal(), and
  /// unless bound > 0 and finite.
  [[nodiscard]] Tensor truncated_normal(const Shape& shape, double mean = 0.0,
                                        double deviation = 1.0, double bound = 2.0,
                                        DType dtype = DType::f32);
  /// i64 in [low, high), unbiased (Lemire, "Fast random integer generation in an interval", 2019).
  /// \throws Error unless low < high.
  [[nodiscard]] Tensor integers(const Shape& shape, Index low, Index high);
  /// 0 .. count − 1 in random order (Fisher and Yates), i64.
  [[nodiscard]] Tensor permutation(Index count);
  /// true with the given probability, rounded to a multiple of 2⁻³²; exact for 0 and 1.
  /// \throws Error outside [0, 1].
  [[nodiscard]] Tensor bernoulli(const Shape& shape, double probability);
  /// One integer in [0, bound), unbiased. \throws Error for bound 0.
  [[nodiscard]] std::uint64_t next_below(std::uint64_t bound);
  /// One uniform number in [0, 1), from 53 random bits.
  [[nodiscard]] double next_uniform();

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
};

}  // namespace tensorette
