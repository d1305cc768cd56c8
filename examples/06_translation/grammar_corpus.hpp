/// \file
/// The built-in English-French corpus: sentences drawn from the grammar by a seed.
/// Before: grammar.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grammar.hpp"

namespace tensorette::translation {

struct CorpusOptions {
  std::size_t train_pairs = 20'000;
  std::size_t test_pairs = 1'500;
  std::uint64_t seed = 1;
};

/// Training and held-out sentences; no source sentence occurs twice in all. One pair in eight has
/// no full stop, so that a translator learns to do without.
///
/// The held-out part asks for more than memory. Some (animal, place) combinations, each of a
/// masculine with a feminine noun, are kept for it alone, (animal, street) always among them: no
/// training sentence joins these two nouns, though each is common in training. Six in ten held-out
/// sentences contain "it" between two such nouns, so that guessing the pronoun from either noun, or
/// from both, is right in one of two cases; another fifth join two such nouns without "it".
struct Corpus {
  std::vector<SentencePair> train;
  /// Begins with showcase_sentences(), as far as `test_pairs` reaches.
  std::vector<SentencePair> test;
};

/// Draws a corpus: a pure function of its options.
///
/// Throws Error for more than 300,000 pairs in all, or when the grammar gives fewer distinct
/// sentences than asked for.
///
///     const Corpus corpus = generate_corpus({.train_pairs = 20'000, .seed = 7});
Corpus generate_corpus(const CorpusOptions& options = {});

/// Four sentences that show what attention is for, never part of the training data:
/// "The animal didn't cross the street because it was too tired.", the same with "too wide",
/// "They stoned the witch." and "This guy got completely stoned."
std::vector<SentencePair> showcase_sentences();

}  // namespace tensorette::translation
