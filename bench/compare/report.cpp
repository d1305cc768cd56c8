#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace tensorette::bench {
namespace {

constexpr std::string_view table_format =
    "{:<26} {:>8} {:>11} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10}  {}\n";

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

// Four significant digits at most, or a dash.
std::string cell(std::optional<double> value) {
  if (!value) return "-";
  if (*value >= 100) return fmt::format("{:.0f}", *value);
  return fmt::format("{:.3g}", *value);
}

std::string cell(std::optional<double> value, const char* unit) {
  return value ? fmt::format("{:.2f}{}", *value, unit) : "-";
}

std::string work(const RowInfo& row) {
  const double count = flops(row);
  if (count >= 1e9) return fmt::format("{:.3g} G", count / 1e9);
  if (count >= 1e6) return fmt::format("{:.3g} M", count / 1e6);
  return fmt::format("{:.3g} k", count / 1e3);
}

double bytes_moved(const RowInfo& row) {
  return double(row.bytes_read + row.bytes_written);
}

// The first side that was measured, ours before the others: whose rate the table shows.
std::optional<double> shown_milliseconds(const RowResult& result) {
  for (const Side side : {Side::tensorette, Side::hand_written, Side::libtorch}) {
    if (const auto time = median_milliseconds(result, side)) return time;
  }
  return std::nullopt;
}

// Speed of our step in the unit of its limit, and its part of the machine's rate.
std::string rate(const RowResult& result, const Machine& machine) {
  const auto time = shown_milliseconds(result);
  if (!time) return "-";
  switch (result.row.limited_by) {
    case LimitedBy::products: {
      const double gflops = flops(result.row) / *time / 1e6;
      if (machine.sgemm_gflops == 0) return fmt::format("{:.3g} GFLOP/s", gflops);
      return fmt::format("{:.3g} GFLOP/s {:3.0f}%", gflops, 100 * gflops / machine.sgemm_gflops);
    }
    case LimitedBy::memory:
      return fmt::format("{:.3g} GB/s", bytes_moved(result.row) / *time / 1e6);
    case LimitedBy::overhead:
      break;
  }
  return "-";
}

// How much of a further thread's time becomes speed: 1 where two threads need half the time of one.
std::optional<double> scaling_efficiency(const RowResult& result, const Machine& machine) {
  const auto speed_up = times_faster(result, Side::tensorette, Side::one_thread);
  if (!speed_up) return std::nullopt;
  return *speed_up / machine.threads;
}

nlohmann::ordered_json optional_number(std::optional<double> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

Machine describe_machine(Programs& programs, int threads) {
  Machine machine{.processor = processor_name(), .threads = threads};
  const auto limit = programs.find(Side::limit);
  if (limit == programs.end()) return machine;
  // A limit is what the machine can do: the best of several blocks.
  const auto best_milliseconds = [&](std::string_view row) {
    double best = std::numeric_limits<double>::infinity();
    for (int block = 0; block < 7; ++block) {
      best = std::min(best, limit->second->run(std::string(row), 0.05).milliseconds);
    }
    return best;
  };
  const double size = double(reference_sgemm_size);
  machine.sgemm_gflops = 2 * size * size * size / best_milliseconds(reference_sgemm_row) / 1e6;
  machine.copy_gigabytes =
      2 * double(reference_copy_bytes) / best_milliseconds(reference_copy_row) / 1e6;
  return machine;
}

std::string table_heading(const Machine& machine) {
  std::string text = fmt::format("{}, {} threads", machine.processor, machine.threads);
  if (machine.sgemm_gflops > 0) {
    text += fmt::format("; sgemm at 1024³ {:.0f} GFLOP/s; memory {:.1f} GB/s copied",
                        machine.sgemm_gflops, machine.copy_gigabytes);
  }
  if (!machine.openblas_kernels.empty()) {
    text +=
        fmt::format("\nOpenBLAS does not know this processor; it was told to use its {} kernels",
                    machine.openblas_kernels);
  }
  return text + "\n" +
         fmt::format(table_format, "row", "FLOP", "tensorette", "libtorch", "by hand", "limit",
                     "libtorch/", "by hand/", "limit/", "scaling", "rate, and part") +
         fmt::format(table_format, "", "", "ms", "ms", "ms", "ms", "ours", "ours", "ours",
                     "of threads", "of sgemm's");
}

std::string table_line(const RowResult& result, const Machine& machine) {
  const auto time = [&](Side side) { return cell(median_milliseconds(result, side)); };
  const auto ratio = [&](Side other, const char* unit) {
    return cell(times_faster(result, Side::tensorette, other), unit);
  };
  std::string text =
      fmt::format(table_format, result.row.name, work(result.row), time(Side::tensorette),
                  time(Side::libtorch), time(Side::hand_written), time(Side::limit),
                  ratio(Side::libtorch, "x"), ratio(Side::hand_written, ""), ratio(Side::limit, ""),
                  cell(scaling_efficiency(result, machine), ""), rate(result, machine));
  if (result.others_share() > tolerated_share) {
    text += fmt::format("    disturbed: other programs took up to {:.0f} % of the machine\n",
                        100 * result.others_share());
  }
  for (const std::string& error : result.errors) text += "    " + error + "\n";
  return text;
}

nlohmann::ordered_json to_json(const Machine& machine, const std::vector<RowResult>& results) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const RowResult& result : results) {
    const auto time = [&](Side side) { return optional_number(median_milliseconds(result, side)); };
    const auto faster = [&](Side other) {
      return optional_number(times_faster(result, Side::tensorette, other));
    };
    const auto memory = [&](Side side) -> nlohmann::ordered_json {
      const auto found = result.peak_megabytes.find(side);
      if (found == result.peak_megabytes.end()) return nullptr;
      return found->second;
    };
    rows.push_back({{"name", result.row.name},
                    {"tensorette_ms", time(Side::tensorette)},
                    {"libtorch_ms", time(Side::libtorch)},
                    {"limit_ms", time(Side::limit)},
                    {"flops", flops(result.row)},
                    {"hand_written_ms", time(Side::hand_written)},
                    {"one_thread_ms", time(Side::one_thread)},
                    {"scaling_efficiency", optional_number(scaling_efficiency(result, machine))},
                    {"bytes", bytes_moved(result.row)},
                    {"times_faster_than_libtorch", faster(Side::libtorch)},
                    {"speed_against_hand_written", faster(Side::hand_written)},
                    {"speed_against_limit", faster(Side::limit)},
                    {"tensorette_peak_megabytes", memory(Side::tensorette)},
                    {"libtorch_peak_megabytes", memory(Side::libtorch)},
                    {"rounds", result.rounds.size()},
                    {"other_programs_share", result.others_share()}});
  }
  return {{"machine",
           {{"processor", machine.processor},
            {"threads", machine.threads},
            {"sgemm_1024_gflops", machine.sgemm_gflops},
            {"copy_gigabytes_per_second", machine.copy_gigabytes},
            {"openblas_kernels", machine.openblas_kernels}}},
          {"rows", rows}};
}

}  // namespace tensorette::bench
