/// \file
/// What all row programs have in common: a list of rows, a clock, and a way to be asked.
///
/// A row program either measures one row and ends,
///
///     libtorch_rows --row mha_32_16_64_4_train --seconds 1
///
/// or stays and answers one line on standard output for each line on standard input, so that a
/// driver can let several programs take turns within one run:
///
///     list                  ->  names, separated by blanks
///     run NAME SECONDS      ->  ok MILLISECONDS PROCESSOR_MILLISECONDS STEPS PEAK_MEGABYTES
///     anything else         ->  error TEXT
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tensorette::bench {

/// One step of a row: the work whose time counts.
using Step = std::function<void()>;

/// A row as a program offers it. `prepare` makes everything that a step needs and returns the step;
/// what it made is freed with the step.
struct Row {
  std::string name;
  std::function<Step()> prepare;
};

/// Time of a step, and how it was found.
struct Timing {
  double milliseconds;            ///< median over the steps of the block
  double processor_milliseconds;  ///< of all threads, mean over the steps of the block
  int steps;
};

/// Runs `step` for about `seconds` (at least once) and returns its times.
[[nodiscard]] Timing time_steps(const Step& step, double seconds);

/// Waits until other programs' idle threads have gone to sleep, then runs `step` untimed until
/// caches and threads are warm. `last_milliseconds` is the step's time when it is known, 0 before:
/// a long step is then not repeated.
void settle(const Step& step, double last_milliseconds);

/// Asks the system for memory that stays in the process once it was used: freshly mapped pages cost
/// far more than most steps. Only for programs that leave memory to malloc.
void keep_freed_memory();

/// The main function of a row program; see the top of the file. Returns the exit code.
[[nodiscard]] int run_row_program(const std::vector<Row>& rows, int argc, char** argv);

}  // namespace tensorette::bench
