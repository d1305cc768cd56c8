// Paired bootstrap resampling, against cases counted by hand and a plain loop.
#include "06_translation/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "06_translation/random_stream.hpp"

using namespace tensorette::translation;
using Catch::Matchers::Contains;
using Selection = std::vector<std::size_t>;

namespace {

/// The mean of a number for each sentence.
SelectionScore mean_of(std::vector<double> scores) {
  return [scores = std::move(scores)](const Selection& selection) {
    double sum = 0;
    for (const std::size_t sentence : selection) sum += scores[sentence];
    return sum / static_cast<double>(selection.size());
  };
}

}  // namespace

TEST_CASE("two sentences are drawn in the four ways there are", "[translation]") {
  // The second system is better by 3 on one sentence and by 1 on the other: measured 2. A sample
  // holds the first twice (3), both (2) or the second twice (1), in shares of ¼, ½ and ¼.
  const PairedBootstrap result =
      paired_bootstrap(2, mean_of({1, 5}), mean_of({4, 6}), {.samples = 4000, .seed = 3});
  CHECK(result.first.score == 3);
  CHECK(result.second.score == 5);
  CHECK(result.difference.score == 2);
  CHECK(result.difference.mean == Catch::Approx(2).margin(0.04));
  CHECK(result.difference.interval.low == 1);
  CHECK(result.difference.interval.high == 3);
  CHECK(result.first.interval.low == 1);
  CHECK(result.first.interval.high == 5);
  // No sample lies 2 away from the mean: only the measured one does.
  CHECK(result.p_value == Catch::Approx(1.0 / 4001));
  // An interval of less than half leaves both ends out.
  const PairedBootstrap narrow = paired_bootstrap(2, mean_of({1, 5}), mean_of({4, 6}),
                                                  {.samples = 4000, .seed = 3, .confidence = 0.4});
  CHECK(narrow.difference.interval.low == 2);
  CHECK(narrow.difference.interval.high == 2);
}

TEST_CASE("a difference that chance makes often is not significant", "[translation]") {
  // +3 and −1: measured 1, and samples give 3, 1, −1. Two of the four ways lie 1 or more away from
  // their mean of 1.
  const PairedBootstrap result =
      paired_bootstrap(2, mean_of({0, 0}), mean_of({3, -1}), {.samples = 4000, .seed = 4});
  CHECK(result.difference.score == 1);
  CHECK(result.p_value == Catch::Approx(0.5).margin(0.03));
  CHECK(result.difference.interval.low == -1);
}

TEST_CASE("systems that are alike do not differ", "[translation]") {
  const PairedBootstrap result =
      paired_bootstrap(5, mean_of({1, 2, 3, 4, 5}), mean_of({1, 2, 3, 4, 5}), {.samples = 50});
  CHECK(result.p_value == 1);
  CHECK(result.difference.score == 0);
  CHECK(result.difference.interval.low == 0);
  CHECK(result.difference.interval.high == 0);
}

TEST_CASE("samples are functions of the seed alone", "[translation]") {
  const std::vector<double> first{3, 1, 4, 1, 5, 9, 2};
  const std::vector<double> second{2, 7, 1, 8, 2, 8, 9};
  const BootstrapOptions options{.samples = 99, .seed = 17, .confidence = 0.9};
  const PairedBootstrap result = paired_bootstrap(7, mean_of(first), mean_of(second), options);

  std::vector<double> differences;
  for (std::uint64_t sample = 0; sample < 99; ++sample) {
    RandomStream random(17, sample);
    double difference = 0;
    for (int i = 0; i < 7; ++i) {
      const std::size_t sentence = random.below(7);
      difference += (second[sentence] - first[sentence]) / 7;
    }
    differences.push_back(difference);
  }
  const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) / 99;
  const double measured = 12.0 / 7;
  int as_far = 1;
  for (const double difference : differences) as_far += std::abs(difference - mean) >= measured;
  std::sort(differences.begin(), differences.end());
  CHECK(result.difference.score == Catch::Approx(measured));
  CHECK(result.difference.mean == Catch::Approx(mean));
  CHECK(result.p_value == Catch::Approx(as_far / 100.0));
  // A twentieth of 99 at either end: four whole samples.
  CHECK(result.difference.interval.low == Catch::Approx(differences[4]));
  CHECK(result.difference.interval.high == Catch::Approx(differences[94]));
}

TEST_CASE("the bootstrap refuses what it can't draw", "[translation]") {
  const SelectionScore none = mean_of({});
  CHECK_THROWS_WITH(paired_bootstrap(0, none, none), Contains("no sentences"));
  CHECK_THROWS_WITH(paired_bootstrap(1, mean_of({1}), mean_of({1}), {.samples = 0}),
                    Contains("samples must be positive, got 0"));
  CHECK_THROWS_WITH(paired_bootstrap(1, mean_of({1}), mean_of({1}), {.confidence = 1.0}),
                    Contains("confidence"));
}
