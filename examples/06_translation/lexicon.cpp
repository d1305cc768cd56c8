#include "lexicon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tensorette/tensor/error.hpp>

namespace tensorette::translation {
namespace {

constexpr Gender m = Gender::masculine;
constexpr Gender f = Gender::feminine;

constexpr Noun kNouns[] = {
    {"animal", "animals", "animal", "animaux", m, Kind::animal},
    {"dog", "dogs", "chien", "chiens", m, Kind::animal},
    {"cat", "cats", "chat", "chats", m, Kind::animal},
    {"horse", "horses", "cheval", "chevaux", m, Kind::animal},
    {"squirrel", "squirrels", "écureuil", "écureuils", m, Kind::animal},
    {"hedgehog", "hedgehogs", "hérisson", "hérissons", m, Kind::animal, true},
    {"cow", "cows", "vache", "vaches", f, Kind::animal},
    {"goat", "goats", "chèvre", "chèvres", f, Kind::animal},
    {"mouse", "mice", "souris", "souris", f, Kind::animal},
    {"turtle", "turtles", "tortue", "tortues", f, Kind::animal},
    {"goose", "geese", "oie", "oies", f, Kind::animal},
    {"spider", "spiders", "araignée", "araignées", f, Kind::animal},

    {"bridge", "bridges", "pont", "ponts", m, Kind::place},
    {"field", "fields", "champ", "champs", m, Kind::place},
    {"garden", "gardens", "jardin", "jardins", m, Kind::place},
    {"tunnel", "tunnels", "tunnel", "tunnels", m, Kind::place},
    {"path", "paths", "chemin", "chemins", m, Kind::place},
    {"pond", "ponds", "étang", "étangs", m, Kind::place},
    {"street", "streets", "rue", "rues", f, Kind::place},
    {"road", "roads", "route", "routes", f, Kind::place},
    {"river", "rivers", "rivière", "rivières", f, Kind::place},
    {"forest", "forests", "forêt", "forêts", f, Kind::place},
    {"valley", "valleys", "vallée", "vallées", f, Kind::place},
    {"avenue", "avenues", "avenue", "avenues", f, Kind::place},

    {"guy", "guys", "type", "types", m, Kind::person},
    {"man", "men", "homme", "hommes", m, Kind::person},
    {"boy", "boys", "garçon", "garçons", m, Kind::person},
    {"king", "kings", "roi", "rois", m, Kind::person},
    {"witch", "witches", "sorcière", "sorcières", f, Kind::person},
    {"woman", "women", "femme", "femmes", f, Kind::person},
    {"girl", "girls", "fille", "filles", f, Kind::person},
    {"queen", "queens", "reine", "reines", f, Kind::person},

    {"bike", "bikes", "vélo", "vélos", m, Kind::thing},
    {"hat", "hats", "chapeau", "chapeaux", m, Kind::thing},
    {"car", "cars", "voiture", "voitures", f, Kind::thing},
    {"house", "houses", "maison", "maisons", f, Kind::thing},
};

constexpr Kind kLiving = Kind::animal | Kind::person;
constexpr Kind kAll = kLiving | Kind::place | Kind::thing;

constexpr Adjective kTelling[] = {
    {"tired", "fatigué", "fatiguée", "", false, kLiving, ""},
    {"hungry", "affamé", "affamée", "", false, kLiving, ""},
    {"thirsty", "assoiffé", "assoiffée", "", false, kLiving, ""},
    {"scared", "effrayé", "effrayée", "", false, kLiving, ""},
    {"ill", "malade", "malade", "", false, kLiving, ""},
    {"shy", "timide", "timide", "", false, kLiving, ""},
    {"lazy", "paresseux", "paresseuse", "", false, kLiving, ""},
    {"nervous", "nerveux", "nerveuse", "", false, kLiving, ""},

    {"wide", "large", "large", "", false, Kind::place,
     "bridge field garden tunnel path pond street road river valley avenue"},
    {"long", "long", "longue", "", true, Kind::place,
     "bridge field garden tunnel path pond street road river valley avenue"},
    {"narrow", "étroit", "étroite", "", false, Kind::place,
     "bridge field garden tunnel path street road river valley avenue"},
    {"steep", "escarpé", "escarpée", "", false, Kind::place,
     "garden path street road valley avenue"},
    {"deep", "profond", "profonde", "", false, Kind::place, "tunnel pond river forest valley"},
    {"vast", "vaste", "vaste", "", true, Kind::place, "field garden pond forest valley"},
    {"crowded", "bondé", "bondée", "", false, Kind::place,
     "bridge garden tunnel path street road avenue"},
    {"flooded", "inondé", "inondée", "", false, Kind::place,
     "bridge field garden tunnel path street road forest valley avenue"},
};

constexpr Adjective kPlain[] = {
    {"big", "grand", "grande", "", true, Kind::animal | Kind::place | Kind::thing, ""},
    {"small", "petit", "petite", "", true, Kind::animal | Kind::place | Kind::thing, ""},
    {"beautiful", "beau", "belle", "bel", true, kAll, ""},
    {"old", "vieux", "vieille", "vieil", true, kAll,
     "bridge garden tunnel path pond street road forest avenue"},
    {"young", "jeune", "jeune", "", true, kLiving, ""},
    {"black", "noir", "noire", "", false, Kind::animal | Kind::thing, ""},
    {"white", "blanc", "blanche", "", false, Kind::animal | Kind::thing, ""},
    {"red", "rouge", "rouge", "", false, Kind::thing, ""},
    {"green", "vert", "verte", "", false, Kind::thing, ""},
};

constexpr Kind kOwned = Kind::animal | Kind::thing;

constexpr Verb kVerbs[] = {
    {"cross", "crossed", "traversé", kLiving, Kind::place, true},
    {"reach", "reached", "atteint", kLiving, Kind::place, true},
    {"explore", "explored", "exploré", kLiving, Kind::place, true},
    {"leave", "left", "quitté", kLiving, Kind::place, true},
    {"like", "liked", "aimé", kLiving, Kind::place | Kind::thing, true},
    {"avoid", "avoided", "évité", kLiving, kLiving | Kind::place, true},
    {"follow", "followed", "suivi", kLiving, kLiving | Kind::place, true, Auxiliary::avoir, "",
     "path street road river avenue"},
    {"enter", "entered", "entré", kLiving, Kind::place, true, Auxiliary::etre, "dans",
     "field garden tunnel pond street river forest valley"},
    {"see", "saw", "vu", kLiving, kAll},
    {"find", "found", "trouvé", kLiving, kAll},
    {"buy", "bought", "acheté", Kind::person, kOwned},
    {"sell", "sold", "vendu", Kind::person, kOwned},
    {"stone", "stoned", "lapidé", Kind::person, Kind::person},
    {"surprise", "surprised", "surpris", Kind::place, kLiving, true},
    {"worry", "worried", "inquiété", Kind::place, kLiving, true},
    {"impress", "impressed", "impressionné", Kind::place, kLiving, true},
};

/// Whether `word` is one of the words of `list`; an empty list holds every word.
bool lists(std::string_view list, std::string_view word) {
  if (list.empty()) return true;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(' ', begin), list.size());
    if (list.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

template <class Word, class Name>
const Word* find(std::span<const Word> words, std::string_view name, Name Word::*member) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const Word& word) { return word.*member == name; });
  return found == words.end() ? nullptr : &*found;
}

[[noreturn]] void throw_unknown(std::string_view part_of_speech, std::string_view name) {
  throw Error(fmt::format("lexicon: no {} '{}'", part_of_speech, name));
}

}  // namespace

std::span<const Noun> nouns() {
  return kNouns;
}
std::span<const Adjective> telling_adjectives() {
  return kTelling;
}
std::span<const Adjective> plain_adjectives() {
  return kPlain;
}
std::span<const Verb> verbs() {
  return kVerbs;
}

const Noun& noun(std::string_view english) {
  const Noun* found = find(nouns(), english, &Noun::english);
  if (found == nullptr) throw_unknown("noun", english);
  return *found;
}

const Adjective& adjective(std::string_view english) {
  const Adjective* found = find(telling_adjectives(), english, &Adjective::english);
  if (found == nullptr) found = find(plain_adjectives(), english, &Adjective::english);
  if (found == nullptr) throw_unknown("adjective", english);
  return *found;
}

const Verb& verb(std::string_view base) {
  const Verb* found = find(verbs(), base, &Verb::base);
  if (found == nullptr) throw_unknown("verb", base);
  return *found;
}

bool fits(const Adjective& adjective, const Noun& noun) {
  if (!contains(adjective.kinds, noun.kind)) return false;
  return noun.kind != Kind::place || lists(adjective.only_places, noun.english);
}

bool takes_object(const Verb& verb, const Noun& noun) {
  if (!contains(verb.objects, noun.kind)) return false;
  return noun.kind != Kind::place || lists(verb.only_places, noun.english);
}

}  // namespace tensorette::translation
