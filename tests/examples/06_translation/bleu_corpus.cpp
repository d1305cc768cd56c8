// BLEU of whole files, where TENSORETTE_CORPORA names a folder with Multi30k's tokenized test set
// of 2016 in it (multi30k-tok/test_2016_flickr.lc.norm.tok.{en,de}). The expected numbers were
// counted by another program, with the semantics of multi-bleu.perl.
#include <cstdlib>
#include <iostream>
#include <tensorette_test.hpp>

#include "06_translation/bleu.hpp"
#include "06_translation/bleu_tokenizer.hpp"
#include "06_translation/text_file.hpp"
#include "joined.hpp"

using namespace tensorette::translation;
using Counts = std::array<double, 4>;

namespace {

std::vector<std::string> read_lines(const std::string& path) {
  const std::string bytes = read_bytes(path);
  const auto lines = lines_of(bytes);
  return {lines.begin(), lines.end()};
}

std::vector<std::vector<std::string>> each_alone(const std::vector<std::string>& lines) {
  std::vector<std::vector<std::string>> result;
  for (const std::string& line : lines) result.push_back({line});
  return result;
}

/// Every seventh word left out.
std::string thinned(const std::string& line) {
  std::vector<std::string> kept;
  const std::vector<std::string> words = split_at_spaces(line);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i % 7 != 6) kept.push_back(words[i]);
  }
  return testing::joined(kept);
}

void check(const BleuScore& score, double expected, const Counts& matches, const Counts& totals) {
  CHECK(score.score == Catch::Approx(expected).margin(5e-5));
  CHECK(score.counts.matches == matches);
  CHECK(score.counts.totals == totals);
  CHECK(score.counts.hypothesis_length == totals[0]);
  CHECK(score.counts.reference_length == 12103);
}

}  // namespace

TEST_CASE("BLEU of a corpus is what another program counts", "[translation][golden]") {
  const char* const folder = std::getenv("TENSORETTE_CORPORA");
  if (folder == nullptr) {
    std::cout << "SKIPPED: TENSORETTE_CORPORA names no folder of corpora\n";
    return;
  }
  const std::string stem = std::string(folder) + "/multi30k-tok/test_2016_flickr.lc.norm.tok.";
  const std::vector<std::string> english = read_lines(stem + "en");
  const std::vector<std::string> german = read_lines(stem + "de");
  const auto references = each_alone(german);
  const BleuOptions options{.tokenizer = BleuTokenizer::none, .smoothing = BleuSmoothing::none};
  check(corpus_bleu(english, references, options), 0.6036, {1690, 112, 17, 7},
        {12968, 11968, 10968, 9968});
  std::vector<std::string> thin;
  for (const std::string& line : german) thin.push_back(thinned(line));
  check(corpus_bleu(thin, references, options), 70.3336, {10789, 8609, 6580, 4712},
        {10789, 9789, 8789, 7789});
  CHECK(corpus_bleu(german, references, options).score == Catch::Approx(100));
}
