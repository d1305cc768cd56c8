/// \file
/// From meaning to words: one small sentence structure, said in English and in French.
/// Before: lexicon.hpp.  Next: grammar_corpus.hpp.
///
/// The same meaning gives exactly one English and one French sentence, so a translation is either
/// right or wrong. What makes it more than looking up words:
/// - "it" becomes "il" or "elle" by the gender of the noun it stands for, and which noun that is
///   follows from the adjective alone (too tired: the animal; too wide: the street);
/// - articles elide or change before a vowel (l'animal, cet étang, mon oie; but le hérisson);
/// - adjectives agree, and most move behind the noun (la voiture rouge, un vieil homme);
/// - negation wraps the verb (n'a pas traversé, ne s'est pas défoncé);
/// - participles agree after "être" (la vache est entrée, ils se sont défoncés).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lexicon.hpp"

namespace tensorette::translation {

/// Pronouns a sentence can begin with. English "they" is always French "ils".
enum class Pronoun { i, we, he, she, they };

enum class Determiner { the, a, this_, my };

struct NounPhrase {
  Determiner determiner = Determiner::the;
  const Adjective* adjective = nullptr;  ///< none where null
  const Noun* noun = nullptr;            ///< must be set
  Number number = Number::singular;
};

using Subject = std::variant<Pronoun, NounPhrase>;

enum class Intensity { none, very, too };

/// "... because it was too tired": said of the subject or of the object of the main clause.
struct Reason {
  enum class About { subject, object };
  About about = About::subject;
  Intensity intensity = Intensity::too;
  const Adjective* adjective = nullptr;  ///< must be set
};

/// "The animal didn't cross the street because it was too tired."
struct ActionSentence {
  Subject subject;
  const Verb* verb = nullptr;  ///< must be set
  bool negative = false;
  NounPhrase object = {};
  std::optional<Reason> reason = {};
  bool yesterday = false;  ///< only without a reason
};

enum class Degree { none, really, completely };

/// "This guy got completely stoned.": the other meaning of "stoned".
struct StonedSentence {
  Subject subject;
  bool negative = false;
  Degree degree = Degree::completely;
  bool yesterday = false;
};

/// How "it" is to be understood and translated in one sentence pair. All indices count tokens from
/// 0, in the sentence as SentencePair holds it (no start token).
struct PronounNote {
  std::int64_t it_index = 0;  ///< "it" in the source
  std::vector<std::int64_t>
      noun_indices;                   ///< the nouns it could stand for, in the source, in order
  std::int64_t antecedent_index = 0;  ///< the one it does stand for
  std::string pronoun;                ///< "il" or "elle"
  std::int64_t pronoun_index = 0;     ///< where that stands in the target
};

/// One sentence in both languages, as lower-case tokens (those of tokenize() in tokenizer.hpp).
struct SentencePair {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::optional<PronounNote> pronoun;  ///< set where the source contains "it"
  /// The English singulars where the sentence joins an animal and a place, else empty.
  std::string_view animal;
  std::string_view place;
};

/// Says an action in both languages.
///
/// Throws Error where the meaning has no (single) translation: a part that must be set is null, a
/// reason with a plural or first-person antecedent or together with "yesterday", "a" with a plural,
/// "a" in the object of a negative sentence (French would say "pas de"), "I" or "we" as the subject
/// of a verb with "être" (the participle would need the speaker's gender), an adjective that does
/// not fit its noun or is no telling one.
SentencePair say(const ActionSentence& sentence);

/// Says the other one. Throws Error for "I" and "we", as above.
SentencePair say(const StonedSentence& sentence);

}  // namespace tensorette::translation
