#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

namespace tensorette::bench {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// One turn; a program that fails is left out of the row's further rounds.
bool take_turn(Side side, Child& child, const Schedule& schedule, RowResult& result) {
  try {
    const Answer answer = child.run(result.row.name, schedule.block_seconds);
    SideResult& measured = result.sides[side];
    measured.peak_megabytes = answer.peak_megabytes;
    measured.milliseconds.push_back(answer.milliseconds);
    return true;
  } catch (const std::exception& error) {
    result.errors.emplace_back(error.what());
    result.sides.erase(side);
    return false;
  }
}

}  // namespace

RowResult measure_row(const RowInfo& row, Programs& programs, const Schedule& schedule) {
  RowResult result{row, {}, {}};
  std::vector<std::pair<Side, Child*>> running;
  for (const auto& [side, child] : programs) {
    if (child->offers(row.name)) running.emplace_back(side, child.get());
  }
  const auto start = std::chrono::steady_clock::now();
  const auto time_is_up = [&] {
    return std::chrono::steady_clock::now() - start >
           std::chrono::duration<double>(schedule.row_seconds);
  };
  const auto round = [&] {
    std::erase_if(running, [&](const auto& entry) {
      return !take_turn(entry.first, *entry.second, schedule, result);
    });
  };
  round();
  if (schedule.least_rounds <= 1 && time_is_up()) return result;
  for (auto& [side, measured] : result.sides) measured.milliseconds.clear();
  for (int i = 0; i < schedule.rounds && !(i >= schedule.least_rounds && time_is_up()); ++i) {
    round();
  }
  return result;
}

std::optional<double> median_milliseconds(const RowResult& result, Side side) {
  const auto found = result.sides.find(side);
  if (found == result.sides.end()) return std::nullopt;
  return median(found->second.milliseconds);
}

std::optional<double> times_faster(const RowResult& result, Side side, Side other) {
  const auto mine = result.sides.find(side);
  const auto theirs = result.sides.find(other);
  if (mine == result.sides.end() || theirs == result.sides.end()) return std::nullopt;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < mine->second.milliseconds.size(); ++i) {
    ratios.push_back(theirs->second.milliseconds[i] / mine->second.milliseconds[i]);
  }
  return median(std::move(ratios));
}

}  // namespace tensorette::bench
