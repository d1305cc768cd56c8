#include <support/attention_walk.hpp>
#include <support/html.hpp>
#include <tensorette/tensor/error.hpp>

#include <tensorette_test.hpp>

#include "markup_checker.hpp"

namespace tensorette::pictures {
namespace {

using Catch::Matchers::ContainsSubstring;

AttentionWalk two_stages() {
  return {.sentence = "a < b",
          .stages = {{.name = "Queries",
                      .formula = "x W_Q",
                      .shape = "[1, 2, 2]",
                      .text = "What each word looks for.",
                      .vectors = {{"queries", {"a", "b"}, {1, -0.5, 0, 2}}}},
                     {.name = "Scores",
                      .formula = "softmax of each row",
                      .shape = "[1, 1, 2, 2]",
                      .text = "Shares.",
                      .maps = {{.title = "head 1",
                                .queries = {"a", "b"},
                                .keys = {"a", "b"},
                                .values = {1, 0, 0.25, 0.75}}}}}};
}

TEST_CASE("a walk shows each stage with its numbers") {
  const std::string html = attention_walk_html(two_stages(), "walk");
  CHECK_THAT(html, ContainsSubstring("a &lt; b"));
  CHECK_THAT(html, ContainsSubstring("1. Queries"));
  CHECK_THAT(html, ContainsSubstring("2. Scores"));
  CHECK_THAT(html, ContainsSubstring("−0.50</td>"));
  CHECK_THAT(html, ContainsSubstring("[1, 1, 2, 2]"));
  CHECK_THAT(html, ContainsSubstring("b → b: 0.750"));
  CHECK(testing::markup_fault(
            html_page({.title = "walk", .body = "<main id=\"content\">" + html + "</main>"}))
            .empty());
}

TEST_CASE("a walk refuses what it can't draw") {
  CHECK_THROWS_WITH(attention_walk_html({.sentence = "x"}, "walk"),
                    "attention walk: there is no stage");
  AttentionWalk walk = two_stages();
  walk.stages[0].vectors[0].values.pop_back();
  CHECK_THROWS_AS(attention_walk_html(walk, "walk"), ShapeError);
  walk = two_stages();
  walk.stages[1].name.clear();
  CHECK_THROWS_WITH(attention_walk_html(walk, "walk"), "attention walk: stage 2 has no name");
}

}  // namespace
}  // namespace tensorette::pictures
