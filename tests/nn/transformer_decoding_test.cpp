// Search over a Transformer with its caches, against the same model computed anew for every token.
#include <algorithm>
#include <cmath>
#include <set>
#include <tensorette/nn/decoding/decoding.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

namespace tt = tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;
using tt::DType;
using tt::Generator;
using tt::Index;
using tt::Tensor;

namespace {

using Tokens = std::vector<Index>;

Transformer make(DType dtype, std::uint64_t seed, bool norm_first = true) {
  Generator generator(seed);
  Transformer model({.source_vocabulary = 14,
                     .target_vocabulary = 15,
                     .dim = 16,
                     .heads = 2,
                     .encoder_layers = 2,
                     .decoder_layers = 2,
                     .hidden = 24,
                     .dropout = 0.0,
                     .norm_first = norm_first},
                    generator);
  model.eval();
  // Larger weights make choices that differ from sentence to sentence.
  for (const auto& [name, value] : model.state_dict()) {
    Tensor parameter = value;
    tt::multiply_(parameter, 2.0);
  }
  model.to(dtype);
  return model;
}

/// Sentences of 1 to 9 tokens, padded.
Tensor random_sources(Index count, std::uint64_t seed) {
  Generator generator(seed);
  constexpr Index longest = 9;
  Tokens ids(static_cast<std::size_t>(count * longest), 0);
  for (Index row = 0; row < count; ++row) {
    const Index length = 1 + static_cast<Index>(generator.next_uniform() * 8.99);
    for (Index i = 0; i < length; ++i) {
      ids[static_cast<std::size_t>(row * longest + i)] =
          3 + static_cast<Index>(generator.next_uniform() * 10.99);
    }
  }
  return tt::from_vector(ids, {count, longest});
}

/// The model without any cache: all tokens so far, and the sources, go through it at each step.
class Recomputed final : public NextToken {
 public:
  Recomputed(const Transformer& model, Tensor source)
      : model_(model),
        source_(std::move(source)),
        prefixes_(static_cast<std::size_t>(source_.size(0))) {}

  Tensor step(const Tensor& tokens) override {
    const tt::NoGrad no_grad;
    const Tokens latest = tokens.to_vector<Index>();
    Tokens target;
    for (std::size_t row = 0; row < latest.size(); ++row) {
      prefixes_[row].push_back(latest[row]);
      target.insert(target.end(), prefixes_[row].begin(), prefixes_[row].end());
    }
    const auto length = static_cast<Index>(prefixes_.front().size());
    const Tensor logits =
        model_.forward(source_, tt::from_vector(target, {tokens.size(0), length})).value();
    return tt::log_softmax(tt::select(logits, 1, length - 1), -1);
  }
  void reorder(const Tensor& rows) override {
    std::vector<Tokens> next;
    for (const Index row : rows.to_vector<Index>()) {
      next.push_back(prefixes_[static_cast<std::size_t>(row)]);
    }
    prefixes_ = std::move(next);
    source_ = tt::index_select(source_, 0, rows);
  }

 private:
  const Transformer& model_;
  Tensor source_;
  std::vector<Tokens> prefixes_;
};

void check_same(const std::vector<std::vector<Hypothesis>>& a,
                const std::vector<std::vector<Hypothesis>>& b, double tolerance) {
  REQUIRE(a.size() == b.size());
  for (std::size_t sentence = 0; sentence < a.size(); ++sentence) {
    INFO("sentence " << sentence);
    REQUIRE(a[sentence].size() == b[sentence].size());
    for (std::size_t rank = 0; rank < a[sentence].size(); ++rank) {
      const Hypothesis& left = a[sentence][rank];
      const Hypothesis& right = b[sentence][rank];
      CHECK(left.tokens == right.tokens);
      CHECK(left.is_cut_off == right.is_cut_off);
      CHECK(std::abs(left.log_probability - right.log_probability) <=
            tolerance * std::abs(right.log_probability));
    }
  }
}

}  // namespace

TEST_CASE("caches give what computing everything anew gives", "[decoding]") {
  for (const bool norm_first : {true, false}) {
    for (const Index beam : {1, 3, 5}) {
      const DecodingOptions options{.max_length = 12, .beam = beam, .best = beam};
      INFO("beam " << beam << (norm_first ? ", pre-norm" : ", post-norm"));
      const Tensor source = random_sources(6, 100 + static_cast<std::uint64_t>(beam));
      const Transformer exact = make(DType::f64, 11, norm_first);
      Recomputed exact_anew(exact, source);
      // Bit for bit: no tolerance.
      check_same(beam_search(exact, source, options), beam_search(exact_anew, 6, options), 0.0);
      const Transformer model = make(DType::f32, 11, norm_first);
      Recomputed anew(model, source);
      check_same(beam_search(model, source, options), beam_search(anew, 6, options), 1e-5);
    }
  }
}

TEST_CASE("a beam of one is greedy search over a Transformer too", "[decoding][field][D11]") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Transformer model = make(DType::f32, seed);
    const Tensor source = random_sources(7, seed);
    const auto greedy = greedy_search(model, source, {.max_length = 14});
    const auto beam = beam_search(model, source, {.max_length = 14});
    for (std::size_t i = 0; i < greedy.size(); ++i) {
      INFO("seed " << seed << ", sentence " << i);
      CHECK(beam[i][0].tokens == greedy[i].tokens);
      CHECK(beam[i][0].is_cut_off == greedy[i].is_cut_off);
      CHECK(beam[i][0].log_probability == greedy[i].log_probability);
    }
  }
}

TEST_CASE("the ranked translations are sorted and distinct", "[decoding]") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Transformer model = make(DType::f32, 20 + seed);
    const auto results =
        beam_search(model, random_sources(5, seed), {.max_length = 10, .beam = 6, .best = 6});
    for (const auto& ranked : results) {
      REQUIRE_FALSE(ranked.empty());
      std::set<Tokens> seen;
      for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
        Tokens whole = ranked[rank].tokens;
        if (!ranked[rank].is_cut_off) whole.push_back(2);
        CHECK(seen.insert(whole).second);
        if (rank == 0) continue;
        const bool same_kind = ranked[rank].is_cut_off == ranked[rank - 1].is_cut_off;
        CHECK((!same_kind || ranked[rank].score <= ranked[rank - 1].score));
      }
    }
  }
}

TEST_CASE("what a sentence becomes does not depend on the others", "[decoding]") {
  const Transformer model = make(DType::f64, 31);
  const Tensor source = random_sources(8, 5);
  const DecodingOptions options{.max_length = 12, .beam = 4, .best = 2};
  const auto together = beam_search(model, source, options);
  for (Index sentence = 0; sentence < 8; ++sentence) {
    check_same({together[static_cast<std::size_t>(sentence)]},
               beam_search(model, tt::narrow(source, 0, sentence, 1), options), 1e-12);
  }
}

TEST_CASE("each sentence may have a limit of its own", "[decoding]") {
  const Transformer model = make(DType::f64, 32);
  const Tensor source = random_sources(4, 6);
  const std::vector<Index> limits{3, 0, 7, 1};
  const auto check = [&](const std::vector<Hypothesis>& results, bool is_greedy) {
    for (std::size_t i = 0; i < limits.size(); ++i) {
      DecodingOptions alone{.max_length = limits[i], .beam = is_greedy ? 1 : 3};
      const Tensor one = tt::narrow(source, 0, static_cast<Index>(i), 1);
      const Hypothesis expected = is_greedy ? greedy_search(model, one, alone).front()
                                            : beam_search(model, one, alone).front().front();
      INFO("limit " << limits[i]);
      CHECK(results[i].tokens == expected.tokens);
      CHECK(static_cast<Index>(results[i].tokens.size()) <= limits[i]);
      CHECK(results[i].is_cut_off == expected.is_cut_off);
    }
  };
  check(greedy_search(model, source, {.max_lengths = limits}), true);
  std::vector<Hypothesis> best;
  for (auto& ranked : beam_search(model, source, {.beam = 3, .max_lengths = limits})) {
    best.push_back(ranked.front());
  }
  check(best, false);
  CHECK_THAT(error_text<tt::Error>([&] {
               (void)beam_search(model, source, {.beam = 2, .max_lengths = {1, 2}});
             }),
             ContainsSubstring("2 max_lengths for 4 sentences"));
  CHECK_THAT(error_text<tt::Error>([&] {
               (void)greedy_search(model, source, {.max_lengths = {1, 2, -3, 4}});
             }),
             ContainsSubstring("-3"));
}

TEST_CASE("heirs keep their parents' rows as far as there are rows", "[decoding]") {
  // Records what search asks of it; two sentences with random probabilities.
  class Recording final : public NextToken {
   public:
    Tensor step(const Tensor& tokens) override {
      rows = tokens.size(0);
      return tt::log_softmax(generator_.normal({rows, 6}), -1);
    }
    void reorder(const Tensor& asked) override {
      const Tokens order = asked.to_vector<Index>();
      for (const Index row : order) CHECK(row < rows);
      for (std::size_t i = 0; i < order.size(); ++i) {
        // A row that changes hands had no heir.
        if (order[i] != static_cast<Index>(i) && static_cast<Index>(i) < rows) {
          CHECK(std::find(order.begin(), order.end(), static_cast<Index>(i)) == order.end());
        }
      }
      ++reorders;
    }
    Index rows = 0;
    int reorders = 0;

   private:
    Generator generator_{77};
  };
  Recording model;
  (void)beam_search(model, 5, {.max_length = 20, .beam = 4});
  CHECK(model.reorders > 3);
}
