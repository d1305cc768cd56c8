/// \file
/// The benchmark: Tensorette, libtorch, hand-written attention and the machine's limit take turns
/// within one run; prints one table and writes one file.
///
/// \code
/// bench_compare                              # all rows, median of 9 rounds or more
/// bench_compare --quick                      # within a minute: fewer rounds, shortest rows first
/// bench_compare --only 'mha|softmax'         # rows whose name matches
/// bench_compare --json run.json              # the results as a file
/// bench_compare check old.json new.json      # ends with 1 when a row became slower
/// \endcode
///
/// The row programs are looked for beside this program; a missing one leaves its column empty.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "compare/measure.hpp"
#include "compare/openblas_kernels.hpp"
#include "compare/regression.hpp"
#include "compare/report.hpp"
#include "rows/row_table.hpp"

namespace tensorette::bench {
namespace {

namespace fs = std::filesystem;

// Shared among the rows of a quick run; the last round of each is not cut off, hence the distance
// to a minute. Rows whose turn comes later still are left out.
constexpr double quick_seconds = 35;
constexpr double last_quick_start = 42;

struct Options {
  bool quick = false;
  std::string only = ".*";
  std::string json_file;
  int rounds = Schedule{}.rounds;
  double patience = Schedule{}.row_seconds;
  int threads = int(std::max(1U, std::thread::hardware_concurrency()));
  std::string before_file;
  std::string after_file;
  double tolerance = 0.1;
  bool absolute = false;
  bool processor_time = false;
};

// Threads as told; OpenBLAS chooses kernels and cache sizes for the processor that it finds, where
// it knows it.
Environment child_environment(int threads) {
  const std::string count = std::to_string(threads);
  return {.set = {{"OMP_NUM_THREADS", count}, {"OPENBLAS_NUM_THREADS", count}},
          .unset = {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}};
}

struct Program {
  Side side;
  const char* name;
  int threads;
};

fs::path program_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

std::string openblas_kernels(int threads) {
  const fs::path limit_program = program_folder() / "limit_rows";
  if (!fs::exists(limit_program)) return {};
  return fastest_openblas_kernels(limit_program, child_environment(threads));
}

Programs start_programs(const Options& options, const std::string& kernels) {
  const fs::path folder = program_folder();
  std::vector<Program> wanted{{Side::tensorette, "tensorette_rows", options.threads},
                              {Side::libtorch, "libtorch_rows", options.threads},
                              {Side::hand_written, "hand_written_attention", options.threads},
                              {Side::limit, "limit_rows", options.threads}};
  if (!options.quick && options.threads > 1) {
    wanted.push_back({Side::one_thread, "tensorette_rows", 1});
  }
  Programs programs;
  for (const auto& [side, name, threads] : wanted) {
    if (!fs::exists(folder / name)) continue;
    Environment environment = child_environment(threads);
    if (!kernels.empty()) use_openblas_kernels(environment, kernels);
    programs[side] = std::make_unique<Child>(folder / name, environment);
  }
  return programs;
}

// A quick run shares the time that is left among the rows that are left; the slowest rows may have
// one round only.
Schedule make_schedule(const Options& options, std::size_t rows_left, double seconds_used) {
  if (!options.quick) {
    const int rounds = std::max(options.rounds, Schedule{}.least_rounds);
    return {.rounds = rounds,
            .row_seconds = options.patience,
            .least_rounds = rounds,
            .processor_time = options.processor_time};
  }
  return {.rounds = Schedule{}.least_rounds,
          .block_seconds = 0.02,
          .row_seconds = (quick_seconds - seconds_used) / double(rows_left),
          .least_rounds = 1,
          .processor_time = options.processor_time};
}

std::vector<RowInfo> chosen_rows(const Options& options) {
  const std::regex pattern(options.only);
  constexpr double most_quick_flops = 1e11;  // more than half a second on a few cores
  std::vector<RowInfo> rows;
  for (const RowInfo& row : row_table()) {
    if (options.quick && flops(row) > most_quick_flops) continue;
    if (std::regex_search(row.name, pattern)) rows.push_back(row);
  }
  if (rows.empty()) throw std::runtime_error("no row's name matches '" + options.only + "'");
  // On a busy machine the minute may end early: then the longest rows are those left out.
  if (options.quick)
    std::ranges::stable_sort(rows, {}, [](const RowInfo& row) { return flops(row); });
  return rows;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

int run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<RowInfo> rows = chosen_rows(options);
  const std::string kernels = openblas_kernels(options.threads);
  Programs programs = start_programs(options, kernels);
  Machine machine = describe_machine(programs, options.threads);
  machine.openblas_kernels = kernels;
  std::cout << table_heading(machine) << std::flush;
  std::vector<RowResult> results;
  bool failed = false;
  for (const RowInfo& row : rows) {
    const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start;
    if (options.quick && used.count() > last_quick_start) {
      std::cout << fmt::format("{:<26} left out: the minute is over\n", row.name) << std::flush;
      continue;
    }
    const Schedule schedule = make_schedule(options, rows.size() - results.size(), used.count());
    results.push_back(measure_row(row, programs, schedule));
    failed = failed || !results.back().errors.empty();
    std::cout << table_line(results.back(), machine) << std::flush;
  }
  if (!options.json_file.empty()) {
    write_file(options.json_file, to_json(machine, results).dump(2) + "\n");
  }
  return failed ? 1 : 0;
}

nlohmann::json read_run(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  try {
    return nlohmann::json::parse(file);
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

int check(const Options& options) {
  const auto changes =
      compare_runs(read_run(options.before_file), read_run(options.after_file), options.absolute);
  std::cout << change_table(changes, options.tolerance);
  if (changes.empty()) throw std::runtime_error("the two runs have no measured row in common");
  const int regressions = count_regressions(changes, options.tolerance);
  fmt::print("{} of {} rows slower by more than {:.0f} %\n", regressions, changes.size(),
             100 * options.tolerance);
  return regressions > 0 ? 1 : 0;
}

}  // namespace
}  // namespace tensorette::bench

int main(int argc, char** argv) {
  using namespace tensorette::bench;
  Options options;
  CLI::App app{"Tensorette, libtorch, hand-written attention and the machine's limit in one table"};
  app.add_flag("--quick", options.quick, "Within a minute: fewer rounds, without the longest rows");
  app.add_option("--only", options.only, "Rows whose name matches this regular expression");
  app.add_option("--json", options.json_file, "Write the results to this file");
  app.add_option("--rounds", options.rounds, "Turns of each side, 9 at least")
      ->capture_default_str();
  app.add_option("--patience", options.patience,
                 "Seconds for which a row waits for rounds that no other program disturbs")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--processor-time", options.processor_time,
               "Compare the processors' time, not the clock's: with --threads 1 a way to compare "
               "work while other programs are busy");
  app.add_option("--threads", options.threads, "Threads of each side")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI::App* check_command =
      app.add_subcommand("check", "Compare two files of runs; ends with 1 when a row is slower");
  check_command->add_option("before", options.before_file, "The earlier run")->required();
  check_command->add_option("after", options.after_file, "The later run")->required();
  check_command->add_option("--tolerance", options.tolerance, "Slowdown that is forgiven")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  check_command->add_flag("--absolute", options.absolute, "Compare milliseconds, not ratios");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return check_command->parsed() ? check(options) : run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_compare: {}\n", error.what());
    return 1;
  }
}
