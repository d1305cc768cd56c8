#include "06_translation/parallel_text.hpp"

#include <temporary_folder.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

using namespace tensorette::translation;
using Catch::Matchers::ContainsSubstring;
using tensorette::Error;
using tensorette::FormatError;
using tensorette::testing::TemporaryFolder;

namespace {

std::vector<std::string> described(const ParallelText& text) {
  std::vector<std::string> lines;
  for (const TextPair& pair : text.pairs) {
    lines.push_back(std::to_string(pair.line) + " " + pair.source + " = " + pair.target);
  }
  return lines;
}

std::vector<std::string> reasons(const ParallelText& text) {
  std::vector<std::string> lines;
  for (const LineProblem& problem : text.problems) {
    lines.push_back(std::to_string(problem.line) + " " + problem.reason);
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a table of pairs is read line by line") {
  const TemporaryFolder folder;
  const ParallelText text = read_pairs(folder.file("a.tsv", "Go.\tVa !\nHi.\tSalut !"));
  CHECK(described(text) == Lines{"1 Go. = Va !", "2 Hi. = Salut !"});
  CHECK(text.problems.empty());
  CHECK(text.lines == 2);
}

TEST_CASE("CRLF and a byte order mark leave no trace") {
  const TemporaryFolder folder;
  const ParallelText text = read_pairs(folder.file("a.tsv",
                                                   "\xEF\xBB\xBF"
                                                   "a\tb\r\nc\td\r\n"));
  CHECK(described(text) == Lines{"1 a = b", "2 c = d"});
  const ParallelText aligned =
      read_aligned(folder.file("a", "\xEF\xBB\xBFx\r\ny\r\n"), folder.file("b", "u\nv\n"));
  CHECK(described(aligned) == Lines{"1 x = u", "2 y = v"});
}

TEST_CASE("bad lines are reported and shift nothing", "[field][D16]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.tsv",
                                       "a\u2028b\tc\n"
                                       "no tab here\n"
                                       "x\ty\tz\n"
                                       "\n"
                                       "d\te\n"
                                       "\tonly target\n"
                                       "only source\t \n"
                                       "\t\n"
                                       "f\xE9\tg\n"
                                       "lone\rreturn\th\n"
                                       "1\t2\t3\t4\n"
                                       "i\tj");
  const ParallelText text = read_pairs(path);
  CHECK(described(text) == Lines{"1 a\u2028b = c", "5 d = e", "10 lone\rreturn = h", "12 i = j"});
  CHECK(reasons(text) == Lines{"2 no tab", "3 3 columns, expected 2", "4 empty line",
                               "6 source side is empty", "7 target side is empty", "8 empty line",
                               "9 not UTF-8: byte 2 is 0xE9", "11 4 columns, expected 2"});
  CHECK(text.lines == 12);
  CHECK(to_string(text.problems[0]) == path + ":2: no tab");
}

TEST_CASE("a bad line of one file takes its partner with it", "[field][D16]") {
  const TemporaryFolder folder;
  const std::string source = folder.file("s", "a\u2028a\n\nb\xFF\nc\nd\n");
  const std::string target = folder.file("t", "A\nB\nC\n \nD\n");
  const ParallelText text = read_aligned(source, target);
  CHECK(described(text) == Lines{"1 a\u2028a = A", "5 d = D"});
  CHECK(reasons(text) ==
        Lines{"2 source side is empty", "3 not UTF-8: byte 2 is 0xFF", "4 target side is empty"});
  CHECK(text.problems[2].path == target);
}

TEST_CASE("files of different length are refused", "[field][D16]") {
  const TemporaryFolder folder;
  const std::string source = folder.file("s", "a\nb\n");
  const std::string target = folder.file("t", "A\nB\n\n");
  CHECK_THROWS_AS(read_aligned(source, target), FormatError);
  CHECK_THROWS_WITH(read_aligned(source, target),
                    "'" + source + "' has 2 lines but '" + target + "' has 3");
}

TEST_CASE("a header says how many columns there are") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.tsv",
                                       "# English\tFrench\tauthor\n"
                                       "Hello\tBonjour\tAnn\n"
                                       "Bye\tSalut\n"
                                       "Yes\tOui\t\n");
  const ParallelText text = read_pairs(path);
  CHECK(described(text) == Lines{"2 Hello = Bonjour", "4 Yes = Oui"});
  CHECK(reasons(text) == Lines{"3 2 columns, expected 3"});
  CHECK(text.lines == 3);
  const ParallelText turned = read_pairs(path, {.source = "french", .target = "1"});
  CHECK(turned.pairs[0].source == "Bonjour");
  CHECK(turned.pairs[0].target == "Hello");
  CHECK_THROWS_WITH(read_pairs(path, {.source = "German"}),
                    ContainsSubstring("has no column 'German'"));
  CHECK_THROWS_WITH(read_pairs(path, {.source = "4"}), ContainsSubstring("has no column '4'"));
  CHECK_THROWS_WITH(read_pairs(path, {.source = "2"}), ContainsSubstring("are both column 2"));
}

TEST_CASE("columns can be chosen by number") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.tsv", "7\tHello\tBonjour\tAnn\n8\tYes\n");
  const ParallelText text = read_pairs(path, {.source = "2", .target = "3"});
  CHECK(described(text) == Lines{"1 Hello = Bonjour"});
  CHECK(reasons(text) == Lines{"2 2 columns, expected at least 3"});
  CHECK_THROWS_WITH(read_pairs(path, {.source = "0", .target = "2"}),
                    ContainsSubstring("use numbers from 1"));
  CHECK_THROWS_AS(read_pairs(path, {.source = "2x", .target = "1"}), FormatError);
}

TEST_CASE("a third column is accepted as attribution only") {
  const TemporaryFolder folder;
  const ParallelText text = read_pairs(
      folder.file("a.tsv",
                  "Go.\tVa !\tCC-BY 2.0 (France) Attribution: tatoeba.org #1 (A) & #2 (B)\n"
                  "Hi.\tSalut !\tmore\n"));
  CHECK(described(text) == Lines{"1 Go. = Va !"});
  CHECK(text.attributed_lines == 1);
  CHECK(reasons(text) == Lines{"2 3 columns, expected 2"});
}

TEST_CASE("a file that gives no pair is an error that says why") {
  const TemporaryFolder folder;
  const auto fails = [](const std::string& path, const std::string& why) {
    CHECK_THROWS_AS(read_pairs(path), FormatError);
    CHECK_THROWS_WITH(read_pairs(path), ContainsSubstring(why));
  };
  fails(folder.file("empty", ""), "is empty");
  fails(folder.file("mark", "\xEF\xBB\xBF"), "is empty");
  fails(folder.file("blank", "\n\n"), "no usable pair in 2 lines");
  fails(folder.file("untabbed", "one\n"),
        "no usable pair in 1 line; the first problem is " + (folder / "untabbed") + ":1: no tab");
  fails(folder.file("wide", "a\tb\tc\n"), "3 columns, expected 2");
  fails(folder.file("header", "# en\tfr\n"), "has no line but a header");
  fails(folder.file("utf16", std::string("\xFF\xFE"
                                         "a\0\t\0b\0\n\0",
                                         10)),
        "byte 1 is 0xFF");
  fails(folder.file("nul", std::string("a\0\tb\n", 5)), "byte 2 is NUL");
  const std::string full = folder.file("full", "a\n");
  CHECK_THROWS_AS(read_aligned(full, folder / "empty"), FormatError);
  CHECK_THROWS_WITH(read_aligned(folder.file("space", " \n"), full),
                    ContainsSubstring("source side is empty"));
}

TEST_CASE("a file that cannot be read is named with the system's reason") {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing.tsv";
  CHECK_THROWS_AS(read_pairs(missing), Error);
  CHECK_THROWS_WITH(read_pairs(missing),
                    "cannot read '" + missing + "': No such file or directory");
  CHECK_THROWS_WITH(read_pairs(folder.path()), ContainsSubstring("Is a directory"));
  CHECK_THROWS_WITH(read_aligned(folder.file("a", "a\n"), missing), ContainsSubstring(missing));
}

TEST_CASE("very long lines and pictures are ordinary text") {
  const TemporaryFolder folder;
  std::string line;
  for (int i = 0; i < 10'000; ++i) line += "word ";
  const ParallelText text = read_pairs(folder.file("a.tsv", line + "\t😀 👩‍🚀\n"));
  REQUIRE(text.pairs.size() == 1);
  CHECK(text.pairs[0].source == line);
  CHECK(text.pairs[0].target == "😀 👩‍🚀");
}
