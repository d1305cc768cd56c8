#include "sentence_sampler.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace tensorette::translation {
namespace {

/// The longest source sentence, punctuation included.
constexpr std::size_t kMaxSourceTokens = 12;

template <class T>
const T& pick(const std::vector<T>& items, RandomStream& random) {
  return items[random.below(items.size())];
}

using NounList = std::vector<const Noun*>;

NounList nouns_where(const std::function<bool(const Noun&)>& accept) {
  NounList found;
  for (const Noun& noun : nouns()) {
    if (accept(noun)) found.push_back(&noun);
  }
  return found;
}

NounList nouns_of(Kind kinds) {
  return nouns_where([&](const Noun& noun) { return contains(kinds, noun.kind); });
}

NounList nouns_of(Kind kind, Gender gender) {
  return nouns_where([&](const Noun& noun) { return noun.kind == kind && noun.gender == gender; });
}

Gender other(Gender gender) {
  return gender == Gender::masculine ? Gender::feminine : Gender::masculine;
}

// ---------------------------------------------------------------------------------------------
// The (animal, place) combinations kept for the held-out part.

/// Gives each of the animals two of the places, and each place two animals: the i-th animal gets
/// the places i + a and i + b of a shuffled circle. `must` is kept where both lists hold it.
void hold_out(NounList animals, NounList places, const AnimalPlace& must, RandomStream& random,
              std::set<AnimalPlace>& held_out) {
  shuffle(std::span(animals), random);
  shuffle(std::span(places), random);
  const auto position = [](const NounList& list, std::string_view english) {
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const Noun* noun) { return noun->english == english; });
    return static_cast<std::size_t>(found - list.begin());
  };
  const std::size_t n = places.size();
  const std::size_t animal = position(animals, must.first);
  const std::size_t place = position(places, must.second);
  const bool listed = animal < animals.size() && place < n;
  const std::size_t first = listed ? (place + n - animal) % n : 0;
  const std::size_t second = first + 1 + random.below(n - 1);
  for (std::size_t i = 0; i < animals.size(); ++i) {
    held_out.emplace(animals[i]->english, places[(i + first) % n]->english);
    held_out.emplace(animals[i]->english, places[(i + second) % n]->english);
  }
}

}  // namespace

std::set<AnimalPlace> draw_held_out_combinations(RandomStream& random) {
  std::set<AnimalPlace> held_out;
  for (const Gender gender : {Gender::masculine, Gender::feminine}) {
    hold_out(nouns_of(Kind::animal, gender), nouns_of(Kind::place, other(gender)),
             {"animal", "street"}, random, held_out);
  }
  return held_out;
}

// ---------------------------------------------------------------------------------------------
// Drawing sentences, one family at a time.

SentenceSampler::Family SentenceSampler::any_family() {
  const std::size_t share = random_.below(100);
  // A draw of it_sentences gives two sentences.
  const std::size_t it_share = part_ == Part::test ? 45 : 36;
  const std::size_t both_nouns_share = part_ == Part::test ? 33 : 16;
  if (share < it_share) return &SentenceSampler::it_sentences;
  if (share < it_share + both_nouns_share) return &SentenceSampler::animal_and_place;
  const std::size_t rest = random_.below(36);
  if (rest < 7) return &SentenceSampler::person_with_reason;
  if (rest < 12) return &SentenceSampler::journey;
  if (rest < 25) return &SentenceSampler::encounter;
  if (rest < 32) return &SentenceSampler::stoning;
  return &SentenceSampler::got_stoned;
}

Draw SentenceSampler::draw() {
  const Family family = any_family();
  Draw drawn;
  while (drawn.empty()) drawn = (this->*family)();
  return drawn;
}

Draw SentenceSampler::finish(const ActionSentence& sentence) {
  SentencePair pair = say(sentence);
  if (pair.source.size() > kMaxSourceTokens) return {};
  return {std::move(pair)};
}

/// Two nouns of the wanted genders that this part of the corpus may join.
std::optional<std::pair<const Noun*, const Noun*>> SentenceSampler::animal_place_pair(
    Gender animal, Gender place) {
  const Noun* first = pick(nouns_of(Kind::animal, animal), random_);
  const Noun* second = pick(nouns_of(Kind::place, place), random_);
  const bool is_held_out = held_out_.contains({first->english, second->english});
  if (is_held_out != (part_ == Part::test)) return std::nullopt;
  return std::pair(first, second);
}

NounPhrase SentenceSampler::phrase(const Noun& noun, bool indefinite_allowed, Number number) {
  const std::size_t share = random_.below(100);
  NounPhrase result{.noun = &noun, .number = number};
  if (share < 45) {
    result.determiner = Determiner::the;
  } else if (share < 65) {
    result.determiner = Determiner::this_;
  } else if (share < 82 && noun.kind != Kind::place) {
    result.determiner = Determiner::my;
  } else if (indefinite_allowed && number == Number::singular) {
    result.determiner = Determiner::a;
  }
  return result;
}

/// An adjective to stand beside the noun. Beside a reason it is one that decides nothing.
const Adjective* SentenceSampler::side_adjective(const Noun& noun, bool telling_allowed) {
  std::vector<const Adjective*> fitting;
  for (const Adjective& adjective : plain_adjectives()) {
    if (fits(adjective, noun)) fitting.push_back(&adjective);
  }
  if (telling_allowed) {
    for (const Adjective& adjective : telling_adjectives()) {
      if (fits(adjective, noun)) fitting.push_back(&adjective);
    }
  }
  return pick(fitting, random_);
}

const Adjective* SentenceSampler::telling_adjective(const Noun& noun) {
  std::vector<const Adjective*> fitting;
  for (const Adjective& adjective : telling_adjectives()) {
    if (fits(adjective, noun)) fitting.push_back(&adjective);
  }
  return pick(fitting, random_);
}

const Verb* SentenceSampler::verb_for(const Noun& subject, const Noun& object, bool explained) {
  std::vector<const Verb*> fitting;
  for (const Verb& verb : verbs()) {
    const bool allowed = verb.explained || !explained;
    if (allowed && contains(verb.subjects, subject.kind) && takes_object(verb, object)) {
      fitting.push_back(&verb);
    }
  }
  return pick(fitting, random_);
}

Intensity SentenceSampler::any_intensity() {
  const std::size_t share = random_.below(100);
  return share < 70 ? Intensity::too : share < 90 ? Intensity::very : Intensity::none;
}

Subject SentenceSampler::pronoun_or_person(bool first_person_allowed) {
  if (random_.percent(40)) {
    constexpr Pronoun kPronouns[] = {Pronoun::they, Pronoun::he, Pronoun::she, Pronoun::i,
                                     Pronoun::we};
    return kPronouns[random_.below(first_person_allowed ? 5 : 3)];
  }
  return phrase(*pick(nouns_of(Kind::person), random_), true, any_number());
}

/// "The animal didn't cross the street because it was too tired." and "... too wide.": one action,
/// two reasons, so that nothing before "because" tells what "it" is. In one of four actions it is
/// the place that acts ("the street didn't impress the animal because it was too tired"), so
/// neither does the order of the nouns. These mostly differ in gender, so that neither noun alone
/// gives the pronoun away.
Draw SentenceSampler::it_sentences() {
  const Gender gender = random_.percent(50) ? Gender::masculine : Gender::feminine;
  const bool genders_differ = part_ == Part::test || random_.percent(90);
  const auto nouns = animal_place_pair(gender, genders_differ ? other(gender) : gender);
  if (!nouns) return {};
  const bool place_acts = random_.percent(25);
  const Noun& subject = place_acts ? *nouns->second : *nouns->first;
  const Noun& object = place_acts ? *nouns->first : *nouns->second;
  ActionSentence sentence;
  sentence.verb = verb_for(subject, object, true);
  sentence.negative = sentence.verb->auxiliary == Auxiliary::avoir && random_.percent(60);
  NounPhrase subject_phrase = phrase(subject, true);
  sentence.object = phrase(object, !sentence.negative);
  if (!sentence.negative && random_.percent(30)) {
    NounPhrase& described = random_.percent(50) ? subject_phrase : sentence.object;
    described.adjective = side_adjective(*described.noun, false);
  }
  sentence.subject = subject_phrase;
  Reason reason{.about = Reason::About::subject,
                .intensity = any_intensity(),
                .adjective = telling_adjective(subject)};
  sentence.reason = reason;
  Draw drawn = finish(sentence);
  reason.about = Reason::About::object;
  reason.adjective = telling_adjective(object);
  sentence.reason = reason;
  for (SentencePair& pair : finish(sentence)) drawn.push_back(std::move(pair));
  return drawn;
}

/// The same nouns without a reason: "These horses followed the old road yesterday."
Draw SentenceSampler::animal_and_place() {
  const Gender gender = random_.percent(50) ? Gender::masculine : Gender::feminine;
  const bool genders_differ = part_ == Part::test || random_.percent(50);
  const auto nouns = animal_place_pair(gender, genders_differ ? other(gender) : gender);
  if (!nouns) return {};
  const bool place_acts = random_.percent(15);
  const Noun& subject = place_acts ? *nouns->second : *nouns->first;
  const Noun& object = place_acts ? *nouns->first : *nouns->second;
  ActionSentence sentence;
  sentence.verb = verb_for(subject, object, false);
  sentence.negative = random_.percent(40);
  const Number number = place_acts ? Number::singular : any_number();
  NounPhrase subject_phrase = phrase(subject, true, number);
  sentence.object = phrase(object, !sentence.negative);
  if (random_.percent(60)) sentence.object.adjective = side_adjective(object, true);
  if (subject_phrase.number == Number::singular && random_.percent(40)) {
    subject_phrase.adjective = side_adjective(subject, true);
  }
  sentence.subject = subject_phrase;
  sentence.yesterday = random_.percent(25);
  return finish(sentence);
}

/// "The queen didn't leave this garden because she was too shy", or "... because it was too vast".
Draw SentenceSampler::person_with_reason() {
  const Noun& person = *pick(nouns_of(Kind::person), random_);
  const Noun& place = *pick(nouns_of(Kind::place), random_);
  const bool about_person = random_.percent(80);
  ActionSentence sentence;
  sentence.subject = phrase(person, true);
  sentence.verb = verb_for(person, place, true);
  sentence.negative = sentence.verb->auxiliary == Auxiliary::avoir && random_.percent(60);
  sentence.object = phrase(place, !sentence.negative);
  sentence.reason = Reason{
      .about = about_person ? Reason::About::subject : Reason::About::object,
      .intensity = any_intensity(),
      .adjective = telling_adjective(about_person ? person : place),
  };
  return finish(sentence);
}

/// "We crossed the long bridge yesterday."
Draw SentenceSampler::journey() {
  const Noun& place = *pick(nouns_of(Kind::place), random_);
  ActionSentence sentence;
  sentence.verb = verb_for(noun("man"), place, false);
  if (contains(sentence.verb->objects, Kind::thing)) return {};
  sentence.subject = pronoun_or_person(sentence.verb->auxiliary == Auxiliary::avoir);
  sentence.negative = random_.percent(35);
  sentence.object = phrase(place, !sentence.negative);
  if (random_.percent(60)) sentence.object.adjective = side_adjective(place, true);
  sentence.yesterday = random_.percent(25);
  return finish(sentence);
}

/// "I bought the red car.", "My dog followed an old man."
Draw SentenceSampler::encounter() {
  const Kind kind = random_.percent(50) ? Kind::thing : Kind::animal | Kind::person;
  const Noun& object = *pick(nouns_of(kind), random_);
  const bool animal_acts = random_.percent(20);
  const Noun& animal = *pick(nouns_of(Kind::animal), random_);
  if (animal_acts && &animal == &object) return {};
  ActionSentence sentence;
  sentence.verb = verb_for(animal_acts ? animal : noun("man"), object, false);
  if (sentence.verb->base == "stone") return {};
  sentence.subject =
      animal_acts ? Subject(phrase(animal, true, any_number())) : pronoun_or_person(true);
  sentence.negative = random_.percent(35);
  sentence.object = phrase(object, !sentence.negative, any_number());
  if (sentence.object.number == Number::singular && random_.percent(65)) {
    sentence.object.adjective = side_adjective(object, true);
  }
  sentence.yesterday = random_.percent(25);
  return finish(sentence);
}

/// "They stoned the witch."
Draw SentenceSampler::stoning() {
  ActionSentence sentence;
  sentence.subject = pronoun_or_person(true);
  sentence.verb = &verb("stone");
  sentence.negative = random_.percent(35);
  sentence.object =
      phrase(*pick(nouns_of(Kind::person), random_), !sentence.negative, any_number());
  sentence.yesterday = random_.percent(25);
  return finish(sentence);
}

/// "This guy got completely stoned."
Draw SentenceSampler::got_stoned() {
  constexpr Degree kDegrees[] = {Degree::completely, Degree::completely, Degree::really,
                                 Degree::none};
  return {say(StonedSentence{
      .subject = pronoun_or_person(false),
      .negative = random_.percent(35),
      .degree = kDegrees[random_.below(std::size(kDegrees))],
      .yesterday = random_.percent(25),
  })};
}

}  // namespace tensorette::translation
