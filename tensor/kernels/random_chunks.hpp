// Walking over the words of a draw. Included by the kernels that fill memory with random numbers.
#pragma once

#include <algorithm>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/kernels/philox.hpp>

namespace tensorette::kernels {

inline constexpr Index chunk_blocks = 256;  // 4 KiB of words: stays in the first-level cache
inline constexpr Index chunk_words = chunk_blocks * words_per_block;

// How many numbers of type T one block gives.
template <class T>
inline constexpr Index numbers_per_block = sizeof(T) == 8 ? 2 : 4;

// Calls body(words, begin, number): the words for elements begin ... begin + number − 1 of a draw
// of `count`. `number` is a multiple of `per_block` except at the very end.
template <class Body>
void for_each_chunk(const Generator::State& state, Index count, Index per_block, Body&& body) {
  const Index blocks = (count + per_block - 1) / per_block;
  parallel_for(blocks, elements_per_thread / per_block, [&](Index first, Index last) {
    alignas(64) std::uint32_t words[chunk_words];
    for (Index block = first; block < last; block += chunk_blocks) {
      const Index size = std::min(chunk_blocks, last - block);
      fill_blocks(state, static_cast<std::uint64_t>(block), words, size);
      const Index begin = block * per_block;
      body(static_cast<const std::uint32_t*>(words), begin,
           std::min(size * per_block, count - begin));
    }
  });
}

// The words of element i of a chunk as a number of T's random bits.
template <class T>
std::uint64_t bits_of(const std::uint32_t* words, Index i) noexcept {
  if constexpr (numbers_per_block<T> == 2)
    return join_words(words[2 * i], words[2 * i + 1]);
  else
    return words[i];
}

}  // namespace tensorette::kernels
