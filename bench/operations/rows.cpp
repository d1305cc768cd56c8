// The rows of the table, one benchmark each.
#include <benchmark/benchmark.h>

#include "register.hpp"
#include "rows/row_table.hpp"
#include "rows/tensorette_rows.hpp"

namespace tensorette::bench {

void register_rows() {
  for (const Row& row : tensorette_rows()) {
    const RowInfo* info = find_row(row.name);
    benchmark::RegisterBenchmark(("row/" + row.name).c_str(), [row, info](benchmark::State& state) {
      const Step step = row.prepare();
      for ([[maybe_unused]] const auto iteration : state) step();
      state.counters["FLOP/s"] =
          benchmark::Counter(flops(*info), benchmark::Counter::kIsIterationInvariantRate);
    })->UseRealTime();
  }
}

}  // namespace tensorette::bench
