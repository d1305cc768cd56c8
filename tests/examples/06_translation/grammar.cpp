#include "06_translation/grammar.hpp"

#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "joined.hpp"

using namespace tensorette::translation;
using tensorette::translation::testing::joined;

namespace {

NounPhrase phrase(Determiner determiner, std::string_view name,
                  std::string_view adjective_name = "", Number number = Number::singular) {
  return {.determiner = determiner,
          .adjective = adjective_name.empty() ? nullptr : &adjective(adjective_name),
          .noun = &noun(name),
          .number = number};
}

NounPhrase the(std::string_view name, std::string_view adjective_name = "") {
  return phrase(Determiner::the, name, adjective_name);
}

NounPhrase plural(Determiner determiner, std::string_view name) {
  return phrase(determiner, name, "", Number::plural);
}

ActionSentence action(Subject subject, std::string_view base, NounPhrase object) {
  return {.subject = subject, .verb = &verb(base), .object = object};
}

ActionSentence negative(Subject subject, std::string_view base, NounPhrase object) {
  ActionSentence sentence = action(subject, base, object);
  sentence.negative = true;
  return sentence;
}

ActionSentence because(ActionSentence sentence, Reason::About about, std::string_view name,
                       Intensity intensity = Intensity::too) {
  sentence.reason = Reason{.about = about, .intensity = intensity, .adjective = &adjective(name)};
  return sentence;
}

template <class Sentence>
void check_said(const Sentence& sentence, const std::string& english, const std::string& french) {
  const SentencePair pair = say(sentence);
  CHECK(joined(pair.source) == english);
  CHECK(joined(pair.target) == french);
}

constexpr auto subject = Reason::About::subject;
constexpr auto object = Reason::About::object;

}  // namespace

// The French of this file was written by hand.

TEST_CASE("'it' takes the gender of the noun that the adjective points to") {
  const ActionSentence base = negative(the("animal"), "cross", the("street"));
  check_said(because(base, subject, "tired"),
             "the animal didn't cross the street because it was too tired .",
             "l' animal n' a pas traversé la rue parce qu' il était trop fatigué .");
  check_said(because(base, object, "wide"),
             "the animal didn't cross the street because it was too wide .",
             "l' animal n' a pas traversé la rue parce qu' elle était trop large .");
  const ActionSentence other = negative(the("cow"), "cross", the("bridge"));
  check_said(because(other, subject, "lazy", Intensity::very),
             "the cow didn't cross the bridge because it was very lazy .",
             "la vache n' a pas traversé le pont parce qu' elle était très paresseuse .");
  check_said(because(other, object, "narrow", Intensity::none),
             "the cow didn't cross the bridge because it was narrow .",
             "la vache n' a pas traversé le pont parce qu' il était étroit .");
  // The other way round: the animal is the second noun.
  check_said(because(action(the("forest"), "worry", the("dog")), object, "nervous"),
             "the forest worried the dog because it was too nervous .",
             "la forêt a inquiété le chien parce qu' il était trop nerveux .");
  check_said(because(action(the("valley"), "impress", the("cat")), subject, "deep"),
             "the valley impressed the cat because it was too deep .",
             "la vallée a impressionné le chat parce qu' elle était trop profonde .");
}

TEST_CASE("a person is 'he' or 'she', never 'it'") {
  const ActionSentence base = negative(the("witch"), "leave", the("garden"));
  check_said(because(base, subject, "shy"),
             "the witch didn't leave the garden because she was too shy .",
             "la sorcière n' a pas quitté le jardin parce qu' elle était trop timide .");
  check_said(because(base, object, "vast"),
             "the witch didn't leave the garden because it was too vast .",
             "la sorcière n' a pas quitté le jardin parce qu' il était trop vaste .");
  CHECK_FALSE(say(because(base, subject, "shy")).pronoun.has_value());
  check_said(because(action(the("king"), "avoid", the("road")), subject, "ill"),
             "the king avoided the road because he was too ill .",
             "le roi a évité la route parce qu' il était trop malade .");
}

TEST_CASE("determiners elide and change before a vowel, but not before an aspirated h") {
  check_said(action(the("squirrel"), "see", the("hedgehog")), "the squirrel saw the hedgehog .",
             "l' écureuil a vu le hérisson .");
  check_said(action(the("man"), "see", the("pond")), "the man saw the pond .",
             "l' homme a vu l' étang .");
  check_said(
      action(phrase(Determiner::this_, "animal"), "cross", phrase(Determiner::this_, "avenue")),
      "this animal crossed this avenue .", "cet animal a traversé cette avenue .");
  check_said(
      action(phrase(Determiner::this_, "hedgehog"), "cross", phrase(Determiner::this_, "path")),
      "this hedgehog crossed this path .", "ce hérisson a traversé ce chemin .");
  check_said(action(phrase(Determiner::my, "goose"), "follow", phrase(Determiner::my, "cow")),
             "my goose followed my cow .", "mon oie a suivi ma vache .");
  check_said(action(phrase(Determiner::a, "spider"), "avoid", phrase(Determiner::a, "horse")),
             "a spider avoided a horse .", "une araignée a évité un cheval .");
  check_said(action(phrase(Determiner::a, "animal"), "explore", phrase(Determiner::a, "avenue")),
             "an animal explored an avenue .", "un animal a exploré une avenue .");
}

TEST_CASE("what elides is decided by the word that follows") {
  check_said(action(the("animal", "small"), "reach", the("pond", "big")),
             "the small animal reached the big pond .",
             "le petit animal a atteint le grand étang .");
  check_said(action(phrase(Determiner::my, "goose", "old"), "reach",
                    phrase(Determiner::this_, "avenue", "long")),
             "my old goose reached this long avenue .",
             "ma vieille oie a atteint cette longue avenue .");
  check_said(
      action(phrase(Determiner::a, "cat", "old"), "see", phrase(Determiner::a, "boy", "ill")),
      "an old cat saw an ill boy .", "un vieux chat a vu un garçon malade .");
}

TEST_CASE("adjectives agree and stand where French puts them") {
  check_said(action(Pronoun::i, "buy", the("car", "red")), "i bought the red car .",
             "j' ai acheté la voiture rouge .");
  check_said(action(Pronoun::we, "sell", the("house", "white")), "we sold the white house .",
             "nous avons vendu la maison blanche .");
  check_said(action(Pronoun::she, "find", the("hat", "green")), "she found the green hat .",
             "elle a trouvé le chapeau vert .");
  check_said(action(Pronoun::he, "see", phrase(Determiner::this_, "man", "old")),
             "he saw this old man .", "il a vu ce vieil homme .");
  check_said(action(Pronoun::they, "see", the("squirrel", "beautiful")),
             "they saw the beautiful squirrel .", "ils ont vu le bel écureuil .");
  check_said(action(Pronoun::they, "see", the("hedgehog", "old")), "they saw the old hedgehog .",
             "ils ont vu le vieux hérisson .");
  check_said(action(Pronoun::they, "see", the("queen", "beautiful")),
             "they saw the beautiful queen .", "ils ont vu la belle reine .");
  check_said(action(the("goat", "black"), "cross", the("road", "flooded")),
             "the black goat crossed the flooded road .",
             "la chèvre noire a traversé la route inondée .");
}

TEST_CASE("negation wraps the verb") {
  check_said(negative(Pronoun::i, "see", the("mouse")), "i didn't see the mouse .",
             "je n' ai pas vu la souris .");
  check_said(negative(Pronoun::we, "buy", the("bike")), "we didn't buy the bike .",
             "nous n' avons pas acheté le vélo .");
  check_said(negative(plural(Determiner::this_, "dog"), "like", the("river")),
             "these dogs didn't like the river .", "ces chiens n' ont pas aimé la rivière .");
}

TEST_CASE("participles agree with the subject after 'être' only") {
  check_said(action(the("cow"), "enter", the("tunnel")), "the cow entered the tunnel .",
             "la vache est entrée dans le tunnel .");
  check_said(action(plural(Determiner::the, "goose"), "enter", the("forest")),
             "the geese entered the forest .", "les oies sont entrées dans la forêt .");
  check_said(negative(Pronoun::they, "enter", the("pond")), "they didn't enter the pond .",
             "ils ne sont pas entrés dans l' étang .");
  check_said(negative(the("horse"), "enter", the("field")), "the horse didn't enter the field .",
             "le cheval n' est pas entré dans le champ .");
  check_said(action(plural(Determiner::my, "horse"), "cross", the("street")),
             "my horses crossed the street .", "mes chevaux ont traversé la rue .");
}

TEST_CASE("'stoned' has two meanings") {
  check_said(action(Pronoun::they, "stone", the("witch")), "they stoned the witch .",
             "ils ont lapidé la sorcière .");
  check_said(negative(plural(Determiner::the, "man"), "stone", the("queen")),
             "the men didn't stone the queen .", "les hommes n' ont pas lapidé la reine .");
  const NounPhrase guy = phrase(Determiner::this_, "guy");
  check_said(StonedSentence{.subject = guy}, "this guy got completely stoned .",
             "ce type s' est complètement défoncé .");
  check_said(StonedSentence{.subject = guy, .negative = true, .degree = Degree::none},
             "this guy didn't get stoned .", "ce type ne s' est pas défoncé .");
  check_said(StonedSentence{.subject = plural(Determiner::the, "girl"), .negative = true},
             "the girls didn't get completely stoned .",
             "les filles ne se sont pas complètement défoncées .");
  check_said(StonedSentence{.subject = Pronoun::they, .degree = Degree::really, .yesterday = true},
             "they got really stoned yesterday .", "ils se sont vraiment défoncés hier .");
  check_said(StonedSentence{.subject = Pronoun::she}, "she got completely stoned .",
             "elle s' est complètement défoncée .");
}

TEST_CASE("the note on 'it' points at the right tokens") {
  const SentencePair pair =
      say(because(negative(the("animal", "old"), "cross", the("street")), object, "wide"));
  REQUIRE(pair.pronoun.has_value());
  CHECK(pair.pronoun->it_index == 8);
  CHECK(pair.pronoun->noun_indices == std::vector<std::int64_t>{2, 6});
  CHECK(pair.pronoun->antecedent_index == 6);
  CHECK(pair.pronoun->pronoun == "elle");
  CHECK(pair.pronoun->pronoun_index == 11);
  CHECK(pair.target[11] == "elle");
  CHECK(pair.animal == "animal");
  CHECK(pair.place == "street");
  // A pronoun as the subject is no noun that "it" could stand for.
  const SentencePair he = say(because(action(Pronoun::he, "avoid", the("road")), object, "long"));
  CHECK(he.pronoun->noun_indices == std::vector<std::int64_t>{3});
  CHECK(he.animal.empty());
  CHECK(he.place.empty());
}

TEST_CASE("meanings without one good translation are refused") {
  using Catch::Matchers::ContainsSubstring;
  using tensorette::Error;
  const auto refused = [](const auto& sentence, const std::string& why) {
    CHECK_THROWS_AS(say(sentence), Error);
    CHECK_THROWS_WITH(say(sentence), ContainsSubstring(why));
  };
  refused(ActionSentence{.subject = Pronoun::i}, "no verb");
  refused(action(the("dog"), "cross", NounPhrase{}), "no noun");
  refused(action(the("dog"), "cross", the("car")), "does not take the object");
  refused(action(the("dog"), "follow", the("forest")), "does not take the object");
  refused(negative(the("dog"), "cross", phrase(Determiner::a, "road")), "negative sentence");
  refused(action(plural(Determiner::a, "dog"), "cross", the("road")), "plural");
  refused(action(Pronoun::we, "enter", the("garden")), "gender");
  refused(StonedSentence{.subject = Pronoun::i}, "gender");
  refused(action(the("dog"), "cross", the("road", "tired")), "does not fit its noun");
  const ActionSentence base = action(the("dog"), "cross", the("road"));
  refused(because(base, subject, "big"), "leaves open");
  refused(because(base, subject, "wide"), "does not fit what");
  refused(because(action(Pronoun::he, "cross", the("road")), subject, "tired"), "about a pronoun");
  refused(because(action(plural(Determiner::the, "dog"), "cross", the("road")), subject, "tired"),
          "plural");
  ActionSentence dated = because(base, subject, "tired");
  dated.yesterday = true;
  refused(dated, "yesterday");
  CHECK_THROWS_WITH(noun("unicorn"), "lexicon: no noun 'unicorn'");
  CHECK_THROWS_WITH(verb("teach"), "lexicon: no verb 'teach'");
  CHECK_THROWS_WITH(adjective("odd"), "lexicon: no adjective 'odd'");
}

TEST_CASE("telling adjectives fit either the living or places") {
  for (const Adjective& adjective : telling_adjectives()) {
    CAPTURE(adjective.english);
    const bool living = contains(adjective.kinds, Kind::animal | Kind::person);
    CHECK(living != contains(adjective.kinds, Kind::place));
  }
  // Every place has several, or its adjective would be foreseeable.
  for (const Noun& noun : nouns()) {
    CAPTURE(noun.english);
    int fitting = 0;
    for (const Adjective& adjective : telling_adjectives()) fitting += fits(adjective, noun);
    CHECK((noun.kind == Kind::thing ? fitting == 0 : fitting >= 3));
  }
}
