#include <cmath>
#include <limits>
#include <support/html.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>
#include <vector>

#include "markup_checker.hpp"

using namespace tensorette::pictures;
using Catch::Matchers::Equals;
using tensorette::pictures::testing::count;
using tensorette::pictures::testing::markup_fault;

TEST_CASE("the checker of markup finds faults", "[pictures][html]") {
  CHECK(markup_fault("<p a=\"1\">x &amp; y</p>").empty());
  CHECK(markup_fault("<g><path d=\"M0 0\"/></g>").empty());
  for (const char* bad :
       {"<p>", "<p></b>", "</p>", "<p>a & b</p>", "<p a=1></p>", "<p a=\"<\"></p>",
        "<p a=\"1\" a=\"2\"></p>", "<p>&nbsp;</p>", "a < b", "<p>\x01</p>"}) {
    CAPTURE(bad);
    CHECK_FALSE(markup_fault(bad).empty());
  }
}

TEST_CASE("hostile texts are escaped", "[pictures][html]") {
  CHECK(escape("<script>alert(\"x\" & 'y')</script>") ==
        "&lt;script&gt;alert(&quot;x&quot; &amp; &#39;y&#39;)&lt;/script&gt;");
  CHECK(escape("élève → 動物") == "élève → 動物");
  CHECK(escape(std::string("a\0b\x1B", 4)) == "a\uFFFDb\uFFFD");
  CHECK(escape("a\nb\tc") == "a\nb\tc");
  CHECK(escape("\xFF<") == "\uFFFD&lt;");
}

TEST_CASE("numbers for readers", "[pictures][html]") {
  CHECK(number_text(0.01234, 3) == "0.0123");
  CHECK(number_text(-2.5) == "−2.5");
  CHECK(number_text(-0.0) == "0");
  CHECK(number_text(std::nan("")) == "NaN");
  CHECK(number_text(std::numeric_limits<double>::infinity()) == "∞");
  CHECK(number_text(-std::numeric_limits<double>::infinity()) == "−∞");
  CHECK(fixed_text(20480.5, 1) == "20\u202F480.5");
  CHECK(fixed_text(1234567, 0) == "1\u202F234\u202F567");
  CHECK(fixed_text(2048, 0) == "2048");
  CHECK(fixed_text(-0.001, 2) == "0.00");
  CHECK(fixed_text(-12345, 0) == "−12\u202F345");
}

TEST_CASE("a page is whole, well formed and needs nothing from outside", "[pictures][html]") {
  const std::string page = html_page({.title = "a < b", .body = "<p>body</p>"});
  CHECK_THAT(markup_fault(page), Equals(""));
  CHECK(count(page, "<title>a &lt; b</title>") == 1);
  CHECK(count(page, "<p>body</p>") == 1);
  CHECK(count(page, "prefers-color-scheme: dark") >= 2);
  for (const char* outside : {"http://", "https://", "src=", "@import", "url("}) {
    CAPTURE(outside);
    CHECK(count(page, outside) == 0);
  }
}

TEST_CASE("a page without a title is refused", "[pictures][html]") {
  CHECK_THROWS_WITH(html_page({.title = "", .body = ""}), "html_page: the title is empty");
}

TEST_CASE("tabs carry the ARIA pattern", "[pictures][html]") {
  const std::vector<Tab> items{{"one & only", "<p>1</p>"}, {"two", "<p>2</p>"}};
  const std::string html = tabs("sentences", "Sentence", items);
  CHECK_THAT(markup_fault(html), Equals(""));
  CHECK(count(html, "role=\"tab\"") == 2);
  CHECK(count(html, "role=\"tabpanel\"") == 2);
  CHECK(count(html, "aria-selected=\"true\"") == 1);
  CHECK(count(html, "aria-controls=\"sentences-panel-1\"") == 1);
  CHECK(count(html, "id=\"sentences-panel-1\" aria-labelledby=\"sentences-tab-1\"") == 1);
  CHECK(count(html, "one &amp; only") == 2);  // on the tab, and on the panel for lack of a script
}

TEST_CASE("tabs that cannot work are refused", "[pictures][html]") {
  const std::vector<Tab> items{{"one", ""}}, unnamed{{"", ""}};
  CHECK_THROWS_WITH(tabs("a b", "x", items),
                    "tabs: the id \"a b\" is not made of letters, digits and '-'");
  CHECK_THROWS_AS(tabs("", "x", items), tensorette::Error);
  CHECK_THROWS_WITH(tabs("a", "Kind", {}), "tabs: \"Kind\" has no tab");
  CHECK_THROWS_WITH(tabs("a", "Kind", unnamed), "tabs: tab 0 has no label");
}
