/// \file
/// Is one system better than another, or was it lucky with these sentences?
///
/// Koehn, "Statistical Significance Tests for Machine Translation Evaluation" (2004): draw as many
/// sentences as the test set has, with repetition, score both systems on them, and again. How the
/// scores spread tells how far the ones measured can be trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tensorette::translation {

struct BootstrapOptions {
  std::int64_t samples = 1'000;
  std::uint64_t seed = 12'345;
  double confidence = 0.95;  ///< share of the samples that an interval holds
};

struct Interval {
  double low = 0;
  double high = 0;
};

/// One system's score: measured, and over the samples.
struct SampledScore {
  double score = 0;
  double mean = 0;
  Interval interval{};
};

struct PairedBootstrap {
  SampledScore first{};
  SampledScore second{};
  SampledScore difference{};  ///< second − first, both on the same sentences each time
  /// How often chance alone would set the systems as far apart as measured: the share of samples
  /// whose difference is at least that far from the samples' mean (Riezler and Maxwell 2005), the
  /// measured one counted among them. Small: the difference is hardly luck.
  double p_value = 1;
};

/// The score of a system on a selection of sentences, some of them more than once.
using SelectionScore = std::function<double(const std::vector<std::size_t>& selection)>;

/// Sample s draws from the stream s of the seed: the same numbers on every machine.
/// \throws Error without sentences, for samples that are not positive, or a confidence outside
/// (0, 1)
[[nodiscard]] PairedBootstrap paired_bootstrap(std::size_t sentences, const SelectionScore& first,
                                               const SelectionScore& second,
                                               const BootstrapOptions& options = {});

}  // namespace tensorette::translation
