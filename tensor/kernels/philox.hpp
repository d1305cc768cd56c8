// Philox4x32-10, one counter at a time and in bulk: the source of all random numbers.
// Next: random.hpp turns its words into distributions.
//
// Block p of a generator is philox({low p, high p, low stream, high stream}, {low seed, high
// seed}): the layout of Random123's C++ engines and of cuRAND. Word i of a draw that starts at
// position p is word i % 4 of block p + i / 4.
#pragma once

#include <array>
#include <cstdint>
#include <tensorette/tensor/random.hpp>

namespace tensorette::kernels {

inline constexpr Index words_per_block = 4;

namespace philox_constants {
inline constexpr int rounds = 10;
inline constexpr std::uint32_t multiplier_0 = 0xD2511F53;
inline constexpr std::uint32_t multiplier_1 = 0xCD9E8D57;
inline constexpr std::uint32_t weyl_0 = 0x9E3779B9;  // added to the key after every round
inline constexpr std::uint32_t weyl_1 = 0xBB67AE85;
}  // namespace philox_constants

using Block = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

[[nodiscard]] constexpr std::uint32_t low_word(std::uint64_t x) noexcept {
  return static_cast<std::uint32_t>(x);
}
[[nodiscard]] constexpr std::uint32_t high_word(std::uint64_t x) noexcept {
  return static_cast<std::uint32_t>(x >> 32);
}
[[nodiscard]] constexpr std::uint64_t join_words(std::uint32_t low, std::uint32_t high) noexcept {
  return low | (static_cast<std::uint64_t>(high) << 32);
}

[[nodiscard]] constexpr Block philox_block(Block counter, Key key) noexcept {
  using namespace philox_constants;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t product_0 = std::uint64_t{multiplier_0} * counter[0];
    const std::uint64_t product_1 = std::uint64_t{multiplier_1} * counter[2];
    counter = {high_word(product_1) ^ counter[1] ^ key[0], low_word(product_1),
               high_word(product_0) ^ counter[3] ^ key[1], low_word(product_0)};
    key[0] += weyl_0;
    key[1] += weyl_1;
  }
  return counter;
}

/// Block `index` after the state's position.
[[nodiscard]] constexpr Block block_at(const Generator::State& state,
                                       std::uint64_t index) noexcept {
  const std::uint64_t position = state.position + index;
  return philox_block(
      {low_word(position), high_word(position), low_word(state.stream), high_word(state.stream)},
      {low_word(state.seed), high_word(state.seed)});
}

/// Writes blocks first, first + 1, ... (counted from the state's position), 4 words each.
void fill_blocks(const Generator::State& state, std::uint64_t first, std::uint32_t* words,
                 Index blocks) noexcept;

}  // namespace tensorette::kernels
