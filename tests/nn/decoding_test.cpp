// Greedy and beam search over models whose probabilities are written out, and over a Transformer.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <tensorette/nn/decoding/decoding.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr Index end = 2;
using Tokens = std::vector<Index>;

/// Probabilities of the next token by the tokens so far, the begin token left out. What is not
/// written is the end, for certain.
class Stub final : public NextToken {
 public:
  using Table = std::map<Tokens, std::vector<double>>;

  Stub(Index sentences, Index vocabulary, Table table)
      : prefixes(static_cast<std::size_t>(sentences)),
        vocabulary_(vocabulary),
        table_(std::move(table)) {}

  Tensor step(const Tensor& tokens) override {
    ++steps;
    const Tokens latest = tokens.to_vector<Index>();
    REQUIRE(latest.size() == prefixes.size());
    std::vector<double> result;
    for (std::size_t row = 0; row < latest.size(); ++row) {
      if (steps > 1) prefixes[row].push_back(latest[row]);
      const auto found = table_.find(prefixes[row]);
      for (Index token = 0; token < vocabulary_; ++token) {
        const double probability = found != table_.end()
                                       ? found->second[static_cast<std::size_t>(token)]
                                       : (token == end ? 1.0 : 0.0);
        result.push_back(std::log(probability));
      }
    }
    return from_vector(result, {static_cast<Index>(latest.size()), vocabulary_});
  }

  void reorder(const Tensor& rows) override {
    std::vector<Tokens> next;
    for (const Index row : rows.to_vector<Index>()) {
      next.push_back(prefixes.at(static_cast<std::size_t>(row)));
    }
    prefixes = std::move(next);
  }

  std::vector<Tokens> prefixes;  ///< of every row
  int steps = 0;

 private:
  Index vocabulary_;
  Table table_;
};

/// Never ends: token 3 with probability 0.6, token 4 with 0.4.
class Endless final : public NextToken {
 public:
  Tensor step(const Tensor& tokens) override {
    const double impossible = -std::numeric_limits<double>::infinity();
    const Tensor row =
        tensor({{impossible, impossible, impossible, std::log(0.6), std::log(0.4)}}, DType::f64);
    return expand(row, {tokens.size(0), 5}).contiguous();
  }
  void reorder(const Tensor&) override {}
};

/// Greedy takes token 3 (0.6) and then only weak ways on; token 4 (0.4) leads on for certain.
Stub::Table greedy_trap() {
  return {{{}, {0, 0, 0, 0.6, 0.4}}, {{3}, {0, 0, 0, 0.5, 0.5}}, {{4}, {0, 0, 0, 1, 0}},
          {{3, 3}, {0, 0, 1, 0, 0}}, {{3, 4}, {0, 0, 1, 0, 0}},  {{4, 3}, {0, 0, 1, 0, 0}}};
}

Transformer untrained() {
  Generator generator(51);
  Transformer model({.source_vocabulary = 12,
                     .target_vocabulary = 12,
                     .dim = 8,
                     .heads = 2,
                     .encoder_layers = 1,
                     .decoder_layers = 2,
                     .hidden = 16,
                     .dropout = 0.0},
                    generator);
  model.eval();
  return model;
}

/// Always among the best: token 5; never: the end.
void never_end(Transformer& model) {
  Tensor bias = model.output.bias.value();
  bias.mutable_data<float>()[end] = -1e4F;
}

void check_same(const Hypothesis& a, const Hypothesis& b, double tolerance = 1e-12) {
  CHECK(a.tokens == b.tokens);
  CHECK(a.is_cut_off == b.is_cut_off);
  CHECK(a.log_probability == Catch::Approx(b.log_probability).epsilon(tolerance));
  CHECK(a.score == Catch::Approx(b.score).epsilon(tolerance));
}

}  // namespace

TEST_CASE("the length penalty is the published one", "[decoding]") {
  CHECK(length_penalty(1, 0.6) == Catch::Approx(1.0));
  CHECK(length_penalty(7, 1.0) == Catch::Approx(2.0));
  CHECK(length_penalty(19, 0.5) == Catch::Approx(2.0));
  CHECK(length_penalty(100, 0.0) == 1.0);
}

TEST_CASE("greedy search takes the most probable token each time", "[decoding]") {
  Stub model(1, 5, greedy_trap());
  const auto results = greedy_search(model, 1, {});
  REQUIRE(results.size() == 1);
  CHECK(results[0].tokens == Tokens{3, 3});  // the first of equals
  CHECK_FALSE(results[0].is_cut_off);
  CHECK(results[0].log_probability == Catch::Approx(std::log(0.3)));
  CHECK(results[0].score == Catch::Approx(std::log(0.3) / length_penalty(3, 0.6)));
  CHECK(model.steps == 3);
}

TEST_CASE("beam search finds what greedy search misses", "[decoding]") {
  Stub model(1, 5, greedy_trap());
  const auto results = beam_search(model, 1, {.beam = 2});
  REQUIRE(results.size() == 1);
  REQUIRE(results[0].size() == 1);
  CHECK(results[0][0].tokens == Tokens{4, 3});
  CHECK(results[0][0].log_probability == Catch::Approx(std::log(0.4)));
}

TEST_CASE("the best come first, each only once", "[decoding]") {
  Stub model(1, 5, greedy_trap());
  const auto results = beam_search(model, 1, {.beam = 3, .best = 3});
  REQUIRE(results[0].size() == 3);
  CHECK(results[0][0].tokens == Tokens{4, 3});
  CHECK(results[0][1].tokens == Tokens{3, 3});
  CHECK(results[0][2].tokens == Tokens{3, 4});
  for (std::size_t i = 1; i < 3; ++i) CHECK(results[0][i].score <= results[0][i - 1].score);
  for (const Hypothesis& hypothesis : results[0]) {
    CHECK_FALSE(hypothesis.is_cut_off);
    CHECK(hypothesis.score == Catch::Approx(hypothesis.log_probability / length_penalty(3, 0.6)));
  }
}

TEST_CASE("a beam as wide as the tree finds the best of all sentences", "[decoding]") {
  // Random trees of depth 4 over three words and the end, searched completely for comparison.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Generator generator(seed);
    Stub::Table table;
    std::vector<std::pair<double, Tokens>> all;
    const double alpha = 0.3 * static_cast<double>(seed % 4);
    const auto grow = [&](const auto& self, const Tokens& prefix, double log_probability) -> void {
      std::vector<double> row(6, 0.0);
      double total = 0;
      for (const std::size_t token : {2U, 3U, 4U, 5U}) {
        row[token] = prefix.size() == 3 && token != 2 ? 0.0 : 0.05 + generator.next_uniform();
        total += row[token];
      }
      for (double& probability : row) probability /= total;
      table[prefix] = row;
      all.emplace_back((log_probability + std::log(row[2])) /
                           length_penalty(static_cast<Index>(prefix.size()) + 1, alpha),
                       prefix);
      for (Index token = 3; token < 6 && prefix.size() < 3; ++token) {
        Tokens longer = prefix;
        longer.push_back(token);
        self(self, longer, log_probability + std::log(row[static_cast<std::size_t>(token)]));
      }
    };
    grow(grow, {}, 0);
    std::sort(all.begin(), all.end(), std::greater<>());
    Stub model(1, 6, table);
    const auto results = beam_search(model, 1, {.beam = 100, .length_penalty = alpha, .best = 5});
    REQUIRE(results[0].size() == 5);
    for (std::size_t rank = 0; rank < 5; ++rank) {
      INFO("seed " << seed << ", rank " << rank);
      CHECK(results[0][rank].tokens == all[rank].second);
      CHECK(results[0][rank].score == Catch::Approx(all[rank].first).epsilon(1e-12));
    }
  }
}

TEST_CASE("the length penalty decides between short and long", "[decoding]") {
  // Ending at once has 0.4, going on three times 0.6 · 1 · 1 in the end 0.36.
  const Stub::Table table{{{}, {0, 0, 0.4, 0.6}},
                          {{3}, {0, 0, 0, 1}},
                          {{3, 3}, {0, 0, 0.4, 0.6}},
                          {{3, 3, 3}, {0, 0, 1, 0}}};
  Stub without(1, 4, table), with(1, 4, table);
  CHECK(beam_search(without, 1, {.beam = 2, .length_penalty = 0.0})[0][0].tokens.empty());
  CHECK(beam_search(with, 1, {.beam = 2, .length_penalty = 1.0})[0][0].tokens == Tokens{3, 3, 3});
}

TEST_CASE("search stops when no open hypothesis can win", "[decoding]") {
  // The end has 0.9 at once; the rest could go on for a hundred tokens.
  Stub::Table table{{{}, {0, 0, 0.9, 0.1}}};
  Tokens prefix;
  for (int i = 0; i < 100; ++i) {
    prefix.push_back(3);
    table[prefix] = {0, 0, 0, 1};
  }
  Stub model(1, 4, table);
  const auto results = beam_search(model, 1, {.max_length = 100, .beam = 2, .length_penalty = 0.6});
  CHECK(results[0][0].tokens.empty());
  CHECK(model.steps == 1);
}

TEST_CASE("sentences of one batch end when they will", "[decoding]") {
  // Rows part by their first token: sentences differ in nothing else, so let the begin decide.
  const Stub::Table table{{{}, {0, 0, 0, 0.7, 0.3}},
                          {{3}, {0, 0, 0.2, 0.8, 0}},
                          {{3, 3}, {0, 0, 1, 0, 0}},
                          {{4}, {0, 0, 1, 0, 0}}};
  Stub many(3, 5, table);
  const auto greedy = greedy_search(many, 3, {});
  for (const Hypothesis& result : greedy) CHECK(result.tokens == Tokens{3, 3});
  Stub beams(3, 5, table);
  const auto results = beam_search(beams, 3, {.beam = 2, .best = 2});
  REQUIRE(results.size() == 3);
  for (const auto& of_sentence : results) {
    REQUIRE(of_sentence.size() == 2);
    check_same(of_sentence[0], results[0][0]);
    check_same(of_sentence[1], results[0][1]);
  }
  Stub none(0, 5, table);
  CHECK(greedy_search(none, 0, {}).empty());
  CHECK(beam_search(none, 0, {.beam = 2}).empty());
}

TEST_CASE("a beam of one is greedy search, and lengths count alike", "[decoding][field][D11]") {
  for (const Index max_length : {0, 1, 2, 3, 4, 100}) {
    Stub for_greedy(2, 5, greedy_trap()), for_beam(2, 5, greedy_trap());
    const DecodingOptions options{.max_length = max_length};
    const auto greedy = greedy_search(for_greedy, 2, options);
    const auto beam = beam_search(for_beam, 2, options);
    REQUIRE(beam.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      INFO("max_length " << max_length);
      REQUIRE(beam[i].size() == 1);
      check_same(beam[i][0], greedy[i]);
      // The end token counts, the start token does not: [3, 3, end] has length 3.
      CHECK(greedy[i].is_cut_off == (max_length < 3));
      const Index length = std::min<Index>(max_length, 3);
      CHECK(greedy[i].score ==
            Catch::Approx(greedy[i].log_probability / length_penalty(length, 0.6)));
    }
  }
  const Transformer model = untrained();
  const Tensor source = tensor({{3, 4, 5, 6}, {7, 8, 0, 0}, {9, 3, 2, 0}}, DType::i64);
  const auto greedy = greedy_search(model, source, {.max_length = 15});
  const auto beam = beam_search(model, source, {.max_length = 15});
  for (std::size_t i = 0; i < 3; ++i) check_same(beam[i][0], greedy[i], 1e-5);
}

TEST_CASE("search returns though the end never comes", "[decoding][field][D12]") {
  for (const Index max_length : {0, 1, 20}) {
    Endless endless;
    for (const Hypothesis& result : greedy_search(endless, 2, {.max_length = max_length})) {
      CHECK(static_cast<Index>(result.tokens.size()) == max_length);
      CHECK(result.is_cut_off);
    }
    for (const auto& results : beam_search(endless, 2, {.max_length = max_length, .beam = 3})) {
      REQUIRE(results.size() == 1);
      CHECK(results[0].tokens == Tokens(static_cast<std::size_t>(max_length), 3));
      CHECK(results[0].is_cut_off);
    }
    Transformer model = untrained();
    never_end(model);
    const Tensor source = tensor({{3, 4, 5}}, DType::i64);
    for (const auto& result :
         {greedy_search(model, source, {.max_length = max_length})[0],
          beam_search(model, source, {.max_length = max_length, .beam = 2})[0][0]}) {
      CHECK(static_cast<Index>(result.tokens.size()) == max_length);
      CHECK(result.is_cut_off);
    }
  }
}

TEST_CASE("a hypothesis that ended stands above one that was cut off", "[decoding]") {
  const Stub::Table table{{{}, {0, 0, 0.1, 0.9}}, {{3}, {0, 0, 0, 1}}, {{3, 3}, {0, 0, 0, 1}}};
  Stub model(1, 4, table);
  const auto results = beam_search(model, 1, {.max_length = 2, .beam = 2, .best = 2});
  REQUIRE(results[0].size() == 2);
  CHECK(results[0][0].tokens.empty());
  CHECK_FALSE(results[0][0].is_cut_off);
  CHECK(results[0][1].tokens == Tokens{3, 3});
  CHECK(results[0][1].is_cut_off);
}

TEST_CASE("beam search over a Transformer gives the model's own probabilities", "[decoding]") {
  Transformer model = untrained();
  model.to(DType::f64);
  const Tensor source = tensor({{3, 4, 5, 6}, {7, 8, 0, 0}}, DType::i64);
  const auto results =
      beam_search(model, source, {.max_length = 6, .beam = 4, .length_penalty = 0.0, .best = 4});
  REQUIRE(results.size() == 2);
  for (Index sentence = 0; sentence < 2; ++sentence) {
    const auto& of_sentence = results[static_cast<std::size_t>(sentence)];
    REQUIRE(of_sentence.size() == 4);
    for (const Hypothesis& hypothesis : of_sentence) {
      // All tokens at once through the model give the sum that the search has collected.
      Tokens input{1};
      input.insert(input.end(), hypothesis.tokens.begin(), hypothesis.tokens.end());
      const Tensor logits = model
                                .forward(narrow(source, 0, sentence, 1),
                                         from_vector(input, {1, static_cast<Index>(input.size())}))
                                .value();
      double expected = 0;
      const std::size_t scored = hypothesis.tokens.size() + (hypothesis.is_cut_off ? 0 : 1);
      for (std::size_t t = 0; t < scored; ++t) {
        const std::vector<double> row =
            numbers(select(select(logits, 0, 0), 0, static_cast<Index>(t)));
        double total = 0;
        for (const double value : row) total += std::exp(value);
        const Index token = t < hypothesis.tokens.size() ? hypothesis.tokens[t] : end;
        expected += row[static_cast<std::size_t>(token)] - std::log(total);
      }
      CHECK(hypothesis.log_probability == Catch::Approx(expected).epsilon(1e-10));
    }
  }
}

TEST_CASE("a Transformer's result is cut off where its positions end", "[decoding]") {
  Generator generator(1);
  TransformerOptions options{.source_vocabulary = 9,
                             .target_vocabulary = 11,
                             .dim = 8,
                             .heads = 2,
                             .encoder_layers = 1,
                             .decoder_layers = 1,
                             .hidden = 8,
                             .max_length = 6};
  for (const Positions positions : {Positions::sinusoidal, Positions::learned}) {
    options.positions = positions;
    const Transformer model(options, generator);
    const Tensor source = tensor({{3, 4, 5}}, DType::i64);
    const Index never = 10;  // begins as improbable as any, and the biases of the output decide
    Tensor bias = model.output.bias.value();
    bias.mutable_data<float>()[never] = -1000.0F;
    const DecodingOptions longer{.max_length = 50, .end_id = never};
    const Hypothesis greedy = greedy_search(model, source, longer).front();
    CHECK(greedy.tokens.size() == 6);
    CHECK(greedy.is_cut_off);
    DecodingOptions wide = longer;
    wide.beam = 3;
    const Hypothesis best = beam_search(model, source, wide).front().front();
    CHECK(best.tokens.size() == 6);
    CHECK(best.is_cut_off);
  }
}

TEST_CASE("what is impossible is no result", "[decoding]") {
  // Two sentences have a probability, though the beam would hold four.
  Stub model(1, 6, {{{}, {0, 0, 0, 0.7, 0.3, 0}}, {{3}, {0, 0, 1, 0, 0, 0}}});
  const auto ranked = beam_search(model, 1, {.max_length = 5, .beam = 4, .best = 4}).front();
  REQUIRE(ranked.size() == 2);
  CHECK(ranked[0].tokens == Tokens{3});
  CHECK(ranked[1].tokens == Tokens{4});
  for (const Hypothesis& hypothesis : ranked) CHECK(std::isfinite(hypothesis.log_probability));
}

TEST_CASE("where nothing is possible, beam search still does what greedy search does",
          "[decoding]") {
  const Stub::Table dead_end{{{}, {0, 0, 0, 1, 0}}, {{3}, {0, 0, 0, 0, 0}}};
  Stub for_greedy(1, 5, dead_end);
  const Hypothesis greedy = greedy_search(for_greedy, 1, {.max_length = 4}).front();
  for (const Index beam : {1, 3}) {
    Stub for_beam(1, 5, dead_end);
    const auto ranked = beam_search(for_beam, 1, {.max_length = 4, .beam = beam}).front();
    REQUIRE(ranked.size() == 1);
    CHECK(ranked.front().tokens == greedy.tokens);
    CHECK(ranked.front().is_cut_off == greedy.is_cut_off);
  }
}

TEST_CASE("a model that gives NaN still gives a result", "[decoding]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> all(5, nan);
  Stub model(1, 5, {{{}, all}, {{0}, all}, {{1}, all}, {{3}, all}, {{4}, all}});
  const auto ranked = beam_search(model, 1, {.max_length = 2, .beam = 3, .best = 3}).front();
  CHECK(!ranked.empty());
  for (const Hypothesis& hypothesis : ranked) CHECK(std::isnan(hypothesis.log_probability));
}

TEST_CASE("options out of their domain are refused", "[decoding]") {
  Endless model;
  CHECK_THAT(error_text<Error>([&] { (void)greedy_search(model, 1, {.max_length = -1}); }),
             ContainsSubstring("-1"));
  CHECK_THAT(error_text<Error>([&] { (void)beam_search(model, 1, {.max_length = -3, .beam = 2}); }),
             ContainsSubstring("-3"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double penalty : {nan, std::numeric_limits<double>::infinity()}) {
    const std::string greedy =
        error_text<Error>([&] { (void)greedy_search(model, 1, {.length_penalty = penalty}); });
    CHECK_THAT(greedy, ContainsSubstring("length_penalty must be finite"));
    const std::string beam =
        error_text<Error>([&] { (void)beam_search(model, 1, {.length_penalty = penalty}); });
    CHECK_THAT(beam, ContainsSubstring("length_penalty must be finite"));
  }
  CHECK_THAT(error_text<Error>([&] { (void)beam_search(model, 1, {.beam = 0}); }),
             ContainsSubstring("beam = 0"));
  CHECK_THAT(error_text<Error>([&] { (void)beam_search(model, 1, {.beam = 2, .best = 3}); }),
             ContainsSubstring("best = 3") && ContainsSubstring("beam = 2"));
  CHECK_THAT(error_text<Error>([&] { (void)beam_search(model, 1, {.best = 0}); }),
             ContainsSubstring("best = 0"));
}
