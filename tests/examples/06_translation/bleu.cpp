// Expected numbers: sacreBLEU's own tests (github.com/mjpost/sacrebleu, Apache-2.0; numbers only),
// and counts by hand.
#include "06_translation/bleu.hpp"

#include <cmath>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "06_translation/bleu_tokenizer.hpp"

using namespace tensorette::translation;
using Catch::Matchers::Contains;
using Words = std::vector<std::string>;

namespace {

const std::vector<std::string> three{"The dog bit the man.", "It wasn't surprising.",
                                     "The man had just bitten him."};
const std::vector<std::vector<std::string>> two_references{
    {"The dog bit the man.", "The dog had bit the man."},
    {"It was not unexpected.", "No one was surprised."},
    {"The man bit him first.", "The man had bitten the dog."}};

}  // namespace

TEST_CASE("BLEU agrees with sacreBLEU", "[translation][golden]") {
  CHECK(corpus_bleu(three, two_references).score == Catch::Approx(48.530827).epsilon(1e-7));
  CHECK(corpus_bleu(three, two_references, {.tokenizer = BleuTokenizer::none}).score ==
        Catch::Approx(49.1919566).epsilon(1e-7));
  CHECK(corpus_bleu({"", "", ""}, two_references).score == 0);

  const BleuCounts counts{.matches = {9, 7, 5, 3},
                          .totals = {10, 8, 6, 4},
                          .hypothesis_length = 11,
                          .reference_length = 11};
  CHECK(bleu_from_counts(counts, BleuSmoothing::exponential).score ==
        Catch::Approx(83.75922397).epsilon(1e-9));

  const BleuCounts clipped =
      bleu_counts("am I am a character sequence", {"I am a symbol string sequence a a"});
  CHECK(clipped.matches == std::array<double, 4>{4, 2, 1, 0});
  CHECK(clipped.totals == std::array<double, 4>{6, 5, 4, 3});
}

TEST_CASE("counts add up over the corpus before the score is taken", "[translation][field][D09]") {
  const BleuScore score = corpus_bleu({"a b c d e", "a b c x"}, {{"a b c d e"}, {"a b c d"}});
  CHECK(score.score == Catch::Approx(79.84080).epsilon(1e-6));
  CHECK(score.brevity_penalty == 1);
  CHECK(score.counts.matches == std::array<double, 4>{8, 6, 4, 2});
}

TEST_CASE("a missing order is smoothed or makes the score zero", "[translation]") {
  // Precisions 4/6, 2/5, 1/4, and half a match of three; the references are longer: exp(1 − 8/6).
  const std::vector<std::string> hypothesis{"am I am a character sequence"};
  const std::vector<std::vector<std::string>> reference{{"I am a symbol string sequence a a"}};
  const double expected =
      100 * std::exp(1 - 8.0 / 6) * std::pow(4.0 / 6 * 2.0 / 5 * 1.0 / 4 * 0.5 / 3, 0.25);
  const BleuScore smoothed = corpus_bleu(hypothesis, reference);
  CHECK(smoothed.score == Catch::Approx(expected));
  CHECK(smoothed.brevity_penalty == Catch::Approx(std::exp(1 - 8.0 / 6)));
  CHECK(smoothed.precisions[3] == Catch::Approx(50.0 / 3));
  CHECK(corpus_bleu(hypothesis, reference, {.smoothing = BleuSmoothing::none}).score == 0);
  // Shorter than four words: no sequence of four to judge.
  CHECK(corpus_bleu({"the dog"}, {{"the dog"}}).score == 0);
}

TEST_CASE("each smoothing stands for a missing match in its own way", "[translation]") {
  // Precisions 4/6, 2/5, 1/4 and 0/3; no brevity penalty.
  const BleuCounts counts{.matches = {4, 2, 1, 0},
                          .totals = {6, 5, 4, 3},
                          .hypothesis_length = 6,
                          .reference_length = 6};
  const auto score = [&](double p2, double p3, double p4) {
    return 100 * std::pow(4.0 / 6 * p2 * p3 * p4, 0.25);
  };
  CHECK(bleu_from_counts(counts, BleuSmoothing::none).score == 0);
  CHECK(bleu_from_counts(counts, BleuSmoothing::exponential).score ==
        Catch::Approx(score(2.0 / 5, 1.0 / 4, 0.5 / 3)));
  CHECK(bleu_from_counts(counts, BleuSmoothing::floor).score ==
        Catch::Approx(score(2.0 / 5, 1.0 / 4, 0.1 / 3)));
  CHECK(bleu_from_counts(counts, BleuSmoothing::add_one).score ==
        Catch::Approx(score(3.0 / 6, 2.0 / 5, 1.0 / 4)));
  CHECK(bleu_signature(1, {.smoothing = BleuSmoothing::floor}) ==
        "nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]");
  CHECK(bleu_signature(1, {.smoothing = BleuSmoothing::add_one}) ==
        "nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[1.00]");
  // Nothing in common stays nothing.
  for (const BleuSmoothing smoothing : {BleuSmoothing::none, BleuSmoothing::exponential,
                                        BleuSmoothing::floor, BleuSmoothing::add_one}) {
    CHECK(bleu_from_counts({.totals = {6, 5, 4, 3}, .hypothesis_length = 6, .reference_length = 6},
                           smoothing)
              .score == 0);
  }
}

TEST_CASE("the nearest reference gives the length, of equals the shorter", "[translation]") {
  CHECK(bleu_counts("a b c d", {"a b", "a b c d e"}).reference_length == 5);
  CHECK(bleu_counts("a b c d", {"a b c d e", "a b c"}).reference_length == 3);
}

TEST_CASE("case counts unless told otherwise", "[translation]") {
  const std::vector<std::vector<std::string>> reference{{"ÉCOLE of the old town"}};
  CHECK(corpus_bleu({"école of the old town"}, reference).score < 100);
  CHECK(corpus_bleu({"école of the old town"}, reference, {.lowercase = true}).score ==
        Catch::Approx(100));
  CHECK(bleu_signature(2) == "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp");
  CHECK(bleu_signature(1, {.tokenizer = BleuTokenizer::none,
                           .smoothing = BleuSmoothing::none,
                           .lowercase = true}) == "nrefs:1|case:lc|eff:no|tok:none|smooth:none");
}

TEST_CASE("the 13a tokenisation separates marks that no digit keeps", "[translation]") {
  CHECK(tokenize_13a("Hello, world!") == Words{"Hello", ",", "world", "!"});
  CHECK(tokenize_13a("It wasn't 3.50 or 1,000.") ==
        Words{"It", "wasn't", "3.50", "or", "1,000", "."});
  CHECK(tokenize_13a("in 1990-2000, well-known") ==
        Words{"in", "1990", "-", "2000", ",", "well-known"});
  CHECK(tokenize_13a("&quot;a&amp;b&quot; &lt;c&gt;") ==
        Words{"\"", "a", "&", "b", "\"", "<", "c", ">"});
  CHECK(tokenize_13a("(a/b) [c] {d} e@f #g $h %i ~j") ==
        Words{"(", "a", "/", "b", ")", "[", "c", "]", "{", "d", "}",
              "e", "@", "f", "#", "g", "$", "h", "%", "i", "~", "j"});
  CHECK(tokenize_13a("  déjà  vu. ") == Words{"déjà", "vu", "."});
  CHECK(tokenize_13a("").empty());
  CHECK(tokenize_13a(" \t ").empty());
}

TEST_CASE("BLEU needs a reference for every sentence", "[translation]") {
  CHECK_THROWS_WITH(corpus_bleu({"a"}, {}), Contains("1") && Contains("0"));
  CHECK_THROWS_AS(corpus_bleu({"a"}, {{}}), tensorette::Error);
  CHECK(corpus_bleu({}, {}).score == 0);
}
