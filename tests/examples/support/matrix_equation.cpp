#include <support/matrix_equation.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "markup_checker.hpp"

using namespace tensorette::pictures;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;
using tensorette::pictures::testing::count;
using tensorette::pictures::testing::markup_fault;

namespace {

/// Two rows times two columns are two rows.
MatrixEquation product() {
  return {.title = "a < b & c",
          .lines = {{{.name = "left", .shape = "[2, 1]", .rows = {"<s>", "b"}, .values = {1, -2}},
                     {.operation = "·",
                      .name = "right",
                      .rows = {""},
                      .columns = {"x", "y"},
                      .values = {0.5, 0}},
                     {.operation = "=",
                      .name = "product",
                      .rows = {"a", "b"},
                      .values = {0.5, 0, -1, 0},
                      .pieces = 2}}}};
}

}  // namespace

TEST_CASE("an equation shows every number, word and operation", "[pictures][matrix]") {
  const std::string svg = matrix_equation_svg(product());
  CHECK_THAT(markup_fault(svg), Equals(""));
  CHECK(count(svg, "class=\"cell\"") == 8);
  CHECK(count(svg, "class=\"negative\"") == 2);
  CHECK(count(svg, "class=\"positive\"") == 6);
  for (const char* text : {">&lt;s&gt;</text>", ">·</text>", ">=</text>", ">x</text>",
                           ">[2, 1]</text>", ">product</text>", ">0.50</text>"}) {
    CHECK_THAT(svg, ContainsSubstring(text));
  }
}

TEST_CASE("the strongest colour is the largest number's", "[pictures][matrix]") {
  const std::string svg = matrix_equation_svg(
      {.title = "one", .lines = {{{.rows = {"a"}, .values = {4, -2, std::nan("")}}}}});
  CHECK(count(svg, "class=\"positive\" fill-opacity=\"0.50\"") == 1);
  CHECK(count(svg, "class=\"negative\" fill-opacity=\"0.25\"") == 1);
  CHECK(count(svg, "fill-opacity") == 2);
  CHECK(count(svg, "class=\"cell\"") == 3);
}

TEST_CASE("equations that cannot be drawn are refused", "[pictures][matrix]") {
  CHECK_THROWS_AS(matrix_equation_svg({}), tensorette::Error);
  CHECK_THROWS_AS(matrix_equation_svg({.title = "nothing"}), tensorette::Error);
  CHECK_THROWS_AS(matrix_equation_svg({.title = "nothing", .lines = {{}}}), tensorette::Error);
  MatrixEquation bad = product();
  bad.lines[0][0].values.push_back(3);
  CHECK_THROWS_WITH(matrix_equation_svg(bad), "matrix_equation: 3 values for 2 rows in \"left\"");
  bad = product();
  bad.lines[0][1].columns.pop_back();
  CHECK_THROWS_WITH(matrix_equation_svg(bad),
                    "matrix_equation: 1 words for 2 columns in \"right\"");
  bad = product();
  bad.lines[0][2].pieces = 3;
  CHECK_THROWS_AS(matrix_equation_svg(bad), tensorette::ShapeError);
  bad.lines[0][2].pieces = 0;
  CHECK_THROWS_AS(matrix_equation_svg(bad), tensorette::ShapeError);
}
