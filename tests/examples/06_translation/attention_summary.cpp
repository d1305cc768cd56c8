// Heads condensed: their entropies, and the rollout through all layers.
#include "06_translation/attention_summary.hpp"

#include <cmath>
#include <tensorette/tensor/error.hpp>

#include "tensorette_test.hpp"

using namespace tensorette::translation;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using tensorette::pictures::AttentionScores;
using tensorette::pictures::HeatMap;

namespace {

/// Two layers of two heads over two words.
const AttentionScores scores{.name = "self-attention",
                             .queries = {"so", "so"},
                             .keys = {"so", "so"},
                             .layers = 2,
                             .heads = 2,
                             .scores = {1, 0, 1, 0, 1, 0, 0, 1, 0.5, 0.5, 0, 1, 0.5, 0.5, 0, 1}};

}  // namespace

TEST_CASE("each head has its entropy", "[translation][attention]") {
  const double half = std::log(2.0) / 2;  // one query looks at both words, the other at one
  const std::vector<double> entropies = head_entropies(scores);
  REQUIRE(entropies.size() == 4);
  CHECK(entropies[0] == 0);
  CHECK(entropies[1] == 0);
  CHECK(entropies[2] == Approx(half));
  CHECK(entropies[3] == Approx(half));
  const std::string table = entropy_table(scores);
  CHECK_THAT(table, ContainsSubstring("0.69 at all 2 alike"));
  CHECK_THAT(table, ContainsSubstring("           head 1  head 2\n"
                                      "  layer 1    0.00    0.00\n"
                                      "  layer 2    0.35    0.35\n"));
}

TEST_CASE("the rollout is a heat map of all layers", "[translation][attention]") {
  const HeatMap map = rollout_map(scores);
  CHECK(map.title == "self-attention: what came through 2 layers");
  CHECK(map.queries == scores.queries);
  // Half of each layer's mean over heads, half of the residual:
  // [[0.75, 0.25], [0, 1]] · [[1, 0], [0.25, 0.75]]
  REQUIRE(map.values.size() == 4);
  CHECK(map.values[0] == Approx(0.8125));
  CHECK(map.values[1] == Approx(0.1875));
  CHECK(map.values[2] == Approx(0.25));
  CHECK(map.values[3] == Approx(0.75));
  AttentionScores cross = scores;
  cross.queries.emplace_back("!");
  cross.scores.resize(24);
  CHECK_THROWS_AS(rollout_map(cross), tensorette::ShapeError);
}
