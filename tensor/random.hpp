/// \file
/// Random numbers: a counter-based generator (Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel
/// random numbers: as easy as 1, 2, 3", SC 2011). Number i of a stream is a function of (seed,
/// stream, i) alone, so results depend neither on threads nor on the standard library.
#pragma once

#include <array>
#include <cstdint>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

/// Four 32-bit random words for one 128-bit counter and 64-bit key.
[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) noexcept;

/// A source of random numbers: a seed, a stream number and a position. Copying it copies the
/// position. Every draw of n numbers moves the position on by ceil(n/4) counters of its own, so
/// that draws never overlap.
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
  [[nodiscard]] Generator split() noexcept;

  /// Reserves counters for `count` numbers and says where they begin: for kernels that make
  /// their numbers as they go (dropout).
  [[nodiscard]] State reserve(Index count) noexcept;

  /// Uniform in [low, high). \throws Error unless low <= high, both finite.
  [[nodiscard]] Tensor uniform(const Shape& shape, double low = 0.0, double high = 1.0,
                               DType dtype = DType::f32);
  /// Normal by Box and Muller's transform.
  [[nodiscard]] Tensor normal(const Shape& shape, double mean = 0.0, double deviation = 1.0,
                              DType dtype = DType::f32);
  /// Normal limited to mean ± bound·deviation by inverse transform.
  [[nodiscard]] Tensor truncated_normal(const Shape& shape, double mean = 0.0,
                                        double deviation = 1.0, double bound = 2.0,
                                        DType dtype = DType::f32);
  /// i64 in [low, high), unbiased. \throws Error unless low < high.
  [[nodiscard]] Tensor integers(const Shape& shape, Index low, Index high);
  /// 0 .. count − 1 in random order (Fisher and Yates), i64.
  [[nodiscard]] Tensor permutation(Index count);
  /// true with the given probability. \throws Error outside [0, 1].
  [[nodiscard]] Tensor bernoulli(const Shape& shape, double probability);
  /// One integer in [0, bound), unbiased; one uniform number in [0, 1).
  [[nodiscard]] std::uint64_t next_below(std::uint64_t bound);
  [[nodiscard]] double next_uniform();

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
};

}  // namespace tensorette
