#include "06_translation/vocabulary.hpp"

#include <algorithm>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

using namespace tensorette::translation;
using tensorette::FormatError;
using Words = std::vector<std::string>;
using Ids = std::vector<std::int64_t>;

namespace {

TokenCounts count(const Words& words) {
  TokenCounts counts;
  counts.add(words);
  return counts;
}

}  // namespace

TEST_CASE("frequent tokens come first, equally frequent ones in the order of their bytes") {
  const Vocabulary vocabulary = Vocabulary::build(count({"b", "é", "a", "c", "c", "é", "z", "c"}));
  CHECK(vocabulary.tokens() == Words{"<pad>", "<bos>", "<eos>", "<unk>", "c", "é", "a", "b", "z"});
  CHECK(Vocabulary::build(count({"b", "a", "b"}), 2).tokens() ==
        Words{"<pad>", "<bos>", "<eos>", "<unk>", "b"});
  CHECK(Vocabulary().size() == 4);
  CHECK_THROWS_WITH(Vocabulary::build(count({"a"}), 0),
                    "vocabulary: minimum frequency must be at least 1, got 0");
}

TEST_CASE("tokens become ids and ids tokens") {
  const Vocabulary vocabulary = Vocabulary::build(count({"a", "a", "b"}));
  CHECK(vocabulary.encode(Words{"a", "b", "a"}) == Ids{4, 5, 4});
  CHECK(vocabulary.decode(Ids{kBegin, 4, kPad, kUnknown, 5, kEnd, 4}) == Words{"a", "<unk>", "b"});
  CHECK(vocabulary.encode(Words{}).empty());
  CHECK_THROWS_AS(vocabulary.decode(Ids{6}), tensorette::IndexError);
  CHECK_THROWS_WITH(vocabulary.token(-1), "vocabulary: id -1 is outside [0, 6)");
}

TEST_CASE("tokens in an order of their own follow the special ones") {
  const Vocabulary vocabulary = Vocabulary::with_special_tokens({"b", "a", "<pad>"});
  CHECK(vocabulary.tokens() == Words{"<pad>", "<bos>", "<eos>", "<unk>", "b", "a", "<pad>"});
  CHECK(vocabulary.encode(Words{"a", "<pad>", "c"}) == Ids{5, 6, kUnknown});
  CHECK_THROWS_AS(Vocabulary::with_special_tokens({"a", "a"}), FormatError);
}

TEST_CASE("an unknown word is UNK and adds no id", "[field][D17]") {
  const Vocabulary vocabulary = Vocabulary::build(count({"a"}));
  CHECK(vocabulary.encode(Words{"new", "a", ""}) == Ids{kUnknown, 4, kUnknown});
  CHECK(vocabulary.size() == 5);
}

TEST_CASE("the spelling of a special token is not the special token", "[field][D17]") {
  const Vocabulary without = Vocabulary::build(count({"a"}));
  CHECK(without.encode(Words{"<eos>", "<pad>", "<bos>"}) == Ids{kUnknown, kUnknown, kUnknown});
  const Vocabulary with = Vocabulary::build(count({"<eos>"}));
  CHECK(with.encode(Words{"<eos>"}) == Ids{4});
  CHECK(with.decode(Ids{4, kEnd}) == Words{"<eos>"});
  CHECK(Vocabulary::deserialize(with.serialize()) == with);
}

TEST_CASE("a vocabulary of another size or without special tokens is refused", "[field][D17]") {
  const Vocabulary vocabulary = Vocabulary::build(count({"a"}));
  CHECK_NOTHROW(require_vocabulary_size(vocabulary, 5, "target vocabulary", "embedding.weight"));
  CHECK_THROWS_AS(require_vocabulary_size(vocabulary, 6, "target vocabulary", "embedding.weight"),
                  FormatError);
  CHECK_THROWS_WITH(require_vocabulary_size(vocabulary, 6, "target vocabulary", "embedding.weight"),
                    "target vocabulary has 5 tokens but embedding.weight has 6 rows");
  CHECK_THROWS_WITH(Vocabulary::from_tokens({"<pad>", "<bos>", "<unk>", "a"}),
                    "vocabulary: id 2 must be <eos>, got '<unk>'");
  CHECK_THROWS_WITH(Vocabulary::from_tokens({"<pad>", "<bos>"}),
                    "vocabulary: id 2 must be <eos>, got no token");
  CHECK_THROWS_WITH(Vocabulary::deserialize("<pad>\n<bos>\n<eos>\na\n"),
                    "vocabulary: id 3 must be <unk>, got 'a'");
  CHECK_THROWS_AS(Vocabulary::deserialize(""), FormatError);
}

TEST_CASE("every token survives saving, whatever its characters", "[field][D14]") {
  const Words tokens = {"<pad>", "<bos>", "<eos>", "<unk>", "a\r", "b\n", "", "  ", "é"};
  const Vocabulary vocabulary = Vocabulary::from_tokens(tokens);
  const Vocabulary loaded = Vocabulary::deserialize(vocabulary.serialize());
  CHECK(loaded == vocabulary);
  CHECK(loaded.tokens() == tokens);
  for (std::size_t i = 4; i < tokens.size(); ++i) {
    CHECK(loaded.id(tokens[i]) == static_cast<std::int64_t>(i));
  }
}

TEST_CASE("backslashes, control characters and line separators survive too", "[field][D14]") {
  Words tokens = {"<pad>", "<bos>", "<eos>", "<unk>", "\\n", "\\", "\\\\x0a", "\u2028", "\u0085"};
  for (char byte = 0; byte < 0x7F; ++byte) tokens.push_back(std::string("#") + byte);
  tokens.push_back("\x7F");
  const Vocabulary vocabulary = Vocabulary::from_tokens(tokens);
  const std::string text = vocabulary.serialize();
  CHECK(Vocabulary::deserialize(text).tokens() == tokens);
  CHECK(std::count(text.begin(), text.end(), '\n') == vocabulary.size());
}

TEST_CASE("a damaged vocabulary is refused with its line") {
  const std::string head = "<pad>\n<bos>\n<eos>\n<unk>\n";
  CHECK_THROWS_WITH(Vocabulary::deserialize(head + "a"),
                    "vocabulary: line 5 has no end: the text is cut off");
  for (const std::string bad : {"\\", "\\q", "\\x1", "\\xZZ", "a\r"}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH(Vocabulary::deserialize(head + bad + "\n"),
                      "vocabulary: line 5 has a control character or an unknown escape");
  }
  CHECK_THROWS_WITH(Vocabulary::deserialize(head + "a\nb\na\n"),
                    "vocabulary: ids 4 and 6 are the same token 'a'");
  CHECK_THROWS_WITH(Vocabulary::deserialize(head + "\xFF\n"), "vocabulary: token 4 is not UTF-8");
}
