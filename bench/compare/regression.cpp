#include "regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

namespace tensorette::bench {
namespace {

using Json = nlohmann::json;

std::map<std::string, Json> rows_by_name(const Json& run) {
  if (!run.is_object() || !run.contains("rows") || !run.at("rows").is_array()) {
    throw std::runtime_error("not the file of a benchmark run: it has no array 'rows'");
  }
  std::map<std::string, Json> rows;
  for (const Json& row : run.at("rows")) rows[row.at("name")] = row;
  return rows;
}

std::optional<double> positive_number(const Json& row, const std::string& key) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_number() || found->get<double>() <= 0) return std::nullopt;
  return found->get<double>();
}

bool is_slower(const Change& change, double tolerance) {
  return change.slowdown() > 1 + tolerance;
}

}  // namespace

std::vector<Change> compare_runs(const Json& before, const Json& after, bool absolute) {
  const auto old_rows = rows_by_name(before);
  std::vector<Change> changes;
  for (const auto& [name, row] : rows_by_name(after)) {
    const auto old_row = old_rows.find(name);
    if (old_row == old_rows.end()) continue;
    const auto old_time = positive_number(old_row->second, "tensorette_ms");
    const auto new_time = positive_number(row, "tensorette_ms");
    if (!old_time || !new_time) continue;
    Change change{name, "", *old_time, *new_time};
    for (const char* reference : {"limit_ms", "libtorch_ms"}) {
      const auto old_reference = positive_number(old_row->second, reference);
      const auto new_reference = positive_number(row, reference);
      if (absolute || !old_reference || !new_reference) continue;
      change = {name, reference, *old_time / *old_reference, *new_time / *new_reference};
      break;
    }
    changes.push_back(change);
  }
  return changes;
}

std::string change_table(const std::vector<Change>& changes, double tolerance) {
  std::string text = fmt::format("{:<26} {:>12} {:>10} {:>10} {:>9}\n", "row", "measured by",
                                 "before", "after", "slowdown");
  for (const Change& change : changes) {
    text += fmt::format("{:<26} {:>12} {:>10.4g} {:>10.4g} {:>9.3f}{}\n", change.name,
                        change.measured_by.empty() ? "ms" : change.measured_by, change.before,
                        change.after, change.slowdown(),
                        is_slower(change, tolerance) ? "  SLOWER" : "");
  }
  return text;
}

int count_regressions(const std::vector<Change>& changes, double tolerance) {
  return int(std::count_if(changes.begin(), changes.end(),
                           [&](const Change& change) { return is_slower(change, tolerance); }));
}

}  // namespace tensorette::bench
