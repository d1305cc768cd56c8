#include "bootstrap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tensorette/tensor/error.hpp>

#include "random_stream.hpp"

namespace tensorette::translation {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The middle part of the values: as many are left out below as above.
Interval middle(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double left_out = (1 - share) / 2 * static_cast<double>(values.size());
  const auto below = std::min(static_cast<std::size_t>(left_out), (values.size() - 1) / 2);
  return {.low = values[below], .high = values[values.size() - 1 - below]};
}

SampledScore sampled(double score, const std::vector<double>& values, double confidence) {
  return {.score = score, .mean = mean_of(values), .interval = middle(values, confidence)};
}

}  // namespace

PairedBootstrap paired_bootstrap(std::size_t sentences, const SelectionScore& first,
                                 const SelectionScore& second, const BootstrapOptions& options) {
  if (sentences == 0) throw Error("bootstrap: there are no sentences to draw");
  if (options.samples < 1) {
    throw Error(fmt::format("bootstrap: samples must be positive, got {}", options.samples));
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw Error(fmt::format("bootstrap: confidence must be in (0, 1), got {}", options.confidence));
  }
  std::vector<std::size_t> selection(sentences);
  std::iota(selection.begin(), selection.end(), std::size_t{0});
  const double measured_first = first(selection);
  const double measured_second = second(selection);
  const double measured = measured_second - measured_first;

  std::vector<double> of_first;
  std::vector<double> of_second;
  std::vector<double> differences;
  for (std::int64_t sample = 0; sample < options.samples; ++sample) {
    RandomStream random(options.seed, static_cast<std::uint64_t>(sample));
    for (std::size_t& sentence : selection) sentence = random.below(sentences);
    of_first.push_back(first(selection));
    of_second.push_back(second(selection));
    differences.push_back(of_second.back() - of_first.back());
  }
  const double mean = mean_of(differences);
  const auto as_far = std::count_if(differences.begin(), differences.end(), [&](double difference) {
    return std::abs(difference - mean) >= std::abs(measured);
  });
  return {.first = sampled(measured_first, of_first, options.confidence),
          .second = sampled(measured_second, of_second, options.confidence),
          .difference = sampled(measured, differences, options.confidence),
          .p_value = static_cast<double>(as_far + 1) / static_cast<double>(options.samples + 1)};
}

}  // namespace tensorette::translation
