#include <support/attention_arcs.hpp>
#include <support/attention_grid.hpp>
#include <support/colour_scale.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "markup_checker.hpp"
#include "sample_report.hpp"

using namespace tensorette::pictures;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;
using tensorette::pictures::testing::count;
using tensorette::pictures::testing::markup_fault;

namespace {

/// One layer, two heads, two queries, three keys.
AttentionScores two_heads() {
  return {.name = "cross-attention",
          .queries = {"il", "dort"},
          .keys = {"the", "animal", "sleeps"},
          .layers = 1,
          .heads = 2,
          .scores = {0.2, 0.8, 0, 0, 0.5, 0.5, 0.6, 0.3, 0.1, 0, 0, 1}};
}

}  // namespace

TEST_CASE("a head and the mean of heads as heat maps", "[pictures][attention]") {
  const HeatMap second = head_map(two_heads(), 0, 1);
  CHECK(second.title == "layer 1, head 2");
  CHECK(second.values == std::vector<double>{0.6, 0.3, 0.1, 0, 0, 1});
  const HeatMap mean = mean_map(two_heads(), 0);
  CHECK(mean.title == "layer 1, mean of heads");
  CHECK(mean.values[0] == Approx(0.4));
  CHECK(mean.values[5] == Approx(0.75));
  CHECK(thousandths({0, 0.91, 0.0031, 1, 0.0001}) == ",910,3,1000,");
}

TEST_CASE("attention scores that cannot be are refused", "[pictures][attention]") {
  AttentionScores bad = two_heads();
  bad.scores.pop_back();
  CHECK_THROWS_AS(check_attention_scores(bad), tensorette::ShapeError);
  CHECK_THROWS_WITH(check_attention_scores(bad),
                    "attention: \"cross-attention\" has 11 scores for shape [1, 2, 2, 3]");
  bad = two_heads();
  bad.scores[4] = 1.5;
  CHECK_THROWS_WITH(check_attention_scores(bad),
                    "attention: \"cross-attention\": score 4 is 1.5, expected 0 to 1");
  bad.scores[4] = std::nan("");
  CHECK_THROWS_AS(check_attention_scores(bad), tensorette::Error);
  bad = two_heads();
  bad.keys.clear();
  CHECK_THROWS_WITH(
      check_attention_scores(bad),
      "attention: \"cross-attention\" needs layers, heads, queries and keys, got 1, 2, 2 and 0");
  CHECK_THROWS_WITH(check_attention_scores({}), "attention: the name is empty");
  CHECK_THROWS_AS(head_map(two_heads(), 1, 0), tensorette::IndexError);
  CHECK_THROWS_WITH(head_map(two_heads(), 0, 2),
                    "attention: \"cross-attention\" has 2 heads, asked for head 2 (from 0)");
}

TEST_CASE("the grid offers every head and their mean, one of them large", "[pictures][attention]") {
  const std::string html = attention_grid_html(two_heads(), "heads", {.layer = 0, .head = 1});
  CHECK_THAT(markup_fault(html), Equals(""));
  CHECK(count(html, "type=\"radio\"") == 3);
  CHECK(count(html, " checked") == 1);
  CHECK_THAT(html, ContainsSubstring("aria-label=\"layer 1, head 2\""));
  CHECK_THAT(html, ContainsSubstring("data-scores=\"600,300,100,,,1000\" checked"));
  CHECK(count(html, "</title></rect>") == 6);
  CHECK_THAT(html, ContainsSubstring("il → the: 0.600"));
  CHECK_THAT(html, ContainsSubstring("<p class=\"chosen-head\">layer 1, head 2</p>"));
  CHECK_THROWS_AS(attention_grid_html(two_heads(), "heads", {.layer = 3}), tensorette::IndexError);
}

TEST_CASE("one head alone has no mean", "[pictures][attention]") {
  AttentionScores one = two_heads();
  one.heads = 1;
  one.scores.resize(6);
  CHECK(count(attention_grid_html(one, "heads"), "type=\"radio\"") == 1);
  CHECK(count(attention_arcs_html({.caption = "c", .attention = one}, "arcs"), "<select") == 0);
}

TEST_CASE("the still grid has a map for each head of each layer", "[pictures][attention]") {
  const AttentionScores sample =
      testing::sample_attention("the animal slept because it was tired", "animal");
  const std::string svg = attention_grid_svg(sample);
  CHECK_THAT(markup_fault(svg), Equals(""));
  CHECK(count(svg, "<rect class=\"frame\"") == 8);
  CHECK(count(svg, ">layer 2</text>") == 1);
  CHECK(count(svg, ">head 4</text>") == 1);
  CHECK(count(svg, "</title></rect>") == 0);
}

TEST_CASE("arcs run from the chosen word to every word, as strong as the score",
          "[pictures][attention]") {
  const AttentionArcs arcs{.caption = "“il” → “animal”", .attention = two_heads(), .query = 0};
  const std::string svg = attention_arcs_svg(arcs);
  CHECK_THAT(markup_fault(svg), Equals(""));
  CHECK(count(svg, "<path class=\"arc\"") == 3);
  CHECK(count(svg, "stroke-opacity=\"0.800\" stroke-width=\"5.90\"") == 1);
  CHECK(count(svg, "stroke-opacity=\"0.000\"") == 1);
  CHECK(count(svg, "class=\"word chosen\"") == 1);
  CHECK_THAT(svg, ContainsSubstring("strongest is il → animal: 0.800"));
  CHECK_THAT(svg, ContainsSubstring("<title>il → the: 0.200</title>"));
  CHECK_THAT(svg, ContainsSubstring(">layer 1, head 1</text>"));
  CHECK_THAT(svg, ContainsSubstring(">0.80</text>"));
}

TEST_CASE("arcs in a page carry every head for the reader to choose", "[pictures][attention]") {
  const AttentionArcs arcs{.caption = "a <b>", .attention = two_heads(), .query = 1, .head = 1};
  const std::string html = attention_arcs_html(arcs, "arcs-0");
  CHECK_THAT(markup_fault(html), Equals(""));
  CHECK_THAT(html, ContainsSubstring("data-scores=\"200,800,,,500,500,600,300,100,,,1000\""));
  CHECK_THAT(html, ContainsSubstring("<option value=\"1\" selected>layer 1, head 2</option>"));
  CHECK_THAT(html, ContainsSubstring("<figcaption>a &lt;b&gt;</figcaption>"));
  CHECK(count(html, "class=\"word") == 2);
  CHECK(count(html, "<style>") == 0);
}

TEST_CASE("arcs of a word that is not there are refused", "[pictures][attention]") {
  CHECK_THROWS_AS(attention_arcs_svg({.attention = two_heads(), .query = 2}),
                  tensorette::IndexError);
  CHECK_THROWS_WITH(
      attention_arcs_svg({.attention = two_heads(), .query = 2}),
      "attention_arcs: \"cross-attention\" has 2 queries, asked for query 2 (from 0)");
}

TEST_CASE("hostile words are escaped in every attention picture", "[pictures][attention]") {
  AttentionScores bad = two_heads();
  bad.name = "<b>&";
  bad.queries = {"<script>alert(1)</script>", "\"onload=\"x"};
  bad.keys = {"&amp;", "'", "\xFF"};
  for (const std::string& markup :
       {attention_arcs_svg({.attention = bad}), attention_arcs_html({.attention = bad}, "a"),
        attention_grid_html(bad, "g"), attention_grid_svg(bad)}) {
    CHECK_THAT(markup_fault(markup), Equals(""));
    CHECK(count(markup, "<script") == 0);
    CHECK(count(markup, "\"onload") == 0);
  }
}
