#include "06_translation/grammar_corpus.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "06_translation/tokenizer.hpp"
#include "joined.hpp"

using namespace tensorette::translation;
using tensorette::translation::testing::joined;

namespace {

const Corpus& corpus() {
  static const Corpus kCorpus = generate_corpus();
  return kCorpus;
}

using Part = std::vector<SentencePair>;

std::string word(const SentencePair& pair, std::int64_t index) {
  return pair.source.at(static_cast<std::size_t>(index));
}

/// How often the pronoun is right if one always says the more frequent one for each key.
double best_guess(const Part& part, const std::function<std::string(const SentencePair&)>& key) {
  std::map<std::string, std::map<std::string, int>> table;
  int total = 0;
  for (const SentencePair& pair : part) {
    if (!pair.pronoun) continue;
    ++table[key(pair)][pair.pronoun->pronoun];
    ++total;
  }
  int right = 0;
  for (const auto& [name, pronouns] : table) {
    int best = 0;
    for (const auto& [pronoun, count] : pronouns) best = std::max(best, count);
    right += best;
  }
  return static_cast<double>(right) / total;
}

std::map<std::string, int> word_counts(const Part& part,
                                       std::vector<std::string> SentencePair::*side) {
  std::map<std::string, int> counts;
  for (const SentencePair& pair : part) {
    for (const std::string& token : pair.*side) ++counts[token];
  }
  return counts;
}

}  // namespace

TEST_CASE("the corpus has the promised size and its sentences differ") {
  CHECK(corpus().train.size() == 20'000);
  CHECK(corpus().test.size() == 1'500);
  std::set<std::string> seen;
  for (const Part* part : {&corpus().train, &corpus().test}) {
    for (const SentencePair& pair : *part) {
      CHECK(pair.source.size() <= 12);
      CHECK(pair.target.size() <= 15);
      CHECK(seen.insert(joined(pair.source)).second);
    }
  }
}

TEST_CASE("training and held-out sentences share no combination of animal and place") {
  std::set<std::pair<std::string, std::string>> trained;
  for (const SentencePair& pair : corpus().train) {
    if (!pair.animal.empty()) trained.emplace(pair.animal, pair.place);
  }
  std::set<std::pair<std::string, std::string>> held_out;
  for (const SentencePair& pair : corpus().test) {
    if (!pair.animal.empty()) held_out.emplace(pair.animal, pair.place);
  }
  CHECK(trained.size() == 120);
  CHECK(held_out.size() == 24);
  CHECK(held_out.contains({"animal", "street"}));
  for (const auto& combination : held_out) CHECK_FALSE(trained.contains(combination));
}

TEST_CASE("the note on animal and place misses no sentence") {
  // Independent of the grammar: look for the words themselves.
  std::map<std::string, std::string> animals;
  std::map<std::string, std::string> places;
  for (const Noun& noun : nouns()) {
    auto* names = noun.kind == Kind::animal  ? &animals
                  : noun.kind == Kind::place ? &places
                                             : nullptr;
    if (names == nullptr) continue;
    names->emplace(noun.english, noun.english);
    names->emplace(noun.english_plural, noun.english);
  }
  for (const Part* part : {&corpus().train, &corpus().test}) {
    for (const SentencePair& pair : *part) {
      std::string animal;
      std::string place;
      for (const std::string& token : pair.source) {
        if (animals.contains(token)) animal = animals[token];
        if (places.contains(token)) place = places[token];
      }
      const bool both = !animal.empty() && !place.empty();
      if (pair.animal != (both ? animal : "") || pair.place != (both ? place : "")) {
        FAIL(joined(pair.source));
      }
    }
  }
}

TEST_CASE("every held-out word is common in training") {
  for (const auto side : {&SentencePair::source, &SentencePair::target}) {
    const auto trained = word_counts(corpus().train, side);
    for (const auto& [token, count] : word_counts(corpus().test, side)) {
      CAPTURE(token);
      REQUIRE(trained.contains(token));
      CHECK(trained.at(token) >= 25);
    }
    CHECK(trained.size() > 100);
    CHECK(trained.size() < 180);
  }
}

TEST_CASE("the pronoun cannot be guessed without the adjective") {
  const bool test = GENERATE(false, true);
  const Part& part = test ? corpus().test : corpus().train;
  CAPTURE(test);
  int with_it = 0;
  int first = 0;
  int il = 0;
  for (const SentencePair& pair : part) {
    if (!pair.pronoun) continue;
    ++with_it;
    first += pair.pronoun->antecedent_index == pair.pronoun->noun_indices.front();
    il += pair.pronoun->pronoun == "il";
  }
  CHECK(with_it >= static_cast<int>(part.size()) / 2);
  CHECK(first / double(with_it) == Catch::Approx(0.5).margin(0.03));
  CHECK(il / double(with_it) == Catch::Approx(0.5).margin(0.03));
  CHECK(best_guess(part, [](const auto& p) { return word(p, p.pronoun->noun_indices[0]); }) < 0.6);
  CHECK(best_guess(part, [](const auto& p) { return word(p, p.pronoun->noun_indices[1]); }) < 0.6);
  CHECK(best_guess(part, [](const auto& p) { return std::string(p.animal); }) < 0.6);
  CHECK(best_guess(part, [](const auto& p) { return std::string(p.place); }) < 0.6);
  CHECK(best_guess(part, [](const auto& p) {
          return word(p, p.pronoun->noun_indices[0]) + " " + word(p, p.pronoun->noun_indices[1]);
        }) < 0.61);
  CHECK(best_guess(part, [](const auto& p) { return p.source[p.source.size() - 2]; }) < 0.6);
}

TEST_CASE("the notes on 'it' are true") {
  std::map<std::string, Gender> genders;
  for (const Noun& noun : nouns()) genders[std::string(noun.english)] = noun.gender;
  for (const Part* part : {&corpus().train, &corpus().test}) {
    for (const SentencePair& pair : *part) {
      const auto it = std::find(pair.source.begin(), pair.source.end(), "it");
      REQUIRE((it != pair.source.end()) == pair.pronoun.has_value());
      if (!pair.pronoun) continue;
      const PronounNote& note = *pair.pronoun;
      bool good = it - pair.source.begin() == note.it_index;
      good = good && note.noun_indices.size() == 2;
      good = good && std::count(note.noun_indices.begin(), note.noun_indices.end(),
                                note.antecedent_index) == 1;
      for (const std::int64_t index : note.noun_indices)
        good = good && genders.contains(word(pair, index));
      const Gender gender = genders[word(pair, note.antecedent_index)];
      good = good && note.pronoun == (gender == Gender::masculine ? "il" : "elle");
      good = good && pair.target.at(static_cast<std::size_t>(note.pronoun_index)) == note.pronoun;
      if (!good) FAIL(joined(pair.source));
    }
  }
}

TEST_CASE("no French sentence has an elision missing or too many") {
  const std::set<std::string> eliding = {"l'", "n'", "j'", "s'", "qu'"};
  const std::set<std::string> elided = {"le", "la", "ne", "je", "se", "que", "ce", "ma"};
  for (const SentencePair& pair : corpus().train) {
    for (std::size_t i = 0; i + 1 < pair.target.size(); ++i) {
      const std::string& next = pair.target[i + 1];
      const bool vowel = std::string("aeiouh").find(next[0]) != std::string::npos ||
                         next.starts_with("é") || next.starts_with("ê");
      const bool before_vowel = vowel && next != "hérisson";
      if (eliding.contains(pair.target[i]) && !before_vowel) FAIL(joined(pair.target));
      if (elided.contains(pair.target[i]) && before_vowel) FAIL(joined(pair.target));
    }
  }
}

TEST_CASE("the showcase sentences open the held-out part") {
  const std::vector<std::string> source = {
      "the animal didn't cross the street because it was too tired .",
      "the animal didn't cross the street because it was too wide .", "they stoned the witch .",
      "this guy got completely stoned ."};
  const std::vector<std::string> target = {
      "l' animal n' a pas traversé la rue parce qu' il était trop fatigué .",
      "l' animal n' a pas traversé la rue parce qu' elle était trop large .",
      "ils ont lapidé la sorcière .", "ce type s' est complètement défoncé ."};
  for (std::size_t i = 0; i < source.size(); ++i) {
    CHECK(joined(corpus().test[i].source) == source[i]);
    CHECK(joined(corpus().test[i].target) == target[i]);
    CHECK(joined(showcase_sentences()[i].source) == source[i]);
  }
}

TEST_CASE("both meanings of 'stoned' are trained with many subjects") {
  std::set<std::string> persons;
  std::set<std::string> guys;
  for (const SentencePair& pair : corpus().train) {
    const std::string text = joined(pair.target);
    if (text.find("lapidé") != std::string::npos) persons.insert(text);
    if (text.find("défoncé") != std::string::npos) guys.insert(text);
  }
  CHECK(persons.size() > 500);
  CHECK(guys.size() > 200);
}

TEST_CASE("the tokenizer gives the tokens of the corpus back") {
  for (const SentencePair& pair : corpus().test) {
    const std::string english = detokenize(pair.source, {.language = Language::english});
    const std::string french = detokenize(pair.target, {.language = Language::french});
    CHECK(tokenize(english, {.language = Language::english}) == pair.source);
    CHECK(tokenize(french, {.language = Language::french}) == pair.target);
  }
}

TEST_CASE("a seed fixes the corpus") {
  CHECK_THROWS_WITH(
      generate_corpus({.train_pairs = 999'999'999, .test_pairs = 5}),
      "generate_corpus: asked for 999999999 training and 5 held-out pairs, the grammar makes "
      "300000 in all");
  const CorpusOptions options{.train_pairs = 300, .test_pairs = 100, .seed = 5};
  const Corpus a = generate_corpus(options);
  const Corpus b = generate_corpus(options);
  const Corpus c = generate_corpus({.train_pairs = 300, .test_pairs = 100, .seed = 6});
  bool differs = false;
  for (std::size_t i = 0; i < 300; ++i) {
    CHECK(a.train[i].source == b.train[i].source);
    differs = differs || a.train[i].source != c.train[i].source;
  }
  CHECK(differs);
  // More training sentences leave the held-out ones alone.
  const Corpus larger = generate_corpus({.train_pairs = 900, .test_pairs = 100, .seed = 5});
  for (std::size_t i = 0; i < 100; ++i) CHECK(a.test[i].source == larger.test[i].source);
}

TEST_CASE("a corpus may be small or empty") {
  CHECK(generate_corpus({.train_pairs = 0, .test_pairs = 0}).test.empty());
  CHECK(generate_corpus({.train_pairs = 1, .test_pairs = 2}).test.size() == 2);
}
