/// \file
/// Which rows have become slower between two runs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tensorette::bench {

/// One row that both runs have.
struct Change {
  std::string name;
  std::string measured_by;  ///< "limit_ms", "libtorch_ms", or "" for plain milliseconds
  double before;            ///< time, as a multiple of what it is measured by
  double after;

  /// 1.2 is a fifth slower than before.
  [[nodiscard]] double slowdown() const { return after / before; }
};

/// Compares the files of two runs. A time counts as a multiple of the limit's time in the same
/// run, or else of libtorch's, so that runs on a machine that is slower today, or on another one,
/// can be compared; rows without either, or all of them when `absolute`, by milliseconds.
/// Throws std::runtime_error when a file is not what a run writes.
[[nodiscard]] std::vector<Change> compare_runs(const nlohmann::json& before,
                                               const nlohmann::json& after, bool absolute);

/// A table of the changes; those slower by more than `tolerance` (0.1 is a tenth) are marked.
[[nodiscard]] std::string change_table(const std::vector<Change>& changes, double tolerance);

/// How many changes are slower by more than `tolerance`.
[[nodiscard]] int count_regressions(const std::vector<Change>& changes, double tolerance);

}  // namespace tensorette::bench
