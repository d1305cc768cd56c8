// Expected numbers: counts by hand.
#include "06_translation/chrf.hpp"

#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

using namespace tensorette::translation;

TEST_CASE("chrF of the same text is 100, of other letters 0", "[translation]") {
  CHECK(corpus_chrf({"L'été arrive."}, {"L'été arrive."}) == Catch::Approx(100));
  CHECK(corpus_chrf({"abc"}, {"xyz"}) == 0);
  CHECK(corpus_chrf({""}, {"xyz"}) == 0);
  CHECK(corpus_chrf({}, {}) == 0);
}

TEST_CASE("chrF is the F2 score of mean precision and mean recall", "[translation]") {
  // "abcd" and "abc": orders 1 to 3 count. Matches 3, 2, 1 of 4, 3, 2 said and of 3, 2, 1 wanted.
  const ChrfCounts counts = chrf_counts("ab cd", "abc");
  CHECK(counts.matches == std::array<double, 6>{3, 2, 1, 0, 0, 0});
  CHECK(counts.hypothesis == std::array<double, 6>{4, 3, 2, 1, 0, 0});
  CHECK(counts.reference == std::array<double, 6>{3, 2, 1, 0, 0, 0});
  const double precision = (3.0 / 4 + 2.0 / 3 + 1.0 / 2) / 3;
  CHECK(chrf_from_counts(counts) == Catch::Approx(100 * 5 * precision / (4 * precision + 1)));
}

TEST_CASE("chrF counts characters, not bytes, and each at most as often as wanted",
          "[translation]") {
  CHECK(chrf_counts("éé", "é").hypothesis[0] == 2);
  CHECK(chrf_counts("éé", "é").matches[0] == 1);
  CHECK_THROWS_AS(chrf_counts("\xff", "a"), tensorette::FormatError);
}

TEST_CASE("counts of sentences add up", "[translation]") {
  ChrfCounts both = chrf_counts("abcd", "abc");
  both += chrf_counts("xy", "xyz");
  CHECK(corpus_chrf({"abcd", "xy"}, {"abc", "xyz"}) == Catch::Approx(chrf_from_counts(both)));
  CHECK_THROWS_AS(corpus_chrf({"a"}, {}), tensorette::Error);
}
