/// \file
/// A trace as a picture by Graphviz. Before: trace.hpp.
#pragma once

#include <string>
#include <tensorette/autograd/trace/trace.hpp>

namespace tensorette {

struct TraceDotOptions {
  std::size_t node_limit = 300;  ///< nodes beyond it are left out in the middle, and counted
};

/// The graph in the language of Graphviz, inputs above outputs: parameters as boxes, operations
/// rounded, each with its shape; a cluster for each run of a module.
[[nodiscard]] std::string to_dot(const Trace& trace, const TraceDotOptions& options = {});

/// Has Graphviz draw the graph into an SVG file. False, and no file, where there is no program
/// called dot. \throws FormatError if the file can't be written; Error if dot fails.
bool write_trace_svg(const std::string& path, const Trace& trace,
                     const TraceDotOptions& options = {});

}  // namespace tensorette
