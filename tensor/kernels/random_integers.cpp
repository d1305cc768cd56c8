#include <cmath>
#include <tensorette/tensor/kernels/random.hpp>
#include <tensorette/tensor/kernels/random_chunks.hpp>

namespace tensorette::kernels {
namespace {

// The generator that rejected element's attempts go on with: attempt 0 is the draw itself.
Generator::State state_of_attempt(Generator::State state, std::uint64_t attempt) noexcept {
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;
  state.seed += attempt * golden_ratio;
  return state;
}

struct WideProduct {
  std::uint64_t high;
  std::uint64_t low;
};
WideProduct multiply(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t low_low = std::uint64_t{low_word(a)} * low_word(b);
  const std::uint64_t low_high = std::uint64_t{low_word(a)} * high_word(b);
  const std::uint64_t high_low = std::uint64_t{high_word(a)} * low_word(b);
  const std::uint64_t high_high = std::uint64_t{high_word(a)} * high_word(b);
  const std::uint64_t middle =
      high_word(low_low) + std::uint64_t{low_word(low_high)} + low_word(high_low);
  return {high_high + high_word(low_high) + high_word(high_low) + high_word(middle),
          join_words(low_word(low_low), low_word(middle))};
}

// An integer in [0, range) from one 32-bit word, range <= 2³² (Lemire, "Fast random integer
// generation in an interval", 2019): the high half of word·range, unless the low half falls into
// the 2³² mod range cases too many.
std::uint32_t narrow_integer(const Generator::State& state, Index element, std::uint32_t word,
                             std::uint64_t range, std::uint64_t surplus) noexcept {
  std::uint64_t product = word * range;
  for (std::uint64_t attempt = 1; low_word(product) < surplus; ++attempt) {
    const Block block =
        block_at(state_of_attempt(state, attempt), static_cast<std::uint64_t>(element / 4));
    product = block[static_cast<std::size_t>(element % 4)] * range;
  }
  return high_word(product);
}

}  // namespace

std::uint64_t integer_below(const Generator::State& state, std::uint64_t index,
                            std::uint64_t bound) noexcept {
  const std::uint64_t surplus = (0 - bound) % bound;  // 2⁶⁴ mod bound
  const std::size_t word = 2 * (index % 2);
  for (std::uint64_t attempt = 0;; ++attempt) {
    const Block block = block_at(state_of_attempt(state, attempt), index / 2);
    const WideProduct product = multiply(join_words(block[word], block[word + 1]), bound);
    if (product.low >= surplus) return product.high;
  }
}

void fill_integers(const Generator::State& state, Index low, std::uint64_t range, Index* out,
                   Index count) {
  const auto from_low = [low](std::uint64_t offset) {
    return static_cast<Index>(static_cast<std::uint64_t>(low) + offset);
  };
  constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;
  if (range <= two_to_32) {
    const std::uint64_t surplus = two_to_32 % range;
    for_each_chunk(state, count, 4, [=](const std::uint32_t* words, Index begin, Index number) {
      for (Index i = 0; i < number; ++i)
        out[begin + i] = from_low(narrow_integer(state, begin + i, words[i], range, surplus));
    });
  } else {
    parallel_for(count, elements_per_thread, [=](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        out[i] = from_low(integer_below(state, static_cast<std::uint64_t>(i), range));
    });
  }
}

void fill_bernoulli(const Generator::State& state, double probability, bool* out, Index count) {
  const auto threshold = static_cast<std::uint64_t>(std::nearbyint(probability * 0x1p32));
  for_each_chunk(state, count, 4, [=](const std::uint32_t* words, Index begin, Index number) {
    for (Index i = 0; i < number; ++i) out[begin + i] = words[i] < threshold;
  });
}

}  // namespace tensorette::kernels
