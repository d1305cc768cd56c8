#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <tensorette/tensor/kernels/random.hpp>
#include <tensorette/tensor/kernels/random_chunks.hpp>
#include <type_traits>

namespace tensorette::kernels {
namespace {

constexpr Index decisions_per_block = 8;
constexpr Index chunk_decisions = chunk_blocks * decisions_per_block;

// The lower half of each word, then the upper: on a little-endian machine that is their order in
// memory already.
void split_words(const std::uint32_t* words, std::uint16_t* halves, Index count) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(halves, words, static_cast<std::size_t>(count) * sizeof(std::uint32_t));
  } else {
    for (Index i = 0; i < count; ++i) {
      halves[2 * i] = static_cast<std::uint16_t>(words[i]);
      halves[2 * i + 1] = static_cast<std::uint16_t>(words[i] >> 16);
    }
  }
}

// Calls body(halves, position, number) for parts of elements first ... first + count − 1:
// `halves` are the half-words of elements first + position ...
template <class Body>
void for_each_decision(const Generator::State& state, Index first, Index count, Body&& body) {
  parallel_for(count, elements_per_thread, [&](Index begin, Index end) {
    alignas(64) std::uint32_t words[chunk_words];
    alignas(64) std::uint16_t halves[chunk_decisions];
    while (begin < end) {
      const Index skipped = (first + begin) % decisions_per_block;
      const Index number = std::min(end - begin, chunk_decisions - skipped);
      const Index blocks = (skipped + number + decisions_per_block - 1) / decisions_per_block;
      fill_blocks(state, static_cast<std::uint64_t>((first + begin) / decisions_per_block), words,
                  blocks);
      split_words(words, halves, blocks * words_per_block);
      body(static_cast<const std::uint16_t*>(halves) + skipped, begin, number);
      begin += number;
    }
  });
}

// Half-words below this are kept: 0 keeps none, 2¹⁶ keeps all.
std::int32_t keep_threshold(double probability) noexcept {
  return static_cast<std::int32_t>(std::nearbyint((1 - probability) * 65536));
}

// The loops stand in functions of their own so that their operands are in registers: read through
// a lambda's captures they could change with every store, and nothing would vectorise.
template <class T>
void select_scale(const std::uint16_t* halves, std::int32_t threshold, T scale, T* out,
                  Index count) noexcept {
  for (Index i = 0; i < count; ++i) out[i] = halves[i] < threshold ? scale : T{0};
}

template <class T>
void select_scaled(const std::uint16_t* halves, std::int32_t threshold, T scale, const T* x, T* y,
                   Index count) noexcept {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  for (Index i = 0; i < count; ++i) {
    // All ones or all zeros: a branch, or a product with 0, would do worse by NaN and speed.
    const Bits kept = Bits{0} - static_cast<Bits>(halves[i] < threshold);
    y[i] = std::bit_cast<T>(std::bit_cast<Bits>(x[i] * scale) & kept);
  }
}

}  // namespace

template <class T>
void dropout_mask(const Generator::State& state, Index first, double probability, T scale, T* out,
                  Index count) {
  const std::int32_t threshold = keep_threshold(probability);
  for_each_decision(state, first, count,
                    [=](const std::uint16_t* halves, Index position, Index number) {
                      select_scale(halves, threshold, scale, out + position, number);
                    });
}

template <class T>
void dropout(const Generator::State& state, Index first, double probability, T scale, const T* x,
             T* y, Index count) {
  const std::int32_t threshold = keep_threshold(probability);
  for_each_decision(state, first, count,
                    [=](const std::uint16_t* halves, Index position, Index number) {
                      select_scaled(halves, threshold, scale, x + position, y + position, number);
                    });
}

template void dropout_mask(const Generator::State&, Index, double, float, float*, Index);
template void dropout_mask(const Generator::State&, Index, double, double, double*, Index);
template void dropout(const Generator::State&, Index, double, float, const float*, float*, Index);
template void dropout(const Generator::State&, Index, double, double, const double*, double*,
                      Index);

}  // namespace tensorette::kernels
