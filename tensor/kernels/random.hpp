// Filling memory with random numbers. Each number is a function of (state, its place) alone, so
// any part can be made by any thread, and made again later.
//
// Words used:  32 bits for one f32, an integer below 2³² and a bernoulli draw; 64 bits for one f64
// and a larger integer; 16 bits for one dropout decision.
#pragma once

#include <cstdint>
#include <tensorette/tensor/random.hpp>

namespace tensorette::kernels {

/// low + (high − low)·u, u of 24 (float) or 53 (double) random bits; never `high` itself.
template <class T>
void fill_uniform(const Generator::State& state, double low, double high, T* out, Index count);

template <class T>
void fill_normal(const Generator::State& state, double mean, double deviation, T* out, Index count);

template <class T>
void fill_truncated_normal(const Generator::State& state, double mean, double deviation,
                           double bound, T* out, Index count);

/// low + an unbiased integer in [0, range).
void fill_integers(const Generator::State& state, Index low, std::uint64_t range, Index* out,
                   Index count);

/// An unbiased integer in [0, bound) from words 2·index and 2·index + 1.
[[nodiscard]] std::uint64_t integer_below(const Generator::State& state, std::uint64_t index,
                                          std::uint64_t bound) noexcept;

/// true where a 32-bit word is below probability·2³².
void fill_bernoulli(const Generator::State& state, double probability, bool* out, Index count);

// --- dropout ---
//
// Element i of a draw is kept where half-word i (the lower half of word i/2 for even i, else the
// upper) is below (1 − probability)·2¹⁶, rounded: the kept share is exact within 2⁻¹⁷, and exact
// for probability 0 and 1. `first` is the draw's element at out[0]: a kernel that works on a tile
// asks for the decisions of that tile only, forward and backward alike. reserve(element count) of
// the whole draw is enough. All may be called inside a parallel region.

/// out[i] = scale where element first + i is kept, else 0.
template <class T>
void dropout_mask(const Generator::State& state, Index first, double probability, T scale, T* out,
                  Index count);

/// y[i] = scale·x[i] where element first + i is kept, else 0 (whatever x is). y may be x.
template <class T>
void dropout(const Generator::State& state, Index first, double probability, T scale, const T* x,
             T* y, Index count);

}  // namespace tensorette::kernels
