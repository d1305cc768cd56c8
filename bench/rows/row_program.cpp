#include "row_program.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>
#include <iostream>
#include <optional>
#include <sstream>
#include <thread>

namespace tensorette::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Idle workers of OpenMP and of BLAS libraries, also those of the program that was measured before,
// spin for up to about 30 ms before they sleep.
constexpr std::chrono::milliseconds spinning_time{35};

constexpr double warming_milliseconds = 20;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double processor_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * double(time.tv_sec) + 1e-6 * double(time.tv_nsec);
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024.0;
}

// Keeps the row that was asked for last, since a driver asks for the same one many times.
class Rows {
 public:
  explicit Rows(const std::vector<Row>& rows) : rows_(rows) {}

  Timing run(const std::string& name, double seconds) {
    if (name != current_) {
      step_.reset();
      last_milliseconds_ = 0;
      step_ = find(name).prepare();
      current_ = name;
    }
    settle(*step_, last_milliseconds_);
    const Timing timing = time_steps(*step_, seconds);
    last_milliseconds_ = timing.milliseconds;
    return timing;
  }

  [[nodiscard]] std::string names() const {
    std::string text;
    for (const Row& row : rows_) text += (text.empty() ? "" : " ") + row.name;
    return text;
  }

 private:
  [[nodiscard]] const Row& find(const std::string& name) const {
    for (const Row& row : rows_) {
      if (row.name == name) return row;
    }
    throw std::invalid_argument(fmt::format("no row named '{}'; there are: {}", name, names()));
  }

  const std::vector<Row>& rows_;
  std::string current_;
  std::optional<Step> step_;
  double last_milliseconds_ = 0;
};

std::string answer(Rows& rows, const std::string& question) {
  std::istringstream words(question);
  std::string verb;
  words >> verb;
  if (verb == "list") return rows.names();
  std::string name;
  double seconds = 0;
  if (verb != "run" || !(words >> name >> seconds)) {
    return fmt::format("error asked '{}', expected 'list' or 'run NAME SECONDS'", question);
  }
  try {
    const Timing timing = rows.run(name, seconds);
    return fmt::format("ok {} {} {} {:.1f}", timing.milliseconds, timing.processor_milliseconds,
                       timing.steps, peak_megabytes());
  } catch (const std::exception& error) {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return "error " + text;
  }
}

}  // namespace

Timing time_steps(const Step& step, double seconds) {
  std::vector<double> times;
  const double processor_start = processor_milliseconds();
  const auto start = Clock::now();
  do {
    const auto before = Clock::now();
    step();
    times.push_back(milliseconds_since(before));
  } while (milliseconds_since(start) < 1000 * seconds);
  const double processor_time = processor_milliseconds() - processor_start;
  const auto middle = times.begin() + std::ptrdiff_t(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return {*middle, processor_time / double(times.size()), int(times.size())};
}

void settle(const Step& step, double last_milliseconds) {
  std::this_thread::sleep_for(spinning_time);
  if (last_milliseconds > warming_milliseconds) return;
  const auto start = Clock::now();
  do {
    step();
  } while (milliseconds_since(start) < warming_milliseconds);
}

void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 2'000'000'000);
  mallopt(M_TOP_PAD, 64 << 20);
}

int run_row_program(const std::vector<Row>& rows, int argc, char** argv) {
  CLI::App app{
      "Measures rows of the benchmark table; without --row answers questions on standard "
      "input"};
  std::string name;
  double seconds = 1;
  bool list = false;
  app.add_option("--row", name, "Measure this row, print milliseconds per step, and end");
  app.add_option("--seconds", seconds, "For how long")->capture_default_str();
  app.add_flag("--list", list, "Print the names of the rows and end");
  CLI11_PARSE(app, argc, argv);

  Rows offered(rows);
  if (list) {
    for (const Row& row : rows) std::cout << row.name << '\n';
    return 0;
  }
  if (!name.empty()) {
    try {
      const Timing timing = offered.run(name, seconds);
      fmt::print("{} {:.5g} ms, median of {} steps; {:.5g} ms of processors; peak {:.1f} MB\n",
                 name, timing.milliseconds, timing.steps, timing.processor_milliseconds,
                 peak_megabytes());
      return 0;
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
      return 1;
    }
  }
  for (std::string question; std::getline(std::cin, question);) {
    std::cout << answer(offered, question) << std::endl;
  }
  return 0;
}

}  // namespace tensorette::bench
