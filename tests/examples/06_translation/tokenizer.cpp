#include "06_translation/tokenizer.hpp"

#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "06_translation/utf8.hpp"
#include "joined.hpp"

using namespace tensorette::translation;
using tensorette::translation::testing::joined;
using Words = std::vector<std::string>;

namespace {

Words english(const std::string& text) {
  return tokenize(text, {.language = Language::english});
}
Words french(const std::string& text) {
  return tokenize(text, {.language = Language::french});
}
Words generic(const std::string& text) {
  return tokenize(text);
}

}  // namespace

TEST_CASE("the sentence about the animal has twelve tokens") {
  CHECK(english("The animal didn't cross the street because it was too tired.") ==
        Words{"the", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "too",
              "tired", "."});
  CHECK(english("The animal didn’t cross.") == Words{"the", "animal", "didn't", "cross", "."});
  CHECK(french("L’animal n'a pas traversé la rue parce qu'il s'est arrêté .") ==
        Words{"l'", "animal", "n'", "a", "pas", "traversé", "la", "rue", "parce", "qu'", "il", "s'",
              "est", "arrêté", "."});
}

TEST_CASE("apostrophes follow the language") {
  CHECK(english("It's Tom's, I'm sure they'll come at 5 o'clock") ==
        Words{"it", "'s", "tom", "'s", ",", "i", "'m", "sure", "they", "'ll", "come", "at", "5",
              "o'clock"});
  CHECK(english("the dogs' 'bones'") == Words{"the", "dogs", "'", "'", "bones", "'"});
  CHECK(french("Aujourd'hui, jusqu'à l'«été» d'aujourd'hui") ==
        Words{"aujourd'hui", ",", "jusqu'", "à", "l'", "«", "été", "»", "d'", "aujourd'hui"});
  CHECK(french("Qu'est-ce qu'il n'y a ?") ==
        Words{"qu'", "est", "-ce", "qu'", "il", "n'", "y", "a", "?"});
  CHECK(generic("geht's l'animal") == Words{"geht's", "l'animal"});
}

TEST_CASE("the pronouns of French questions keep their hyphens") {
  CHECK(french("Y a-t-il quelqu'un ? Dis-moi, parle-t-elle du week-end là-bas ?") ==
        Words{"y", "a", "-t-il", "quelqu'", "un", "?", "dis", "-moi", ",", "parle", "-t-elle", "du",
              "week-end", "là-bas", "?"});
}

TEST_CASE("punctuation is split off, but not inside numbers and abbreviations") {
  CHECK(generic("Wait... (3.14, 1,000 at 10:30)!") ==
        Words{"wait", "...", "(", "3.14", ",", "1,000", "at", "10:30", ")", "!"});
  CHECK(generic("at 5 a.m. U.S.A. end.Next") ==
        Words{"at", "5", "a.m", ".", "u.s.a", ".", "end", ".", "next"});
  CHECK(generic("well-known -- a-b \"x\" 50% $5 «y»") ==
        Words{"well-known", "--", "a-b", "\"", "x", "\"", "50", "%", "$", "5", "«", "y", "»"});
  CHECK(generic("hi😀😀! <pad>") == Words{"hi", "😀😀", "!", "<", "pad", ">"});
  CHECK(generic("").empty());
  CHECK(generic(" \t\r\n\u00a0\u2028\u202f ").empty());
  CHECK(generic("a\u2028b\rc\u00a0d") == Words{"a", "b", "c", "d"});
}

TEST_CASE("capitals of Latin letters become small ones") {
  CHECK(generic("ÉCOLE Œuvre ÇA Ÿ ŁÓDŹ ȘI ẾẠ ÀÞ × ẞ") ==
        Words{"école", "œuvre", "ça", "ÿ", "łódź", "și", "ếạ", "àþ", "×", "ß"});
  CHECK(tokenize("École", {.lower_case = false}) == Words{"École"});
  CHECK(tokenize("L'École N'A", {.language = Language::french, .lower_case = false}) ==
        Words{"L'", "École", "N'", "A"});
  for (char32_t point = 0; point < 0x2000; ++point) {
    const char32_t small = to_lower(point);
    CHECK(to_lower(small) == small);
    if (small != point && point != 0x130 && point != 0x1E9E) CHECK(to_upper(small) == point);
  }
}

TEST_CASE("tokenizing tokens changes nothing") {
  const std::string text =
      "L'été, aujourd’hui -- qu'y a-t-il ? 3.14 a.m. « Dis-le-moi ! » quelqu'un... 😀 (l'un) — fin";
  const Words once = french(text);
  CHECK(french(joined(once)) == once);
  const std::string other = "It's Tom's dogs' o'clock, didn't I'm \"say\" so... 50% 'quoted' we've";
  const Words words = english(other);
  CHECK(english(joined(words)) == words);
}

TEST_CASE("text that is not UTF-8 is refused") {
  CHECK_THROWS_AS(tokenize("ab\xE9"), tensorette::FormatError);
  CHECK_THROWS_WITH(tokenize("ab\xE9"), "not UTF-8: byte 3 is 0xE9");
}

TEST_CASE("well-formed UTF-8 is told from the rest") {
  for (const std::string good : {"", "a", "é", "€", "😀", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF"}) {
    CHECK_FALSE(find_invalid_utf8(good));
    CHECK(encode_utf8(decode_utf8(good)) == good);
  }
  // A stray continuation, overlong forms, a surrogate, beyond U+10FFFF, and cut-off sequences.
  for (const std::string bad : {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF",
                                "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5", "\xFF", "\xC3",
                                "\xE2\x82", "\xF0\x9F\x98", "\xC3(", "\xE2\x28\xA1"}) {
    CAPTURE(bad);
    CHECK(find_invalid_utf8("ok" + bad) == 2U);
  }
}

TEST_CASE("detokenize puts spaces where the language has them") {
  const DetokenizeOptions fr{.language = Language::french};
  const DetokenizeOptions en{.language = Language::english};
  const auto back = [](const Words& words, const DetokenizeOptions& options) {
    return detokenize(words, options);
  };
  CHECK(back({"l'", "animal", "n'", "a", "pas", "traversé", "."}, fr) ==
        "L'animal n'a pas traversé.");
  CHECK(back({"écoute", ",", "y", "a", "-t-il", "quelqu'", "un", "?"}, fr) ==
        "Écoute, y a-t-il quelqu'un ?");
  CHECK(back({"«", "oui", "»", "!"}, fr) == "« Oui » !");
  CHECK(back({"tom", "'s", "dog", "didn't", "bite", "(", "i", "'m", "sure", ")", "!"}, en) ==
        "Tom's dog didn't bite (I'm sure)!");
  CHECK(back({"he", "said", "\"", "yes", "\"", ",", "$", "5", "..."}, en) ==
        "He said \"yes\", $5...");
  CHECK(back({"nur", "so", "?"}, {.capitalize = false}) == "nur so?");
  CHECK(back({}, en).empty());
  CHECK_THROWS_AS(back({"\xFF"}, en), tensorette::FormatError);
}
