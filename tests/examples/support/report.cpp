#include <cmath>
#include <filesystem>
#include <support/atomic_file.hpp>
#include <support/report.hpp>
#include <support/word_diff.hpp>
#include <temporary_folder.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "markup_checker.hpp"
#include "sample_report.hpp"

using namespace tensorette::pictures;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;
using tensorette::pictures::testing::count;
using tensorette::pictures::testing::markup_fault;
using tensorette::testing::read_bytes;
using tensorette::testing::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE("a whole report is one well-formed page", "[pictures][report]") {
  const std::string html = report_html(testing::sample_report());
  CHECK_THAT(markup_fault(html), Equals(""));
  CHECK(html.size() < 1'000'000);
  CHECK(count(html, "https://") == 0);
  CHECK(count(html, "src=") == 0);
  CHECK(count(html, "<h1>") == 1);
  CHECK(count(html, "class=\"arcs\"") == 2);
  CHECK(count(html, "class=\"picture line-chart\"") == 2);
  CHECK(count(html, "class=\"attention-grid\"") == 6);  // two sentences of three kinds
  CHECK(count(html, "type=\"radio\"") == 6 * 2 * 5);    // two layers of four heads and their mean
  CHECK(count(html, "✗ wrong") == 1);
  CHECK(count(html, "✓ right") == 2);
  CHECK_THAT(html, ContainsSubstring("car <mark>il</mark> était"));
  CHECK_THAT(html, ContainsSubstring("car <ins>elle</ins> était"));
}

TEST_CASE("the picture of the word comes before everything else", "[pictures][report]") {
  const std::string html = report_html(testing::sample_report());
  const std::size_t body = html.find("<main");
  CHECK(html.find("class=\"arcs\"", body) < html.find("<table", body));
  CHECK(html.find("“it” → “animal”") < html.find("“it” → “street”"));
}

TEST_CASE("parts without content are left out", "[pictures][report]") {
  const std::string html = report_html({.title = "only a title"});
  CHECK_THAT(markup_fault(html), Equals(""));
  CHECK(count(html, "<section") == 0);
  CHECK(count(html, "class=\"lead\"") == 0);
  CHECK_THROWS_WITH(report_html({}), "report: the title is empty");
  CHECK_THROWS_WITH(report_html({.title = "t", .attention = {{.sentence = "s"}}}),
                    "report: sentence 0 (\"s\") has no attention");
}

TEST_CASE("hostile texts are escaped all over the report", "[pictures][report]") {
  const std::string bad = "</title></script><script>alert(\"&'\")</script>";
  Report report = testing::sample_report();
  report.title = report.lead = bad;
  report.facts = {{bad, bad}};
  report.metrics[0].name = report.metrics[0].meaning = bad;
  report.samples = {{bad, bad, bad}, {bad, "x", bad}, {bad, bad, {}}};
  report.attention[0].sentence = report.attention[0].translation = bad;
  const std::string html = report_html(report);
  CHECK_THAT(markup_fault(html), Equals(""));
  CHECK(count(html, "<script>") == 1);  // the page's own
}

TEST_CASE("metrics are shown in their kind and compared with their bound", "[pictures][report]") {
  CHECK(metric_text({.kind = MetricKind::share}, 0.99547) == "99.54\u00A0%");
  CHECK(metric_text({.kind = MetricKind::count}, 20480) == "20\u202F480");
  CHECK(metric_text({.kind = MetricKind::seconds}, 48.23) == "48.2\u00A0s");
  CHECK(metric_text({}, 0.012344) == "0.01234");
  CHECK(metric_text({.kind = MetricKind::share}, std::nan("")) == "—");
  CHECK(reaches_bound({.value = 0.99, .bound = 0.99}));
  CHECK_FALSE(reaches_bound({.value = 0.98, .bound = 0.99}));
  CHECK(reaches_bound({.value = 59, .bound = 60, .goal = Goal::at_most}));
  CHECK_FALSE(reaches_bound({.value = 61, .bound = 60, .goal = Goal::at_most}));
  CHECK_FALSE(reaches_bound({.value = std::nan(""), .bound = 0.5}));
  CHECK_FALSE(reaches_bound({.value = 1}));
}

TEST_CASE("a share is never rounded towards its goal", "[pictures][report]") {
  // 98.996 % does not reach 99 % and must not be shown as 99.00 % beside "missed".
  CHECK(metric_text({.kind = MetricKind::share}, 0.98996) == "98.99\u00A0%");
  CHECK(metric_text({.kind = MetricKind::share}, 0.99999) == "99.99\u00A0%");
  CHECK(metric_text({.kind = MetricKind::share}, 0.995) == "99.50\u00A0%");
  CHECK(metric_text({.kind = MetricKind::share, .goal = Goal::at_most}, 0.01001) == "1.01\u00A0%");
  CHECK(metric_text({.kind = MetricKind::share}, 1.0) == "100.00\u00A0%");
}

TEST_CASE("words in which two sentences differ", "[pictures][report]") {
  const auto differing = [](const char* sentence, const char* other) {
    std::string words;
    for (const DiffWord& word : word_diff(sentence, other))
      words += word.common ? "" : word.word + ";";
    return words;
  };
  CHECK(differing("car il était", "car elle était") == "il;");
  CHECK(differing("a b c", "a b c") == "");
  CHECK(differing("a x b", "a b") == "x;");
  CHECK(differing("a b", "a x b") == "");
  CHECK(differing("b a", "a b").size() == 2);  // only one of the two is out of order
  CHECK(differing("", "a") == "");
  CHECK(differing("x y", "") == "x;y;");
}

TEST_CASE("a translation is right when all words agree", "[pictures][report]") {
  CHECK(is_right({"s", "la  rue", "la rue "}));
  CHECK_FALSE(is_right({"s", "la rue", "la rue large"}));
  CHECK_FALSE(is_right({"s", "la rue large", "la rue"}));
  CHECK_FALSE(is_right({"s", "la rue", {}}));
  CHECK(is_right({"s", "", ""}));
}

TEST_CASE("a report is written whole and replaces the old one", "[pictures][report]") {
  const TemporaryFolder folder;
  const std::string path = folder / "report.html";
  write_file_atomically(path, "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  write_report(path, testing::sample_report());
  CHECK(read_bytes(path) == report_html(testing::sample_report()));
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(folder.file_count() == 1);
}

TEST_CASE("a failed write changes nothing and leaves nothing behind", "[pictures][report]") {
  const TemporaryFolder folder;
  const std::string path = folder / "report.html";
  write_file_atomically(path, "old");
  CHECK_THROWS_AS(write_report(path, Report{}), tensorette::Error);
  CHECK(read_bytes(path) == "old");

  fs::create_directories(folder / "taken/inside");
  CHECK_THROWS_AS(write_file_atomically(folder / "taken", "new"), tensorette::FormatError);
  CHECK(folder.file_count() == 2);

  const std::string missing = folder / "no/report.html";
  CHECK_THROWS_WITH(write_file_atomically(missing, "new"),
                    missing + ": can't create a file in its folder: No such file or directory");
}

TEST_CASE("a full disk is reported and the old file survives", "[pictures][report]") {
  const TemporaryFolder folder;
  const std::string path = folder / "report.html";
  write_file_atomically(path, "old");
  // /dev/full accepts no byte; a link to it stands for a disk that is full.
  if (!fs::exists("/dev/full")) return;
  fs::create_symlink("/dev/full", folder / "full");
  CHECK_THROWS_AS(write_file_atomically(folder / "full/report.html", "new"),
                  tensorette::FormatError);
  CHECK(read_bytes(path) == "old");
}

TEST_CASE("a symbolic link stays a link", "[pictures][report]") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "real.html", "old");
  fs::create_symlink(folder / "real.html", folder / "link.html");
  write_file_atomically(folder / "link.html", "new");
  CHECK(fs::is_symlink(folder / "link.html"));
  CHECK(read_bytes(folder / "real.html") == "new");
}
