#include "06_translation/segmenter.hpp"

#include <nlohmann/json.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "joined.hpp"

using namespace tensorette::translation;
using tensorette::Error;
using tensorette::FormatError;
using tensorette::translation::testing::joined;
using Words = std::vector<std::string>;

namespace {

Segmenter pieces(TokenizerKind kind, bool lower_case) {
  const Words lines = {"Le chat dort.", "le chat mange.", "Le chien dort."};
  const PieceMethod method = kind == TokenizerKind::bpe ? PieceMethod::bpe : PieceMethod::unigram;
  return {{.tokenizer = kind, .lower_case = lower_case},
          SentencePieceModel::train(lines, {.method = method, .count = 40})};
}

/// One of each kind.
std::vector<Segmenter> all_kinds() {
  return {Segmenter({.language = Language::french}),
          Segmenter({.tokenizer = TokenizerKind::none, .lower_case = false, .join_bpe = true}),
          pieces(TokenizerKind::bpe, false), pieces(TokenizerKind::unigram, true)};
}

}  // namespace

TEST_CASE("words are cut by the rules of their language") {
  const Segmenter french({.language = Language::french});
  CHECK(joined(french.tokens("L'animal n'a pas faim.")) == "l' animal n' a pas faim .");
  CHECK(french.text(Words{"l'", "animal", "dort", "."}) == "L'animal dort.");
  const Segmenter cased({.language = Language::french, .lower_case = false});
  CHECK(joined(cased.tokens("L'animal")) == "L' animal");
  CHECK(cased.text(Words{"l'", "animal"}) == "l'animal");
}

TEST_CASE("text that is tokenized already is cut at spaces, and its joins are removed") {
  const SegmenterOptions options{.tokenizer = TokenizerKind::none, .lower_case = false};
  const Segmenter plain(options);
  SegmenterOptions with_joins = options;
  with_joins.join_bpe = true;
  const Segmenter joins(with_joins);
  const std::string line = "ein  Mann mit ro@@ tem\u00a0Hel@@ m .";
  CHECK(plain.tokens(line) == Words{"ein", "Mann", "mit", "ro@@", "tem", "Hel@@", "m", "."});
  CHECK(joins.tokens(line) == plain.tokens(line));
  CHECK(plain.text(plain.tokens(line)) == "ein Mann mit ro@@ tem Hel@@ m .");
  CHECK(joins.text(joins.tokens(line)) == "ein Mann mit rotem Helm .");
  // Joined three times, at the end, and where "@@" is not at the end of a token.
  CHECK(joins.text(Words{"a@@", "b@@", "c", "d@@"}) == "abc d");
  CHECK(joins.text(Words{"@@x", "y@", "@@", "z"}) == "@@x y@ z");
  CHECK(joins.text(Words{}).empty());
}

TEST_CASE("capitals become small letters before a line is cut into pieces") {
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram}) {
    const Segmenter cased = pieces(kind, false);
    const Segmenter small = pieces(kind, true);
    CHECK(cased.text(cased.tokens("Le chat DORT, École")) == "Le chat DORT, École");
    CHECK(small.text(small.tokens("Le chat DORT, École")) == "le chat dort, école");
  }
  const Segmenter none({.tokenizer = TokenizerKind::none});
  CHECK(none.tokens("Le CHAT") == Words{"le", "chat"});
}

TEST_CASE("every kind cuts every line of text and refuses other bytes") {
  for (const Segmenter& segmenter : all_kinds()) {
    CAPTURE(name_of(segmenter.options().tokenizer));
    CHECK(segmenter.tokens("").empty());
    CHECK(segmenter.tokens(" \t \u00a0").empty());
    CHECK_FALSE(segmenter.tokens("mixed смешанный 混合 مختلط").empty());
    CHECK_FALSE(segmenter.tokens("😀👩‍🚀").empty());
    std::string line;
    for (int word = 0; word < 10'000; ++word) line += "chat ";
    CHECK(segmenter.tokens(line).size() >= 10'000);
    CHECK_THROWS_WITH(segmenter.tokens("chat\xE9"), "not UTF-8: byte 5 is 0xE9");
    CHECK_THROWS_AS(segmenter.tokens("chat\xC3"), FormatError);
  }
}

TEST_CASE("a segmenter comes back from JSON as it was") {
  for (const Segmenter& segmenter : all_kinds()) {
    const auto text = to_json(segmenter).dump();
    const Segmenter back = segmenter_from_json(nlohmann::json::parse(text));
    CHECK(back == segmenter);
    const std::string line = "Le chien n'a pas mangé le chat. ab@@ c";
    CHECK(back.tokens(line) == segmenter.tokens(line));
    CHECK(back.text(back.tokens(line)) == segmenter.text(segmenter.tokens(line)));
  }
  auto damaged = to_json(pieces(TokenizerKind::bpe, false));
  damaged["pieces"] = "AAAA";
  CHECK_THROWS_WITH(segmenter_from_json(damaged),
                    "subwords: 3 bytes are no model of SentencePiece");
  damaged["tokenizer"] = "sounds";
  CHECK_THROWS_WITH(segmenter_from_json(damaged), "unknown tokenizer \"sounds\"");
}

TEST_CASE("options of another kind of tokens are refused") {
  CHECK_THROWS_WITH(Segmenter({.tokenizer = TokenizerKind::bpe}),
                    "segmenter: bpe needs a model of pieces");
  CHECK_THROWS_AS(Segmenter({.join_bpe = true}), Error);
  CHECK_THROWS_WITH(
      Segmenter({.join_bpe = true}),
      "segmenter: joins of \"@@\" are for text that is tokenized already, not for words");
  const SentencePieceModel model = *pieces(TokenizerKind::bpe, false).pieces();
  CHECK_THROWS_WITH(Segmenter({.tokenizer = TokenizerKind::none}, model),
                    "segmenter: none has no model of pieces");
}
