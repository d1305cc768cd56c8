#include "other_programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>

namespace tensorette::bench {
namespace {

struct ProcessorTime {
  double busy = 0;
  double total = 0;
};

// Seconds of all processors since the system started: the first line of /proc/stat.
ProcessorTime processor_time() {
  constexpr int idle_field = 3;
  constexpr int waiting_field = 4;
  constexpr int fields = 8;  // user nice system idle waiting interrupts interrupts stolen
  std::ifstream file("/proc/stat");
  std::string heading;
  file >> heading;
  ProcessorTime time;
  for (int field = 0; field < fields; ++field) {
    double ticks = 0;
    file >> ticks;
    const double seconds = ticks / double(sysconf(_SC_CLK_TCK));
    time.total += seconds;
    if (field != idle_field && field != waiting_field) time.busy += seconds;
  }
  return time;
}

double own_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

}  // namespace

OtherPrograms::OtherPrograms(const Programs& programs)
    : programs_(programs),
      seconds_before_(seconds()),
      idle_and_busy_before_(processor_time().total) {}

double OtherPrograms::seconds() const {
  double ours = own_seconds();
  for (const auto& entry : programs_) ours += entry.second->processor_seconds();
  return processor_time().busy - ours;
}

double OtherPrograms::share() const {
  const double total = processor_time().total - idle_and_busy_before_;
  if (total <= 0) return 0;
  return std::clamp((seconds() - seconds_before_) / total, 0.0, 1.0);
}

}  // namespace tensorette::bench
