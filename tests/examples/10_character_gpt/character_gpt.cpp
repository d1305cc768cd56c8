// The character-level GPT: its text, its model, its training and its sampling.
#include <array>
#include <cmath>
#include <compare.hpp>
#include <limits>
#include <set>
#include <temporary_folder.hpp>
#include <tensorette/nn/check.hpp>
#include <tensorette/nn/loss.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "10_character_gpt/sampling.hpp"
#include "10_character_gpt/text.hpp"
#include "10_character_gpt/trainer.hpp"
#include "tensorette_test.hpp"

using namespace tensorette::character_gpt;
using Catch::Matchers::ContainsSubstring;
using tensorette::DType;
using tensorette::Error;
using tensorette::FormatError;
using tensorette::from_vector;
using tensorette::Generator;
using tensorette::Index;
using tensorette::Tensor;
using tensorette::testing::distance;
using tensorette::testing::error_text;
using tensorette::testing::TemporaryFolder;
namespace nn = tensorette::nn;

namespace {

const GptOptions small{
    .characters = 7, .context = 8, .dim = 12, .heads = 3, .blocks = 2, .dropout = 0.2};

Gpt small_model(bool training = false) {
  Generator generator(3);
  Gpt model(small, generator);
  model.train(training);
  return model;
}

const Tensor logits = from_vector<float>({0, 2, 1, 2, -1});

/// How often each character is drawn.
std::array<int, 5> counts(const SamplingOptions& options, int draws = 20'000) {
  Generator generator(4);
  std::array<int, 5> result{};
  for (int i = 0; i < draws; ++i) {
    ++result.at(static_cast<std::size_t>(draw(logits, options, generator)));
  }
  return result;
}

}  // namespace

TEST_CASE("an alphabet numbers the characters of a text", "[gpt]") {
  const Alphabet alphabet("ba\nä b€");
  CHECK(alphabet.size() == 6);
  CHECK(alphabet.characters() == "\n abä€");
  const std::vector<Index> ids{3, 2, 0, 5, 4};
  CHECK(alphabet.encode("ba\n€ä") == ids);
  CHECK(alphabet.decode(ids) == "ba\n€ä");
  CHECK(Alphabet(alphabet.characters()).characters() == alphabet.characters());
  CHECK(alphabet.encode("").empty());
  CHECK(error_text<Error>([&] { (void)alphabet.encode("ab z"); }) ==
        "the character \"z\" does not occur in the text that was learned");
  CHECK(error_text<Error>([&] { (void)alphabet.encode("\t"); }) ==
        "the character \"␣\" does not occur in the text that was learned");
  CHECK(error_text<FormatError>([] { (void)Alphabet("a\nb\xFFz"); }) == "line 2 is not UTF-8");
}

TEST_CASE("a text is read whole, its line ends as line feeds", "[gpt]") {
  const TemporaryFolder folder;
  CHECK(read_text(folder.file("a.txt", "\xEF\xBB\xBFone\r\ntwo\n\r\n\rthree")) ==
        "one\ntwo\n\n\rthree");
  const auto check = [&](const std::string& path, const std::string& text) {
    CHECK_THROWS_WITH(read_text(path), path + ": " + text);
  };
  check(folder / "missing.txt", "No such file or directory");
  check(folder.path(), "is a folder, not a text");
  check(folder.file("empty.txt", ""), "the file is empty");
  check(folder.file("mark.txt", "\xEF\xBB\xBF"), "the file is empty");
  check(folder.file("latin.txt", "fine\nfine\ncaf\xE9 au lait\n"), "line 3 is not UTF-8");
  check(folder.file("cut.txt", "a\nb\xE2\x82"), "line 2 is not UTF-8");
  check(folder.file("short.txt", "a\xEF\xBF"), "line 1 is not UTF-8");
}

TEST_CASE("words are compared as runs of letters", "[gpt]") {
  const KnownWords words = known_words("The cat, thé cats; cat's \"it\"!", "cat it The thé s");
  CHECK(words.all == 7);
  CHECK(words.known == 6);
  CHECK(known_words("", "a").all == 0);
  CHECK(known_words("12 ... -", "a").all == 0);
  const KnownWords own = known_words(fables(), fables());
  CHECK(own.known == own.all);
  CHECK(own.all > 1000);
}

TEST_CASE("the end of a text is held out", "[gpt]") {
  std::vector<Index> ids(100);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<Index>(i);
  const SplitText split = split_text(ids, 8);
  CHECK(split.training.size() == 90);
  CHECK(split.held_out.front() == 90);
  CHECK(split.held_out.size() == 10);
  CHECK(split_text(std::vector<Index>(1'000'000), 64).held_out.size() == 50'000);
  CHECK_NOTHROW(split_text(std::vector<Index>(11), 8));
  CHECK(error_text<Error>([] { (void)split_text(std::vector<Index>(10), 8); }) ==
        "the text is too short: it has 10 characters, 2 of them held out, and a context of 8 needs "
        "more than 8 to train on; take a longer text or a smaller --context");
  CHECK_THROWS_AS(split_text({}, 8), Error);
}

TEST_CASE("no character sees those behind it", "[gpt]") {
  const Gpt model = small_model();
  const auto forward = [&](const Tensor& ids) { return model.forward(ids); };
  const Tensor ids = Generator(1).integers({2, 8}, 0, small.characters);
  const auto causal = nn::check::causal(forward, ids);
  INFO(causal.message);
  CHECK(causal.ok);
  const auto independent = nn::check::batch_independent(forward, ids);
  INFO(independent.message);
  CHECK(independent.ok);
  CHECK_THROWS_AS(model.forward(tensorette::zeros({1, 9}, DType::i64)), tensorette::ShapeError);
}

TEST_CASE("a model learns a batch by heart", "[gpt]") {
  Gpt model = small_model(true);
  const Tensor ids = Generator(1).integers({2, 8}, 0, small.characters);
  const Tensor next = Generator(2).integers({2, 8}, 0, small.characters);
  const auto report = nn::check::can_overfit_one_batch(
      model, [&] { return nn::cross_entropy(model.forward(ids), next); }, {.target = 0.2});
  INFO(report.message);
  CHECK(report.ok);
}

TEST_CASE("the cache gives the logits that the whole text gives", "[gpt]") {
  const Gpt model = small_model();
  const Tensor ids = Generator(1).integers({1, 8}, 0, small.characters);
  const Tensor expected = model.forward(ids).value();
  GptCache cache = model.start();
  Index seen = 0;
  for (const Index length : {3, 1, 2, 1, 1}) {
    const Tensor part = narrow(ids, 1, seen, length);
    const Tensor found = model.forward_cached(part, cache).value();
    CHECK(distance(found, narrow(expected, 1, seen, length)) < 1e-5);
    seen += length;
  }
  CHECK_THROWS_AS(model.forward_cached(narrow(ids, 1, 0, 1), cache), tensorette::ShapeError);
}

TEST_CASE("drawn characters follow temperature and top-k", "[gpt]") {
  // e^(logit/T) over their sum.
  const auto check = [](const SamplingOptions& options, std::array<double, 5> expected) {
    const auto found = counts(options);
    double sum = 0;
    for (const double weight : expected) sum += weight;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double share = expected[i] / sum;
      // Five standard deviations.
      const double bound = 5 * std::sqrt(share * (1 - share) / 20'000);
      CHECK(std::abs(found[i] / 20'000.0 - share) <= bound);
    }
  };
  const auto e = [](double x) { return std::exp(x); };
  check({.temperature = 1}, {1, e(2), e(1), e(2), e(-1)});
  check({.temperature = 0.5}, {1, e(4), e(2), e(4), e(-2)});
  check({.temperature = 2, .top_k = 3}, {0, e(1), e(0.5), e(1), 0});
  check({.temperature = 2, .top_k = 50}, {1, e(1), e(0.5), e(1), e(-0.5)});
  // Of equal ones the first.
  check({.temperature = 0}, {0, 1, 0, 0, 0});
  check({.temperature = 3, .top_k = 1}, {0, 1, 0, 0, 0});
  check({.temperature = 1e-300}, {0, 1, 0, 1, 0});
  Generator generator;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH(draw(from_vector<float>({0, nan}), {}, generator), ContainsSubstring("finite"));
  CHECK_THROWS_WITH(draw(logits, {.temperature = -1}, generator),
                    ContainsSubstring("temperature must be 0 or positive, got -1"));
  CHECK_THROWS_WITH(draw(logits, {.temperature = nan}, generator), ContainsSubstring("got nan"));
  CHECK_THROWS_WITH(draw(logits, {.top_k = -2}, generator), ContainsSubstring("got -2"));
}

TEST_CASE("writing goes on beyond the context, and repeats itself with the seed", "[gpt]") {
  const Gpt model = small_model();
  const auto written = [&](std::uint64_t seed, const std::vector<Index>& prompt, Index count) {
    Generator generator(seed);
    std::vector<Index> said;
    const auto result = write_on(model, prompt, count, {}, generator,
                                 [&](Index character) { said.push_back(character); });
    CHECK(said == result);
    return result;
  };
  const auto first = written(1, {0}, 50);
  CHECK(first.size() == 50);
  CHECK(written(1, {0}, 50) == first);
  CHECK(written(2, {0}, 50) != first);
  CHECK(written(1, std::vector<Index>(30, 2), 20).size() == 20);
  CHECK(written(1, {0}, 0).empty());
  // The most probable characters, each from the whole text so far: as long as the context reaches,
  // the cache changes nothing.
  Generator generator;
  std::vector<Index> text{1};
  const auto greedy = write_on(model, text, 7, {.temperature = 0}, generator, [](Index) {});
  for (const Index character : greedy) {
    const Tensor ids = from_vector(text, {1, static_cast<Index>(text.size())});
    const Tensor last = select(select(model.forward(ids).value(), 0, 0), 0, -1);
    CHECK(tensorette::argmax(last, 0).item<Index>() == character);
    text.push_back(character);
  }
}

TEST_CASE("a repeating text is learned, and its measure counts every character once", "[gpt]") {
  std::vector<Index> ids;
  for (Index i = 0; i < 600; ++i) ids.push_back(i % 7 == 6 ? i / 7 % 2 : i % 7);
  Gpt model = small_model(true);
  const SplitText split = split_text(ids, small.context);
  int updates = 0;
  const auto records = train(model, split, {.steps = 100, .batch = 8, .learning_rate = 1e-2},
                             [&](Index, double, const Losses&) { ++updates; });
  CHECK(updates == 100);
  REQUIRE(records.size() == 11);
  CHECK(records.front().held_out > 1.5);
  CHECK(records.back().held_out < 0.5);
  CHECK(records.back().training < records[1].training);
  CHECK(records.back().step == 100);
  CHECK_FALSE(model.is_training());
  // Windows of 8, 8 and 3 predictions.
  const std::vector<Index> text(ids.begin(), ids.begin() + 20);
  double total = 0;
  for (const Index start : {0, 8, 16}) {
    const Index length = start < 16 ? 8 : 3;
    const auto part = [&](Index from) {
      return from_vector(std::vector<Index>(text.begin() + from, text.begin() + from + length),
                         {1, length});
    };
    total += nn::cross_entropy(model.forward(part(start)), part(start + 1)).item() *
             static_cast<double>(length);
  }
  CHECK(measure(model, text) == Catch::Approx(total / 19).epsilon(1e-5));
}

TEST_CASE("a training that diverges says so, and impossible models are refused", "[gpt]") {
  Gpt model = small_model(true);
  const SplitText split =
      split_text(Generator(1).integers({100}, 0, 7).to_vector<Index>(), small.context);
  CHECK_THROWS_WITH(train(model, split, {.steps = 200, .batch = 2, .learning_rate = 1e30},
                          [](Index, double, const Losses&) {}),
                    ContainsSubstring("the training has diverged at update ") &&
                        ContainsSubstring("--learning-rate"));
  Generator generator;
  for (const GptOptions& options :
       {GptOptions{.characters = 0}, GptOptions{.characters = 3, .heads = 7},
        GptOptions{.characters = 3, .blocks = 0}}) {
    CHECK_THROWS_AS(Gpt(options, generator), Error);
  }
}
