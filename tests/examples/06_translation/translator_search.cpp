// Many sentences at once: the order, the batch and the neighbours change nothing.
#include <set>

#include "06_translation/trainer.hpp"
#include "small_training.hpp"
#include "tensorette_test.hpp"

using namespace tensorette::translation;
using Catch::Matchers::ContainsSubstring;
using tensorette::Index;
namespace nn = tensorette::nn;

namespace {

/// A translator that has learned for a moment.
Translator make_translator() {
  TrainingOptions options = testing::small_training();
  options.epochs = 1;
  options.model.dropout = 0.0;
  options.model.max_length = 40;
  Trainer trainer(options, load_data(options.data));
  while (!trainer.is_finished()) (void)trainer.step();
  Translator translator = trainer.translator();
  translator.model.eval();
  return translator;
}

const std::vector<std::string> lines{"the cat sleeps", "",        "the witch stoned the guy in it",
                                     "animal",         "unknown", "it was too tired to cross",
                                     "the street"};

}  // namespace

TEST_CASE("a line's translation does not depend on its batch", "[translation]") {
  const Translator translator = make_translator();
  for (const Index beam : {1, 4}) {
    const auto together = translator.translate(lines, {.beam = beam, .batch_size = 3});
    REQUIRE(together.size() == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      INFO("beam " << beam << ": " << lines[i]);
      const Translation alone = translator.translate({lines[i]}, {.beam = beam}).front();
      CHECK(together[i].tokens == alone.tokens);
      CHECK(together[i].text == alone.text);
      CHECK(together[i].is_cut_off == alone.is_cut_off);
      CHECK(together[i].score == Catch::Approx(alone.score).epsilon(1e-4));
      CHECK(together[i].source_tokens == translator.source_tokens(lines[i]));
    }
  }
}

TEST_CASE("each line has as many ranked translations as asked for", "[translation]") {
  const Translator translator = make_translator();
  std::vector<std::vector<std::string>> sentences;
  for (const std::string& line : lines) sentences.push_back(translator.source_tokens(line));
  const auto all = translator.translate_ranked(sentences, {.beam = 5, .best = 4});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    INFO(lines[i]);
    REQUIRE(all[i].size() == (sentences[i].empty() ? 1 : 4));
    std::set<std::vector<std::string>> seen;
    for (std::size_t rank = 0; rank < all[i].size(); ++rank) {
      const Translation& translation = all[i][rank];
      CHECK(translation.score <= 0);
      if (!translation.is_cut_off) CHECK(seen.insert(translation.tokens).second);
      if (rank > 0 && translation.is_cut_off == all[i][rank - 1].is_cut_off) {
        CHECK(translation.score <= all[i][rank - 1].score);
      }
    }
  }
  CHECK(all[1].front().text.empty());
}

TEST_CASE("a line that can't be translated does not cost the others theirs", "[translation]") {
  const Translator translator = make_translator();
  std::string long_line;
  for (int i = 0; i < 41; ++i) long_line += "cat ";
  const auto results = translator.translate_lines({"the cat", "bad \xFF byte", long_line, "a dog"});
  REQUIRE(results.size() == 4);
  CHECK(results[0].problem.empty());
  CHECK(results[0].ranked.front().text == translator.translate({"the cat"}).front().text);
  CHECK_THAT(results[1].problem, ContainsSubstring("not UTF-8: byte 5"));
  CHECK(results[1].ranked.empty());
  CHECK_THAT(results[2].problem, ContainsSubstring("41 tokens is longer than the model's 40"));
  CHECK(results[3].ranked.size() == 1);
  CHECK_THROWS_AS(translator.translate({long_line}), tensorette::Error);
  CHECK(translator.translate_lines({}).empty());
}

TEST_CASE("no translation is longer than allowed", "[translation]") {
  const Translator translator = make_translator();
  for (const Translation& translation : translator.translate(lines, {.max_length = 2})) {
    CHECK(translation.tokens.size() <= 2);
  }
  CHECK_THROWS_WITH(translator.translate(lines, {.max_length = -1}),
                    ContainsSubstring("max_length"));
  CHECK_THROWS_WITH(translator.translate(lines, {.batch_size = 0}),
                    ContainsSubstring("batch_size"));
  CHECK_THROWS_WITH(translator.translate(lines, {.beam = 2, .best = 3}),
                    ContainsSubstring("best = 3"));
}

TEST_CASE("a checkpoint knows the longest sentence of the training", "[translation]") {
  const Translator translator = make_translator();
  CHECK(translator.longest_source > 2);
  CHECK(translator.longest_source < 40);
  nn::Checkpoint checkpoint;
  translator.put_into(checkpoint);
  CHECK(Translator::from_checkpoint(checkpoint).longest_source == translator.longest_source);
}
