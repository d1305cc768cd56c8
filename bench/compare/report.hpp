/// \file
/// The table and the JSON file of a run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "measure.hpp"

namespace tensorette::bench {

/// The computer that a run was made on.
struct Machine {
  std::string processor;
  int threads = 1;                 ///< that each side was told to use
  double sgemm_gflops = 0;         ///< 1024³ on all threads; 0 when not measured
  double copy_gigabytes = 0;       ///< bytes read and written in a second; 0 when not measured
  std::string openblas_kernels{};  ///< that OpenBLAS was told to use; empty: those of its choice
};

/// Name of this computer; its rates are filled in from the rows `sgemm_1024` and
/// `copy_memory` of the limit's program, where it is there.
[[nodiscard]] Machine describe_machine(Programs& programs, int threads);

/// The heading of the table.
[[nodiscard]] std::string table_heading(const Machine& machine);

/// One line of the table.
[[nodiscard]] std::string table_line(const RowResult& result, const Machine& machine);

/// `{"machine": {...}, "rows": [{"name", "tensorette_ms", "libtorch_ms", "limit_ms", "flops",
/// ...}]}`, null where a side is missing.
[[nodiscard]] nlohmann::ordered_json to_json(const Machine& machine,
                                             const std::vector<RowResult>& results);

}  // namespace tensorette::bench
