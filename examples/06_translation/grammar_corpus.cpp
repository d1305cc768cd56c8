#include "grammar_corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <tensorette/tensor/error.hpp>
#include <unordered_set>
#include <utility>

#include "sentence_sampler.hpp"

namespace tensorette::translation {
namespace {

std::string key_of(const SentencePair& pair) {
  std::string key;
  for (const std::string& word : pair.source) key += word + ' ';
  return key;
}

/// Draws until `pairs` holds `count` sentences, none of them in `seen`.
void fill(std::vector<SentencePair>& pairs, std::size_t count, SentenceSampler& sampler,
          std::unordered_set<std::string>& seen) {
  constexpr int kPatience = 20'000;
  int misses = 0;
  while (pairs.size() < count) {
    ++misses;
    for (SentencePair& pair : sampler.draw()) {
      if (pairs.size() == count || !seen.insert(key_of(pair)).second) continue;
      pairs.push_back(std::move(pair));
      misses = 0;
    }
    if (misses == kPatience) {
      throw Error(fmt::format(
          "generate_corpus: asked for {} distinct sentences, the grammar gave out after {}", count,
          pairs.size()));
    }
  }
}

/// Takes the full stop off one pair in eight, as people type. That makes no new sentence: none is
/// in the corpus with it and without.
void drop_full_stops(std::span<SentencePair> pairs, RandomStream random) {
  constexpr int share = 12;
  for (SentencePair& pair : pairs) {
    if (!random.percent(share)) continue;
    pair.source.pop_back();
    pair.target.pop_back();
  }
}

}  // namespace

std::vector<SentencePair> showcase_sentences() {
  const auto the = [](std::string_view english) { return NounPhrase{.noun = &noun(english)}; };
  ActionSentence animal{.subject = the("animal"),
                        .verb = &verb("cross"),
                        .negative = true,
                        .object = the("street"),
                        .reason = Reason{.adjective = &adjective("tired")}};
  ActionSentence street = animal;
  street.reason = Reason{.about = Reason::About::object, .adjective = &adjective("wide")};
  const ActionSentence witch{
      .subject = Pronoun::they, .verb = &verb("stone"), .object = the("witch")};
  const StonedSentence guy{.subject =
                               NounPhrase{.determiner = Determiner::this_, .noun = &noun("guy")}};
  return {say(animal), say(street), say(witch), say(guy)};
}

Corpus generate_corpus(const CorpusOptions& options) {
  // Beyond this new sentences become rare, and drawing them takes ever longer.
  constexpr std::size_t most = 300'000;
  if (options.train_pairs > most || options.test_pairs > most - options.train_pairs) {
    throw Error(fmt::format(
        "generate_corpus: asked for {} training and {} held-out pairs, the grammar makes {} in all",
        options.train_pairs, options.test_pairs, most));
  }
  enum Stream : std::uint64_t {
    combinations,
    train_sentences,
    test_sentences,
    train_full_stops,
    test_full_stops
  };
  RandomStream combination_stream(options.seed, combinations);
  const std::set<AnimalPlace> held_out = draw_held_out_combinations(combination_stream);
  SentenceSampler test(RandomStream(options.seed, test_sentences), held_out, Part::test);
  SentenceSampler train(RandomStream(options.seed, train_sentences), held_out, Part::train);

  Corpus corpus;
  std::unordered_set<std::string> seen;
  for (SentencePair& pair : showcase_sentences()) {
    seen.insert(key_of(pair));
    if (corpus.test.size() < options.test_pairs) corpus.test.push_back(std::move(pair));
  }
  fill(corpus.test, options.test_pairs, test, seen);
  fill(corpus.train, options.train_pairs, train, seen);
  drop_full_stops(corpus.train, RandomStream(options.seed, train_full_stops));
  const std::size_t shown = std::min(corpus.test.size(), showcase_sentences().size());
  drop_full_stops(std::span(corpus.test).subspan(shown),
                  RandomStream(options.seed, test_full_stops));
  return corpus;
}

}  // namespace tensorette::translation
