#include <algorithm>
#include <tensorette/tensor/kernels/philox.hpp>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace tensorette::kernels {
namespace {

void fill_blocks_plainly(const Generator::State& state, std::uint64_t first, std::uint32_t* words,
                         Index blocks) noexcept {
  for (Index b = 0; b < blocks; ++b) {
    const Block block = block_at(state, first + static_cast<std::uint64_t>(b));
    for (const std::uint32_t word : block) *words++ = word;
  }
}

#ifdef __AVX2__

// The keys of all rounds, each repeated in four lanes.
struct KeySchedule {
  __m256i key_0[philox_constants::rounds];
  __m256i key_1[philox_constants::rounds];

  explicit KeySchedule(std::uint64_t seed) noexcept {
    std::uint32_t low = low_word(seed);
    std::uint32_t high = high_word(seed);
    for (int round = 0; round < philox_constants::rounds; ++round) {
      key_0[round] = _mm256_set1_epi64x(low);
      key_1[round] = _mm256_set1_epi64x(high);
      low += philox_constants::weyl_0;
      high += philox_constants::weyl_1;
    }
  }
};

// Four blocks side by side. Each 32-bit word sits in the lower half of a 64-bit lane; the upper
// half holds leftovers, which the multiplication ignores. That saves all shuffles in the rounds.
// The lanes hold blocks 0, 2, 1, 3: in that order two unpacks bring the words into memory order.
struct FourBlocks {
  __m256i word_0, word_1, word_2, word_3;

  FourBlocks(std::uint64_t position, std::uint64_t stream) noexcept
      : word_0(_mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(position)),
                                _mm256_set_epi64x(3, 1, 2, 0))),
        word_1(_mm256_srli_epi64(word_0, 32)),
        word_2(_mm256_set1_epi64x(low_word(stream))),
        word_3(_mm256_set1_epi64x(high_word(stream))) {}

  void round(__m256i key_0, __m256i key_1) noexcept {
    const __m256i multiplier_0 = _mm256_set1_epi64x(philox_constants::multiplier_0);
    const __m256i multiplier_1 = _mm256_set1_epi64x(philox_constants::multiplier_1);
    const __m256i product_0 = _mm256_mul_epu32(word_0, multiplier_0);
    const __m256i product_1 = _mm256_mul_epu32(word_2, multiplier_1);
    word_0 = _mm256_xor_si256(_mm256_srli_epi64(product_1, 32), _mm256_xor_si256(word_1, key_0));
    word_2 = _mm256_xor_si256(_mm256_srli_epi64(product_0, 32), _mm256_xor_si256(word_3, key_1));
    word_1 = product_1;
    word_3 = product_0;
  }

  void store(std::uint32_t* words) const noexcept {
    const __m256i words_01 = _mm256_blend_epi32(word_0, _mm256_slli_epi64(word_1, 32), 0xAA);
    const __m256i words_23 = _mm256_blend_epi32(word_2, _mm256_slli_epi64(word_3, 32), 0xAA);
    auto* target = reinterpret_cast<__m256i*>(words);
    _mm256_storeu_si256(target, _mm256_unpacklo_epi64(words_01, words_23));
    _mm256_storeu_si256(target + 1, _mm256_unpackhi_epi64(words_01, words_23));
  }
};

#endif

}  // namespace

#ifdef __AVX2__

void fill_blocks(const Generator::State& state, std::uint64_t first, std::uint32_t* words,
                 Index blocks) noexcept {
  constexpr Index together = 8;  // two groups of four: their multiplications overlap
  const KeySchedule keys(state.seed);
  const auto fill_eight = [&](std::uint32_t* target) {
    FourBlocks a(state.position + first, state.stream);
    FourBlocks b(state.position + first + 4, state.stream);
    for (int round = 0; round < philox_constants::rounds; ++round) {
      a.round(keys.key_0[round], keys.key_1[round]);
      b.round(keys.key_0[round], keys.key_1[round]);
    }
    a.store(target);
    b.store(target + 4 * words_per_block);
  };
  while (blocks >= together) {
    fill_eight(words);
    words += together * words_per_block;
    first += static_cast<std::uint64_t>(together);
    blocks -= together;
  }
  if (blocks > 1) {
    std::uint32_t rest[together * words_per_block];
    fill_eight(rest);
    std::copy_n(rest, blocks * words_per_block, words);
  } else {
    fill_blocks_plainly(state, first, words, blocks);
  }
}

#else

void fill_blocks(const Generator::State& state, std::uint64_t first, std::uint32_t* words,
                 Index blocks) noexcept {
  fill_blocks_plainly(state, first, words, blocks);
}

#endif

}  // namespace tensorette::kernels
