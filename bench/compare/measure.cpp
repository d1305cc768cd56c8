#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "other_programs.hpp"

namespace tensorette::bench {
namespace {

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Who takes part in a row. A program that fails is left out from then on.
class Participants {
 public:
  Participants(Programs& programs, RowResult& result) : programs_(programs), result_(result) {
    for (const auto& [side, child] : programs) {
      if (child->offers(result.row.name)) sides_.push_back(side);
    }
  }

  Round take_turns(const Schedule& schedule) {
    const OtherPrograms others(programs_);
    Round round;
    std::erase_if(sides_, [&](Side side) {
      try {
        const Answer answer = programs_.at(side)->run(result_.row.name, schedule.block_seconds);
        round.milliseconds[side] =
            schedule.processor_time ? answer.processor_milliseconds : answer.milliseconds;
        result_.peak_megabytes[side] = answer.peak_megabytes;
        return false;
      } catch (const std::exception& error) {
        result_.errors.emplace_back(error.what());
        return true;
      }
    });
    round.others_share = others.share();
    return round;
  }

 private:
  Programs& programs_;
  RowResult& result_;
  std::vector<Side> sides_;
};

}  // namespace

double RowResult::others_share() const {
  double largest = 0;
  for (const Round& round : rounds) largest = std::max(largest, round.others_share);
  return largest;
}

RowResult measure_row(const RowInfo& row, Programs& programs, const Schedule& schedule) {
  RowResult result{row, {}, {}, {}};
  Participants participants(programs, result);
  const auto start = std::chrono::steady_clock::now();
  const auto time_is_up = [&] {
    return std::chrono::steady_clock::now() - start >
           std::chrono::duration<double>(schedule.row_seconds);
  };
  const Round first = participants.take_turns(schedule);
  if (schedule.least_rounds <= 1 && time_is_up()) {
    result.rounds = {first};
    return result;
  }
  int undisturbed = 0;
  while (undisturbed < schedule.rounds &&
         !(time_is_up() && int(result.rounds.size()) >= schedule.least_rounds)) {
    result.rounds.push_back(participants.take_turns(schedule));
    if (result.rounds.back().others_share <= tolerated_share) ++undisturbed;
  }
  std::sort(result.rounds.begin(), result.rounds.end(),
            [](const Round& a, const Round& b) { return a.others_share < b.others_share; });
  if (int(result.rounds.size()) > schedule.rounds) {
    result.rounds.resize(std::size_t(schedule.rounds));
  }
  return result;
}

std::optional<double> median_milliseconds(const RowResult& result, Side side) {
  std::vector<double> times;
  for (const Round& round : result.rounds) {
    const auto time = round.milliseconds.find(side);
    if (time != round.milliseconds.end()) times.push_back(time->second);
  }
  return median(std::move(times));
}

std::optional<double> times_faster(const RowResult& result, Side side, Side other) {
  std::vector<double> ratios;
  for (const Round& round : result.rounds) {
    const auto mine = round.milliseconds.find(side);
    const auto theirs = round.milliseconds.find(other);
    if (mine == round.milliseconds.end() || theirs == round.milliseconds.end()) continue;
    ratios.push_back(theirs->second / mine->second);
  }
  return median(std::move(ratios));
}

}  // namespace tensorette::bench
