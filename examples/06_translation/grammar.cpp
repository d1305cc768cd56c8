#include "grammar.hpp"

#include <fmt/format.h>

#include <array>
#include <tensorette/tensor/error.hpp>
#include <utility>

namespace tensorette::translation {
namespace {

using Words = std::vector<std::string>;

void require(bool condition, std::string_view text) {
  if (!condition) throw Error(fmt::format("say: {}", text));
}

std::int64_t size_of(const Words& words) {
  return static_cast<std::int64_t>(words.size());
}

void add(Words& words, std::string_view word) {
  if (!word.empty()) words.emplace_back(word);
}

// ---------------------------------------------------------------------------------------------
// What verbs, pronouns and participles must know of the one they agree with.

struct Features {
  bool first_person = false;
  Number number = Number::singular;
  Gender gender = Gender::masculine;
};

Features features_of(const NounPhrase& phrase) {
  return {.number = phrase.number, .gender = phrase.noun->gender};
}

Features features_of(const Subject& subject) {
  if (const auto* phrase = std::get_if<NounPhrase>(&subject)) return features_of(*phrase);
  switch (std::get<Pronoun>(subject)) {
    case Pronoun::i:
      return {.first_person = true};
    case Pronoun::we:
      return {.first_person = true, .number = Number::plural};
    case Pronoun::he:
      return {};
    case Pronoun::she:
      return {.gender = Gender::feminine};
    case Pronoun::they:
      break;
  }
  return {.number = Number::plural};
}

/// fatigué, fatiguée / entré, entrée, entrés, entrées.
std::string participle_agreeing(std::string_view participle, const Features& with) {
  return fmt::format("{}{}{}", participle, with.gender == Gender::feminine ? "e" : "",
                     with.number == Number::plural ? "s" : "");
}

/// Whether a French word makes the one before it elide. Every h not marked as aspirated is mute.
bool starts_with_vowel_sound(std::string_view word, bool aspirated_h = false) {
  constexpr std::array<std::string_view, 16> kVowels = {"a", "e", "i", "o", "u", "â", "à", "é",
                                                        "è", "ê", "î", "ï", "ô", "û", "œ", "h"};
  for (const std::string_view vowel : kVowels) {
    if (word.starts_with(vowel)) return !(vowel == "h" && aspirated_h);
  }
  return false;
}

// ---------------------------------------------------------------------------------------------
// Noun phrases.

std::string_view english_determiner(Determiner determiner, Number number,
                                    std::string_view next_word) {
  const bool plural = number == Number::plural;
  switch (determiner) {
    case Determiner::a:
      return std::string_view("aeio").find(next_word.front()) != std::string_view::npos ? "an"
                                                                                        : "a";
    case Determiner::this_:
      return plural ? "these" : "this";
    case Determiner::my:
      return "my";
    case Determiner::the:
      break;
  }
  return "the";
}

std::string_view french_determiner(Determiner determiner, const Features& noun, bool before_vowel) {
  const bool plural = noun.number == Number::plural;
  const bool feminine = noun.gender == Gender::feminine;
  switch (determiner) {
    case Determiner::a:
      return feminine ? "une" : "un";
    case Determiner::this_:
      if (plural) return "ces";
      return feminine ? "cette" : before_vowel ? "cet" : "ce";
    case Determiner::my:
      if (plural) return "mes";
      return feminine && !before_vowel ? "ma" : "mon";
    case Determiner::the:
      break;
  }
  if (plural) return "les";
  return before_vowel ? "l'" : feminine ? "la" : "le";
}

/// Adds the phrase and returns where its noun stands.
std::int64_t add_english(Words& words, const NounPhrase& phrase) {
  const Noun& noun = *phrase.noun;
  const std::string_view name =
      phrase.number == Number::plural ? noun.english_plural : noun.english;
  const std::string_view adjective =
      phrase.adjective != nullptr ? phrase.adjective->english : std::string_view();
  add(words,
      english_determiner(phrase.determiner, phrase.number, adjective.empty() ? name : adjective));
  add(words, adjective);
  add(words, name);
  return size_of(words) - 1;
}

std::string_view french_form(const Adjective& adjective, Gender gender, bool before_vowel) {
  if (gender == Gender::feminine) return adjective.feminine;
  const bool changes = before_vowel && !adjective.masculine_before_vowel.empty();
  return changes ? adjective.masculine_before_vowel : adjective.masculine;
}

void add_french(Words& words, const NounPhrase& phrase) {
  const Noun& noun = *phrase.noun;
  const std::string_view name = phrase.number == Number::plural ? noun.french_plural : noun.french;
  const bool noun_sounds_like_vowel = starts_with_vowel_sound(name, noun.aspirated_h);
  const bool before = phrase.adjective != nullptr && phrase.adjective->before_noun;
  const std::string_view adjective =
      phrase.adjective == nullptr
          ? std::string_view()
          : french_form(*phrase.adjective, noun.gender, before && noun_sounds_like_vowel);
  const bool vowel_follows = before ? starts_with_vowel_sound(adjective) : noun_sounds_like_vowel;
  add(words, french_determiner(phrase.determiner, features_of(phrase), vowel_follows));
  if (before) add(words, adjective);
  add(words, name);
  if (!before) add(words, adjective);
}

// ---------------------------------------------------------------------------------------------
// Subjects and verbs.

std::string_view english_pronoun(Pronoun pronoun) {
  constexpr std::array<std::string_view, 5> kNames = {"i", "we", "he", "she", "they"};
  return kNames[static_cast<std::size_t>(pronoun)];
}

/// Returns where the subject's noun or pronoun stands.
std::int64_t add_english(Words& words, const Subject& subject) {
  if (const auto* phrase = std::get_if<NounPhrase>(&subject)) return add_english(words, *phrase);
  add(words, english_pronoun(std::get<Pronoun>(subject)));
  return size_of(words) - 1;
}

/// The third-person pronoun for someone or something of these features.
std::string_view french_pronoun(const Features& features) {
  if (features.number == Number::plural) {
    return features.gender == Gender::feminine ? "elles" : "ils";
  }
  return features.gender == Gender::feminine ? "elle" : "il";
}

void add_french(Words& words, const Subject& subject, bool before_vowel) {
  if (const auto* phrase = std::get_if<NounPhrase>(&subject)) return add_french(words, *phrase);
  const Features features = features_of(subject);
  if (!features.first_person) {
    add(words, french_pronoun(features));
  } else if (features.number == Number::plural) {
    add(words, "nous");
  } else {
    add(words, before_vowel ? "j'" : "je");
  }
}

std::string_view french_auxiliary(Auxiliary auxiliary, const Features& subject) {
  const bool plural = subject.number == Number::plural;
  if (auxiliary == Auxiliary::etre) return plural ? "sont" : "est";
  if (subject.first_person) return plural ? "avons" : "ai";
  return plural ? "ont" : "a";
}

enum class Reflexive { no, yes };

/// Adds subject and auxiliary: j' ai / je n' ai pas / il s' est / ils ne se sont pas.
void add_french_opening(Words& words, const Subject& subject, Auxiliary auxiliary, bool negative,
                        Reflexive reflexive) {
  const std::string_view verb = french_auxiliary(auxiliary, features_of(subject));
  const bool vowel = starts_with_vowel_sound(verb);
  const bool has_reflexive = reflexive == Reflexive::yes;
  add_french(words, subject, vowel && !negative && !has_reflexive);
  if (negative) add(words, vowel && !has_reflexive ? "n'" : "ne");
  if (has_reflexive) add(words, vowel ? "s'" : "se");
  add(words, verb);
  if (negative) add(words, "pas");
}

// ---------------------------------------------------------------------------------------------
// Checks: only meanings with one good translation pass.

void check_phrase(const NounPhrase& phrase) {
  require(phrase.noun != nullptr, "a noun phrase has no noun");
  const bool plural = phrase.number == Number::plural;
  require(!(plural && phrase.determiner == Determiner::a), "'a' with a plural");
  if (phrase.adjective == nullptr) return;
  require(!plural, "an adjective beside a plural");
  require(fits(*phrase.adjective, *phrase.noun), "the adjective does not fit its noun");
}

void check_subject(const Subject& subject, Auxiliary auxiliary) {
  if (const auto* phrase = std::get_if<NounPhrase>(&subject)) check_phrase(*phrase);
  require(auxiliary == Auxiliary::avoir || !features_of(subject).first_person,
          "the participle would need the gender of 'I' or 'we'");
}

void check_reason(const Reason& reason, const Noun& about, const Features& antecedent) {
  require(reason.adjective != nullptr, "a reason has no adjective");
  require(antecedent.number == Number::singular, "a reason about a plural");
  bool telling = false;
  for (const Adjective& candidate : telling_adjectives()) {
    telling = telling || candidate.english == reason.adjective->english;
  }
  require(telling, "the adjective leaves open what 'it' is");
  require(fits(*reason.adjective, about), "the adjective does not fit what the reason is about");
}

const NounPhrase& phrase_about(const ActionSentence& sentence) {
  if (sentence.reason->about == Reason::About::object) return sentence.object;
  const auto* phrase = std::get_if<NounPhrase>(&sentence.subject);
  require(phrase != nullptr, "a reason about a pronoun");
  return *phrase;
}

void check(const ActionSentence& sentence) {
  require(sentence.verb != nullptr, "the sentence has no verb");
  check_subject(sentence.subject, sentence.verb->auxiliary);
  check_phrase(sentence.object);
  require(takes_object(*sentence.verb, *sentence.object.noun), "the verb does not take the object");
  require(!(sentence.negative && sentence.object.determiner == Determiner::a),
          "'a' in the object of a negative sentence");
  if (!sentence.reason) return;
  require(!sentence.yesterday, "'yesterday' together with a reason");
  const NounPhrase& about = phrase_about(sentence);
  check_reason(*sentence.reason, *about.noun, features_of(about));
}

// ---------------------------------------------------------------------------------------------
// The reason.

std::string_view english_intensity(Intensity intensity) {
  constexpr std::array<std::string_view, 3> kNames = {"", "very", "too"};
  return kNames[static_cast<std::size_t>(intensity)];
}

std::string_view french_intensity(Intensity intensity) {
  constexpr std::array<std::string_view, 3> kNames = {"", "très", "trop"};
  return kNames[static_cast<std::size_t>(intensity)];
}

/// Adds "because it was too tired" and returns where "it" (or he, she) stands.
std::int64_t add_english(Words& words, const Reason& reason, const Noun& about) {
  add(words, "because");
  const bool person = about.kind == Kind::person;
  add(words, !person ? "it" : about.gender == Gender::feminine ? "she" : "he");
  const std::int64_t pronoun = size_of(words) - 1;
  add(words, "was");
  add(words, english_intensity(reason.intensity));
  add(words, reason.adjective->english);
  return pronoun;
}

/// Adds "parce qu'il était trop fatigué" and returns where "il" stands.
std::int64_t add_french(Words& words, const Reason& reason, const Features& antecedent) {
  add(words, "parce");
  add(words, "qu'");
  add(words, french_pronoun(antecedent));
  const std::int64_t pronoun = size_of(words) - 1;
  add(words, "était");
  add(words, french_intensity(reason.intensity));
  add(words, french_form(*reason.adjective, antecedent.gender, false));
  return pronoun;
}

const Noun* noun_of(const Subject& subject) {
  const auto* phrase = std::get_if<NounPhrase>(&subject);
  return phrase == nullptr ? nullptr : phrase->noun;
}

/// Names the animal and the place where a sentence joins them, in either order.
void note_animal_and_place(SentencePair& pair, const ActionSentence& sentence) {
  const Noun* subject = noun_of(sentence.subject);
  const Noun* object = sentence.object.noun;
  if (subject == nullptr) return;
  if (subject->kind == Kind::place) std::swap(subject, object);
  if (subject->kind != Kind::animal || object->kind != Kind::place) return;
  pair.animal = subject->english;
  pair.place = object->english;
}

/// Adds the reason, and a note on its pronoun where that is "it".
void add_reason(SentencePair& pair, const ActionSentence& sentence, std::int64_t subject_index,
                std::int64_t object_index) {
  const NounPhrase& about = phrase_about(sentence);
  const Features antecedent = features_of(about);
  const std::int64_t it_index = add_english(pair.source, *sentence.reason, *about.noun);
  const std::int64_t pronoun_index = add_french(pair.target, *sentence.reason, antecedent);
  if (about.noun->kind == Kind::person) return;
  const bool about_subject = sentence.reason->about == Reason::About::subject;
  pair.pronoun = PronounNote{
      .it_index = it_index,
      .noun_indices = {},
      .antecedent_index = about_subject ? subject_index : object_index,
      .pronoun = std::string(french_pronoun(antecedent)),
      .pronoun_index = pronoun_index,
  };
  if (noun_of(sentence.subject) != nullptr) pair.pronoun->noun_indices.push_back(subject_index);
  pair.pronoun->noun_indices.push_back(object_index);
}

void add_ending(SentencePair& pair, bool yesterday) {
  if (yesterday) {
    add(pair.source, "yesterday");
    add(pair.target, "hier");
  }
  add(pair.source, ".");
  add(pair.target, ".");
}

}  // namespace

SentencePair say(const ActionSentence& sentence) {
  check(sentence);
  const Verb& verb = *sentence.verb;
  SentencePair pair;

  const std::int64_t subject_index = add_english(pair.source, sentence.subject);
  if (sentence.negative) add(pair.source, "didn't");
  add(pair.source, sentence.negative ? verb.base : verb.past);
  const std::int64_t object_index = add_english(pair.source, sentence.object);

  const bool with_etre = verb.auxiliary == Auxiliary::etre;
  add_french_opening(pair.target, sentence.subject, verb.auxiliary, sentence.negative,
                     Reflexive::no);
  add(pair.target, with_etre ? participle_agreeing(verb.participle, features_of(sentence.subject))
                             : std::string(verb.participle));
  add(pair.target, verb.preposition);
  add_french(pair.target, sentence.object);

  if (sentence.reason) add_reason(pair, sentence, subject_index, object_index);
  add_ending(pair, sentence.yesterday);
  note_animal_and_place(pair, sentence);
  return pair;
}

SentencePair say(const StonedSentence& sentence) {
  check_subject(sentence.subject, Auxiliary::etre);
  constexpr std::array<std::string_view, 3> kEnglishDegree = {"", "really", "completely"};
  constexpr std::array<std::string_view, 3> kFrenchDegree = {"", "vraiment", "complètement"};
  const auto degree = static_cast<std::size_t>(sentence.degree);
  SentencePair pair;

  add_english(pair.source, sentence.subject);
  if (sentence.negative) add(pair.source, "didn't");
  add(pair.source, sentence.negative ? "get" : "got");
  add(pair.source, kEnglishDegree[degree]);
  add(pair.source, "stoned");

  add_french_opening(pair.target, sentence.subject, Auxiliary::etre, sentence.negative,
                     Reflexive::yes);
  add(pair.target, kFrenchDegree[degree]);
  add(pair.target, participle_agreeing("défoncé", features_of(sentence.subject)));

  add_ending(pair, sentence.yesterday);
  return pair;
}

}  // namespace tensorette::translation
