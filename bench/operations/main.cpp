/// \file
/// Every operation alone, and every row of the table, in Google Benchmark's words:
///
///     bench_operations --benchmark_filter='softmax.*large'
///
/// Names of operations say operation, size, layout, and forward or backward; rows of the table are
/// called row/NAME and show their FLOP/s.
#include <benchmark/benchmark.h>

#include "register.hpp"

int main(int argc, char** argv) {
  using namespace tensorette::bench;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  register_arithmetic();
  register_elementwise();
  register_reductions();
  register_shaping();
  register_matmul();
  register_random();
  register_rows();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
