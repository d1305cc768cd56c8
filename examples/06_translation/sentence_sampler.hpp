/// \file
/// Draws meanings at random, family by family, and says them in both languages.
/// Before: grammar.hpp.  Next: grammar_corpus.cpp.
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar.hpp"
#include "random_stream.hpp"

namespace tensorette::translation {

/// The English names of an animal and a place.
using AnimalPlace = std::pair<std::string_view, std::string_view>;

/// Combinations of an animal and a place of different gender for held-out sentences alone: each
/// animal gets two places, each place two animals. (animal, street) is always among them.
std::set<AnimalPlace> draw_held_out_combinations(RandomStream& random);

enum class Part { train, test };

/// What one draw gives: one sentence, or two that belong together.
using Draw = std::vector<SentencePair>;

/// An endless source of sentences for one part of the corpus. Sentences may repeat.
class SentenceSampler {
 public:
  SentenceSampler(RandomStream random, std::set<AnimalPlace> held_out, Part part)
      : random_(random), held_out_(std::move(held_out)), part_(part) {}

  /// Sentences of a family drawn by its share of the corpus.
  Draw draw();

 private:
  /// A draw may come to nothing (the nouns are not for this part, the sentence is too long) and is
  /// then repeated.
  using Family = Draw (SentenceSampler::*)();

  Family any_family();
  Draw it_sentences();
  Draw animal_and_place();
  Draw person_with_reason();
  Draw journey();
  Draw encounter();
  Draw stoning();
  Draw got_stoned();

  std::optional<std::pair<const Noun*, const Noun*>> animal_place_pair(Gender animal, Gender place);
  NounPhrase phrase(const Noun& noun, bool indefinite_allowed, Number number = Number::singular);
  const Adjective* side_adjective(const Noun& noun, bool telling_allowed);
  const Adjective* telling_adjective(const Noun& noun);
  const Verb* verb_for(const Noun& subject, const Noun& object, bool explained);
  Subject pronoun_or_person(bool first_person_allowed);
  Number any_number() { return random_.percent(30) ? Number::plural : Number::singular; }
  Intensity any_intensity();
  static Draw finish(const ActionSentence& sentence);

  RandomStream random_;
  std::set<AnimalPlace> held_out_;
  Part part_;
};

}  // namespace tensorette::translation
