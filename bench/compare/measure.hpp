/// \file
/// Lets the sides take turns on each row, and what comes out of it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "child.hpp"
#include "rows/row_table.hpp"

namespace tensorette::bench {

/// Who is measured.
enum class Side { tensorette, libtorch, hand_written, limit };
inline constexpr std::array all_sides{Side::tensorette, Side::libtorch, Side::hand_written,
                                      Side::limit};

/// The programs that are there; a side without one stays empty in the table.
using Programs = std::map<Side, std::unique_ptr<Child>>;

/// How long and how often.
struct Schedule {
  int rounds = 11;             ///< turns of each side, where the time allows
  int least_rounds = 9;        ///< even when the row's time is used up
  double block_seconds = 0.1;  ///< length of one turn, at least one step
  double row_seconds = 20;     ///< no further round after this
};

/// Times of one side on one row.
struct SideResult {
  std::vector<double> milliseconds;  ///< one for each round
  double peak_megabytes = 0;
};

/// All that was measured of one row.
struct RowResult {
  RowInfo row;
  std::map<Side, SideResult> sides;
  std::vector<std::string> errors;  ///< words of programs that failed on this row
};

/// Measures `row` on every side that offers it: one round to warm up, then rounds that count, in
/// which each side has one turn, so that a change of the machine's speed meets all of them. Where
/// the schedule has time for one round only, that one counts.
[[nodiscard]] RowResult measure_row(const RowInfo& row, Programs& programs,
                                    const Schedule& schedule);

/// Median time of a side in milliseconds, if it was measured.
[[nodiscard]] std::optional<double> median_milliseconds(const RowResult& result, Side side);

/// How many times faster `side` is than `other`: median over rounds of the ratio within a round.
[[nodiscard]] std::optional<double> times_faster(const RowResult& result, Side side, Side other);

}  // namespace tensorette::bench
