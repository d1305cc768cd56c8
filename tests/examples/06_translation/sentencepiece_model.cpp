#include "06_translation/sentencepiece_model.hpp"

#include <algorithm>
#include <set>
#include <temporary_folder.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "joined.hpp"

using namespace tensorette::translation;
using tensorette::Error;
using tensorette::FormatError;
using tensorette::testing::TemporaryFolder;
using tensorette::translation::testing::joined;
using Words = std::vector<std::string>;

namespace {

const Words lines = {"low low low low low lower lower", "newest newest newest newest newest newest",
                     "widest widest widest", "être ou ne pas être"};

}  // namespace

TEST_CASE("byte pair encoding joins what stands together most often") {
  // The pairs of the sentences above, counted by hand: "es" 9 times, then "est" 9 times.
  const SentencePieceModel model = SentencePieceModel::train(lines, {.count = 40});
  CHECK(joined(model.encode("lowest")) == "▁low est");
  CHECK(joined(model.encode("newest")) == "▁newest");
  CHECK(model.decode(Words{"▁low", "est", "▁être"}) == "lowest être");
}

TEST_CASE("pieces give back the line they were cut from") {
  const auto method = GENERATE(PieceMethod::bpe, PieceMethod::unigram);
  const SentencePieceModel model =
      SentencePieceModel::train(lines, {.method = method, .count = 40});
  for (const std::string& line : lines) CHECK(model.decode(model.encode(line)) == line);
  CHECK(model.decode(model.encode("  newer   low ")) == "newer low");
  // Characters that no piece has.
  CHECK(model.decode(model.encode("low 😀 zzyzx 漢字 low")) == "low 😀 zzyzx 漢字 low");
  CHECK(model.encode("").empty());
  CHECK(model.encode(" \u00a0 ").empty());
  CHECK(model.decode(Words{}).empty());
}

TEST_CASE("there are as many pieces as asked for if the text has them, and none twice") {
  const auto method = GENERATE(PieceMethod::bpe, PieceMethod::unigram);
  const SentencePieceModel model =
      SentencePieceModel::train(lines, {.method = method, .count = 30});
  const Words pieces = model.pieces();
  // Four special tokens and 15 characters are among the 30. A language model finds few pieces that
  // occur often enough.
  CHECK(pieces.size() >= 15);
  CHECK(pieces.size() <= 26);
  if (method == PieceMethod::bpe) CHECK(pieces.size() == 26);
  CHECK(std::set<std::string>(pieces.begin(), pieces.end()).size() == pieces.size());
  for (const char* special : {"<pad>", "<s>", "</s>", "<unk>"}) {
    CHECK(std::count(pieces.begin(), pieces.end(), special) == 0);
  }
  // Every character of the text is a piece.
  for (const char* letter : {"l", "w", "ê", "▁"}) {
    CHECK(std::count(pieces.begin(), pieces.end(), letter) == 1);
  }
  // A small text has no more pieces to give.
  const SentencePieceModel most =
      SentencePieceModel::train(lines, {.method = method, .count = 9'000});
  CHECK(most.pieces().size() < 200);
}

TEST_CASE("the same lines give the same model, and its bytes give it back") {
  const auto method = GENERATE(PieceMethod::bpe, PieceMethod::unigram);
  const PieceOptions options{.method = method, .count = 40};
  const SentencePieceModel model = SentencePieceModel::train(lines, options);
  CHECK(SentencePieceModel::train(lines, options) == model);
  const TemporaryFolder folder;
  const SentencePieceModel loaded = SentencePieceModel::load(folder.file("a.model", model.bytes()));
  CHECK(loaded == model);
  CHECK(loaded.pieces() == model.pieces());
  CHECK(loaded.encode("lowest newer") == model.encode("lowest newer"));
}

TEST_CASE("what can't be learned from or read is refused with the reason") {
  CHECK_THROWS_WITH(SentencePieceModel::train(Words{}),
                    "subwords: 8000 pieces can't be learned from 0 lines: there are none");
  CHECK_THROWS_WITH(SentencePieceModel::train(lines, {.count = 4}),
                    "subwords: there must be more than 4 pieces, got 4");
  CHECK_THROWS_AS(SentencePieceModel::train(lines, {.count = 10}), Error);
  CHECK_THROWS_WITH(SentencePieceModel::train(lines, {.count = 10}),
                    "subwords: 10 pieces can't be learned from 4 lines: Vocabulary size is "
                    "smaller than required_chars. 10 vs 19");
  CHECK_THROWS_WITH(SentencePieceModel::from_bytes("no model"),
                    "subwords: 8 bytes are no model of SentencePiece");
  CHECK_THROWS_AS(SentencePieceModel::from_bytes(""), FormatError);
  const std::string whole = SentencePieceModel::train(lines, {.count = 40}).bytes();
  CHECK_THROWS_AS(SentencePieceModel::from_bytes(whole.substr(0, whole.size() / 2)), FormatError);
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(SentencePieceModel::load(folder / "missing"),
                    "cannot read '" + (folder / "missing") + "': No such file or directory");
  const std::string path = folder.file("text", "hello");
  CHECK_THROWS_WITH(SentencePieceModel::load(path),
                    "'" + path + "': subwords: 5 bytes are no model of SentencePiece");
  CHECK_THROWS_WITH(SentencePieceModel::train(lines, {.count = 40}).encode("ab\xE9"),
                    "not UTF-8: byte 3 is 0xE9");
}
