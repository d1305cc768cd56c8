/// \file
/// Random numbers that a seed fixes for every compiler and standard library.
///
/// Draw number c of a stream is mix(key + c * gamma): the SplitMix64 generator (Steele, Lea, Flood,
/// "Fast splittable pseudorandom number generators", 2014) seen as a function of a counter. The
/// distributions of the standard library are left out on purpose: their results differ between
/// implementations.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace tensorette::translation {

/// An endless sequence of random numbers, named by (seed, stream).
class RandomStream {
 public:
  /// Streams of one seed are independent of each other, so that one consumer may draw more without
  /// shifting what another one sees.
  explicit RandomStream(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(mix(mix(seed) + stream * kGamma)) {}

  /// The next 64 random bits.
  std::uint64_t next() {
    state_ += kGamma;
    return mix(state_);
  }

  /// A whole number in [0, bound), each equally likely. `bound` must be positive.
  std::size_t below(std::size_t bound) {
    const std::uint64_t n = bound;
    // The first 2^64 mod n values would favour small remainders: draw again.
    const std::uint64_t unfair = (0 - n) % n;
    std::uint64_t bits = next();
    while (bits < unfair) bits = next();
    return static_cast<std::size_t>(bits % n);
  }

  /// True in `chance` of 100 cases.
  bool percent(std::size_t chance) { return below(100) < chance; }

 private:
  static constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15ULL;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

/// Puts `items` into random order (Fisher and Yates).
template <class T>
void shuffle(std::span<T> items, RandomStream& random) {
  for (std::size_t left = items.size(); left > 1; --left) {
    using std::swap;
    swap(items[left - 1], items[random.below(left)]);
  }
}

}  // namespace tensorette::translation
