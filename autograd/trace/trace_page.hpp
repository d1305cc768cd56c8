/// \file
/// A trace as one interactive page. Before: trace.hpp.
#pragma once

#include <string>
#include <tensorette/autograd/trace/trace.hpp>

namespace tensorette {

struct TracePageOptions {
  std::string title = "Trace";  ///< heading of the page
};

/// A complete HTML document that needs no network: the graph in layers, modules that open and
/// close, forward and backward step by step with formulas, shapes and numbers, search, zoom,
/// keyboard, light and dark. Made for up to a few thousand nodes: give trace() a node_limit for
/// more.
[[nodiscard]] std::string to_html(const Trace& trace, const TracePageOptions& options = {});

/// Writes the page into a file. \throws FormatError if that fails; an older file is intact then.
void write_trace_page(const std::string& path, const Trace& trace,
                      const TracePageOptions& options = {});

}  // namespace tensorette
