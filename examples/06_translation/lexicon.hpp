/// \file
/// The words of the built-in English-French corpus, with what the grammar must know about them.
/// Next: grammar.hpp puts them into sentences, grammar_corpus.hpp draws the sentences.
#pragma once

#include <span>
#include <string_view>

namespace tensorette::translation {

enum class Gender { masculine, feminine };
enum class Number { singular, plural };

/// What a noun stands for. Kinds form sets by `|`, e.g. what a verb accepts as its object.
enum class Kind : unsigned { none = 0, animal = 1, person = 2, place = 4, thing = 8 };

constexpr Kind operator|(Kind a, Kind b) {
  return static_cast<Kind>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
/// Whether the set `kinds` holds `kind`.
constexpr bool contains(Kind kinds, Kind kind) {
  return (static_cast<unsigned>(kinds) & static_cast<unsigned>(kind)) != 0;
}

struct Noun {
  std::string_view english;
  std::string_view english_plural;
  std::string_view french;
  std::string_view french_plural;
  Gender gender;
  Kind kind;
  bool aspirated_h = false;  ///< le hérisson, but l'homme
};

struct Adjective {
  std::string_view english;
  std::string_view masculine;
  std::string_view feminine;
  /// The masculine before a vowel where it differs: un vieil homme.
  std::string_view masculine_before_vowel;
  bool before_noun;  ///< une belle rue, but une rue large
  Kind kinds;        ///< what it describes
  /// Where not every place fits: the English nouns that do, separated by spaces.
  std::string_view only_places;
};

enum class Auxiliary { avoir, etre };

struct Verb {
  std::string_view base;        ///< cross
  std::string_view past;        ///< crossed
  std::string_view participle;  ///< traversé (masculine singular)
  Kind subjects;
  Kind objects;
  /// Whether "... because it was too wide" can explain the act.
  bool explained = false;
  Auxiliary auxiliary = Auxiliary::avoir;
  std::string_view preposition = {};  ///< entrer *dans* la rue
  std::string_view only_places = {};  ///< as in Adjective
};

/// Every noun of the corpus; animals and places have as many masculine as feminine ones.
std::span<const Noun> nouns();

/// Adjectives that settle what "it" is: each describes either animals and persons, or places, never
/// both. Only these stand in "because it was too ...".
std::span<const Adjective> telling_adjectives();

/// Adjectives that describe many kinds (big, old, red); they stand beside nouns only.
std::span<const Adjective> plain_adjectives();

std::span<const Verb> verbs();

/// The noun with this English singular. Throws Error if the lexicon has none.
const Noun& noun(std::string_view english);
/// The adjective with this English form. Throws Error if the lexicon has none.
const Adjective& adjective(std::string_view english);
/// The verb with this English base form. Throws Error if the lexicon has none.
const Verb& verb(std::string_view base);

/// Whether `adjective` can be said of `noun`.
bool fits(const Adjective& adjective, const Noun& noun);
/// Whether `noun` can be the object of `verb`.
bool takes_object(const Verb& verb, const Noun& noun);

}  // namespace tensorette::translation
