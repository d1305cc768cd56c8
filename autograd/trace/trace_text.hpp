/// \file
/// A trace as text. Before: trace.hpp.
#pragma once

#include <string>
#include <tensorette/autograd/trace/trace.hpp>

namespace tensorette {

struct TraceTextOptions {
  std::size_t line_limit = 400;  ///< nodes beyond it are left out in the middle, and counted
  bool formulas = false;         ///< below each operation, its formula and its vjp with shapes
};

/// A line for each node: number, operation, name, shape, inputs by their numbers, norms of value
/// and gradient, times, bytes kept; a heading where another module begins.
[[nodiscard]] std::string to_string(const Trace& trace, const TraceTextOptions& options = {});

}  // namespace tensorette
