/// \file
/// Lets the sides take turns on each row, and what comes out of it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "child.hpp"
#include "rows/row_table.hpp"

namespace tensorette::bench {

/// Who is measured; one_thread is Tensorette on a single thread.
enum class Side { tensorette, one_thread, libtorch, hand_written, limit };

/// The programs that are there; a side without one stays empty in the table.
using Programs = std::map<Side, std::unique_ptr<Child>>;

/// How long and how often.
struct Schedule {
  int rounds = 9;               ///< undisturbed rounds to reach
  double block_seconds = 0.1;   ///< length of one turn, at least one step
  double row_seconds = 30;      ///< after this, disturbed rounds count too ...
  int least_rounds = 9;         ///< ... and the row ends when there are so many of either kind
  bool processor_time = false;  ///< take the processors' time of a step instead of the clock's
};

/// A round counts as disturbed when other programs took more than this part of the machine.
inline constexpr double tolerated_share = 0.05;

/// One turn of each side.
struct Round {
  std::map<Side, double> milliseconds;
  double others_share = 0;  ///< of all processors' time, used by other programs meanwhile
};

/// All that was measured of one row.
struct RowResult {
  RowInfo row;
  std::vector<Round> rounds;  ///< those that count, the least disturbed first
  std::map<Side, double> peak_megabytes;
  std::vector<std::string> errors;  ///< words of programs that failed on this row

  /// Other programs' share in the most disturbed round that counts.
  [[nodiscard]] double others_share() const;
};

/// Measures `row` on every side that offers it: one round to warm up, then rounds that count, in
/// which each side has one turn, so that a change of the machine's speed meets all of them. Rounds
/// during which other programs were busy are repeated while there is time; which rounds count
/// depends on that alone, never on the times. Where the schedule has time for one round only, the
/// first one counts.
[[nodiscard]] RowResult measure_row(const RowInfo& row, Programs& programs,
                                    const Schedule& schedule);

/// Median time of a side in milliseconds, if it was measured.
[[nodiscard]] std::optional<double> median_milliseconds(const RowResult& result, Side side);

/// How many times faster `side` is than `other`: median over rounds of the ratio within a round.
[[nodiscard]] std::optional<double> times_faster(const RowResult& result, Side side, Side other);

}  // namespace tensorette::bench
