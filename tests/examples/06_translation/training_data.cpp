#include "06_translation/training_data.hpp"

#include <nlohmann/json.hpp>
#include <temporary_folder.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "joined.hpp"

using namespace tensorette::translation;
using Catch::Matchers::ContainsSubstring;
using tensorette::Error;
using tensorette::FormatError;
using tensorette::testing::TemporaryFolder;
using tensorette::translation::testing::joined;
using Lines = std::vector<std::string>;

namespace {

Lines described(const std::vector<SentencePair>& pairs) {
  Lines lines;
  for (const SentencePair& pair : pairs) {
    lines.push_back(joined(pair.source) + " = " + joined(pair.target));
  }
  return lines;
}

Lines reasons(const TrainingData& data) {
  Lines lines;
  for (const LineProblem& problem : data.problems) lines.push_back(to_string(problem));
  return lines;
}

/// English and French, a pair a line.
struct SmallCorpus {
  TemporaryFolder folder{};
  DataOptions options{.pairs = folder.file("train.tsv",
                                           "The cat sleeps.\tLe chat dort.\n"
                                           "The cat eats the mouse.\tLe chat mange la souris.\n"
                                           "The dog sleeps.\tLe chien dort.\n"
                                           "The dog eats.\tLe chien mange.\n")};
};

}  // namespace

TEST_CASE("options of the data come back from JSON") {
  const DataOptions options{.source = "a",
                            .target = "b",
                            .valid_source = "c",
                            .valid_target = "d",
                            .test_source = "e",
                            .test_target = "f",
                            .tokenizer = TokenizerKind::unigram,
                            .source_language = Language::generic,
                            .target_language = Language::english,
                            .lower_case = true,
                            .vocabulary_size = 500,
                            .pieces_model = "g",
                            .joint_vocabulary = true,
                            .max_tokens = 70,
                            .max_length_ratio = 2.5};
  const auto json = to_json(options);
  const DataOptions back = data_options_from_json(json);
  CHECK(to_json(back) == json);
  CHECK(back.tokenizer == TokenizerKind::unigram);
  CHECK(back.joint_vocabulary);
  CHECK(back.lower_case == true);
  CHECK_FALSE(data_options_from_json(to_json(DataOptions{})).lower_case);
}

TEST_CASE("options from before there was a choice of tokens are read") {
  const auto json = nlohmann::json::parse(
      R"({"pairs": "p", "source": "", "target": "", "test_pairs": "t", "corpus_seed": 3,
          "train_pairs": 10, "test_size": 5, "min_frequency": 2, "max_tokens": 30})");
  const DataOptions options = data_options_from_json(json);
  CHECK(options.pairs == "p");
  CHECK(options.max_tokens == 30);
  CHECK(options.tokenizer == TokenizerKind::words);
  CHECK(options.target_language == Language::french);
  CHECK(options.makes_lower_case());
}

TEST_CASE("words become small letters, other tokens only if asked for") {
  SmallCorpus corpus;
  CHECK(described(load_data(corpus.options).train)[0] == "the cat sleeps . = le chat dort .");
  corpus.options.tokenizer = TokenizerKind::none;
  CHECK(described(load_data(corpus.options).train)[0] == "The cat sleeps. = Le chat dort.");
  corpus.options.lower_case = true;
  CHECK(described(load_data(corpus.options).train)[0] == "the cat sleeps. = le chat dort.");
}

TEST_CASE("a joint vocabulary holds the tokens of both languages") {
  SmallCorpus corpus;
  const TrainingData data = load_data(corpus.options);
  const Vocabularies apart = vocabularies_of(data, corpus.options);
  CHECK(apart.source.id("cat") != kUnknown);
  CHECK(apart.source.id("chat") == kUnknown);
  corpus.options.joint_vocabulary = true;
  const Vocabularies joint = vocabularies_of(data, corpus.options);
  CHECK(joint.source == joint.target);
  // All but "." and the four special tokens are in one language alone.
  CHECK(joint.source.size() == apart.source.size() + apart.target.size() - 4 - 1);
  corpus.options.min_frequency = 4;
  CHECK(vocabularies_of(data, corpus.options).source.tokens() ==
        Lines{"<pad>", "<bos>", "<eos>", "<unk>", ".", "the", "le"});
}

TEST_CASE("pieces are learned from the training pairs, together or apart") {
  SmallCorpus corpus;
  corpus.options.tokenizer = GENERATE(TokenizerKind::bpe, TokenizerKind::unigram);
  corpus.options.vocabulary_size = 32;
  const TrainingData apart = load_data(corpus.options);
  CHECK_FALSE(apart.source_segmenter == apart.target_segmenter);
  const Vocabularies two = vocabularies_of(apart, corpus.options);
  CHECK(two.source != two.target);
  for (const Vocabulary& vocabulary : {two.source, two.target}) {
    CHECK(vocabulary.size() <= 32);
    if (corpus.options.tokenizer == TokenizerKind::bpe) CHECK(vocabulary.size() == 32);
  }
  CHECK(apart.target_segmenter.text(apart.train[1].target) == "Le chat mange la souris.");

  corpus.options.joint_vocabulary = true;
  const TrainingData together = load_data(corpus.options);
  CHECK(together.source_segmenter == together.target_segmenter);
  const Vocabularies one = vocabularies_of(together, corpus.options);
  CHECK(one.source == one.target);
  CHECK(one.source.size() == 32);
  for (const SentencePair& pair : together.train) {
    for (const auto& side : {pair.source, pair.target}) {
      for (const std::int64_t id : one.source.encode(side)) CHECK(id >= kSpecialTokens);
    }
  }
  // A saved run brings its own, and learns nothing.
  const Segmenters saved{together.source_segmenter, together.target_segmenter};
  corpus.options.vocabulary_size = 1;
  CHECK(described(load_data(corpus.options, saved).train) == described(together.train));
}

TEST_CASE("pieces can come from a file") {
  SmallCorpus corpus;
  corpus.options.tokenizer = TokenizerKind::bpe;
  const SentencePieceModel model =
      SentencePieceModel::train(Lines{"The cat sleeps", "le chat dort"}, {.count = 30});
  corpus.options.pieces_model = corpus.folder.file("pieces.model", model.bytes());
  const TrainingData data = load_data(corpus.options);
  CHECK(data.source_segmenter.pieces() == model);
  CHECK(vocabularies_of(data, corpus.options).source.size() == 30);
  corpus.options.pieces_model = corpus.folder / "missing";
  CHECK_THROWS_WITH(load_data(corpus.options), ContainsSubstring("No such file"));
}

TEST_CASE("validation and test pairs are read from tables or from two files each") {
  SmallCorpus corpus;
  TrainingData data = load_data(corpus.options);
  CHECK(data.valid.empty());
  CHECK(data.test_is_train);
  CHECK(data.test_references[0] == "Le chat dort.");

  corpus.options.valid_pairs = corpus.folder.file("valid.tsv", "The cat.\tLe CHAT .\n");
  corpus.options.test_source = corpus.folder.file("test.en", "A dog eats.\nThe mouse.\n");
  corpus.options.test_target = corpus.folder.file("test.fr", "Un chien mange.\nLa souris.\n");
  data = load_data(corpus.options);
  CHECK_FALSE(data.test_is_train);
  CHECK(described(data.valid) == Lines{"the cat . = le chat ."});
  CHECK(data.valid_references == Lines{"Le CHAT ."});
  CHECK(described(data.test) ==
        Lines{"a dog eats . = un chien mange .", "the mouse . = la souris ."});
  CHECK(data.test_references == Lines{"Un chien mange.", "La souris."});
  corpus.options.valid_pairs = corpus.folder / "missing.tsv";
  CHECK_THROWS_WITH(load_data(corpus.options), ContainsSubstring("missing.tsv"));
}

TEST_CASE("joins are removed from the references of text that is tokenized already") {
  const TemporaryFolder folder;
  const DataOptions options{.source = folder.file("s", "a wea@@ sel\n"),
                            .target = folder.file("t", "ein Wie@@ sel\n"),
                            .test_source = folder.file("u", "a wea@@ sel\n"),
                            .test_target = folder.file("v", "ein Wie@@ sel\n"),
                            .tokenizer = TokenizerKind::none,
                            .join_bpe = true};
  const TrainingData data = load_data(options);
  CHECK(described(data.test) == Lines{"a wea@@ sel = ein Wie@@ sel"});
  CHECK(data.test_references == Lines{"ein Wiesel"});
}

TEST_CASE("pairs that are too long or too lopsided are left out by line and counted",
          "[field][D16]") {
  const TemporaryFolder folder;
  std::string long_line;
  for (int word = 0; word < 10'000; ++word) long_line += "mot ";
  const std::string table =
      "a b\tA B\n" + long_line + "\tA\na\t" + long_line + "\na b c d e\tA\n\x01\x02\tA\na\tA\n";
  DataOptions options{.pairs = folder.file("p.tsv", table), .max_length_ratio = 4};
  const TrainingData data = load_data(options);
  CHECK(described(data.train) == Lines{"a b = a b", "a = a"});
  CHECK(data.too_long == 3);
  const std::string path = options.pairs;
  CHECK(reasons(data) == Lines{path + ":2: 10000 tokens, more than 100",
                               path + ":3: 10000 tokens, more than 100",
                               path + ":4: 5 source and 1 target tokens: more than 4 to 1",
                               path + ":5: source side has no tokens"});

  // Of two files, the one with the longer side is named. Held-out pairs may be lopsided.
  options = {.source = folder.file("s", "a\nb\n"),
             .target = folder.file("t", "A\n" + long_line + "\n"),
             .test_source = folder.file("u", "a b c d e\n"),
             .test_target = folder.file("v", "A\n"),
             .max_length_ratio = 4};
  const TrainingData aligned = load_data(options);
  CHECK(reasons(aligned) == Lines{options.target + ":2: 10000 tokens, more than 100"});
  CHECK(aligned.test.size() == 1);

  options = {.pairs = folder.file("q.tsv", long_line + "\tA\n")};
  CHECK_THROWS_AS(load_data(options), FormatError);
  CHECK_THROWS_WITH(load_data(options), "no pair can be used; the first problem is " +
                                            options.pairs + ":1: 10000 tokens, more than 100");
}

TEST_CASE("damaged, mixed and odd files give the pairs that are whole, in line", "[field][D16]") {
  const TemporaryFolder folder;
  const auto kind = GENERATE(TokenizerKind::words, TokenizerKind::bpe, TokenizerKind::none);
  const DataOptions options{
      .source = folder.file("s", "one cat\n\xFF\xFE garbled\n\ntwo 😀 cats\nсмешанный 混合\nthe en"),
      .target = folder.file("t", "un chat\nligne\nvide\ndeux 😀 chats\nmélangé مختلط\nla f\xC3"),
      .tokenizer = kind,
      .vocabulary_size = 60};
  const TrainingData data = load_data(options);
  REQUIRE(data.train.size() == 3);
  CHECK(reasons(data) == Lines{options.source + ":2: not UTF-8: byte 1 is 0xFF",
                               options.source + ":3: source side is empty",
                               options.target + ":6: not UTF-8: byte 5 is 0xC3"});
  const auto text = [&](std::size_t i) {
    return data.source_segmenter.text(data.train[i].source) + " = " +
           data.target_segmenter.text(data.train[i].target);
  };
  const bool has_capitals = kind == TokenizerKind::words;
  CHECK(text(0) == (has_capitals ? "One cat = Un chat" : "one cat = un chat"));
  CHECK(text(1) == (has_capitals ? "Two 😀 cats = Deux 😀 chats" : "two 😀 cats = deux 😀 chats"));
  CHECK_THAT(text(2), ContainsSubstring("混合") && ContainsSubstring("مختلط"));
}

TEST_CASE("options of the data that exclude each other are refused") {
  SmallCorpus corpus;
  corpus.options.pieces_model = "some.model";
  CHECK_THROWS_WITH(load_data(corpus.options),
                    "a model of pieces is for bpe and unigram tokens, not for words");
  corpus.options.pieces_model.clear();
  corpus.options.join_bpe = true;
  CHECK_THROWS_AS(load_data(corpus.options), Error);
  CHECK_THROWS_WITH(load_data({.tokenizer = TokenizerKind::bpe}),
                    "the built-in corpus is words in small letters; name files for other tokens");
}
