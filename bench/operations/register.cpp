#include "register.hpp"

#include <benchmark/benchmark.h>

#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/random.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette::bench {
namespace {

void count_work(benchmark::State& state, double flops, Index elements) {
  if (flops > 0) {
    state.counters["FLOP/s"] =
        benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
  }
  if (elements > 0) state.SetItemsProcessed(state.iterations() * elements);
}

void measure_forward(benchmark::State& state, const Benchmark& what) {
  const NoGrad no_grad;
  const Inputs inputs = what.make_inputs();
  for ([[maybe_unused]] const auto iteration : state) {
    benchmark::DoNotOptimize(what.operation(inputs));
  }
  count_work(state, what.flops, what.elements);
}

void measure_backward(benchmark::State& state, const Benchmark& what) {
  const Inputs inputs = what.make_inputs();
  const Variable output = what.operation(inputs);
  const Variable upstream = ones_like(output.value());
  for ([[maybe_unused]] const auto iteration : state) {
    output.backward(upstream, {.retain_graph = true});
    for (const Variable& input : inputs) {
      if (input.requires_grad()) input.zero_grad();
    }
  }
  count_work(state, what.flops, what.elements);
}

}  // namespace

std::string_view name_of(Layout layout) {
  switch (layout) {
    case Layout::contiguous:
      return "contiguous";
    case Layout::transposed:
      return "transposed";
    case Layout::every_second:
      return "every_second";
    case Layout::broadcast_row:
      return "broadcast_row";
    case Layout::broadcast_column:
      return "broadcast_column";
  }
  return "";
}

Tensor make_operand(const Shape& shape, Layout layout) {
  Generator generator(1);
  const auto numbers = [&](const Shape& of) { return generator.uniform(of, 0.5, 1.5); };
  const Index rows = shape[0];
  const Index columns = shape[1];
  switch (layout) {
    case Layout::contiguous:
      break;
    case Layout::transposed:
      return transpose(numbers({columns, rows}));
    case Layout::every_second:
      return slice(numbers({rows, 2 * columns}), 1, 0, std::nullopt, 2);
    case Layout::broadcast_row:
      return numbers({columns});
    case Layout::broadcast_column:
      return numbers({rows, 1});
  }
  return numbers(shape);
}

void register_benchmark(const Benchmark& what) {
  benchmark::RegisterBenchmark((what.name + "/forward").c_str(),
                               [what](benchmark::State& state) { measure_forward(state, what); });
  if (!what.differentiable) return;
  benchmark::RegisterBenchmark((what.name + "/backward").c_str(),
                               [what](benchmark::State& state) { measure_backward(state, what); });
}

}  // namespace tensorette::bench
