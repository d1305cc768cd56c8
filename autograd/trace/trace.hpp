/// \file
/// A computation as data: every operation that led to a value, what it computed, and what gradient
/// passed through it.
/// Before: recording.hpp. Next: trace_text.hpp, trace_dot.hpp, trace_page.hpp.
///
///     tt::Recording recording;                      // times, all values, names of modules
///     const tt::Variable loss = nn::mse(model.forward(x), wanted);
///     tt::write_trace_page("loss.html", tt::trace(loss));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tensorette/autograd/trace/tensor_summary.hpp>
#include <tensorette/autograd/variable.hpp>
#include <vector>

namespace tensorette {

enum class Op : std::uint16_t;

/// Where an input of an operation came from.
struct TraceInput {
  static constexpr std::int64_t constant = -1;   ///< from no recorded operation
  static constexpr std::int64_t not_shown = -2;  ///< from one that was cut off

  std::int64_t node = constant;  ///< position in Trace::nodes, or one of the two above
  std::optional<Shape> shape{};  ///< of a constant it is known only if saved or recorded
};

/// A value that an operation keeps for its vjp.
struct TraceSaved {
  std::string what{};  ///< "input 0", "output" or "extra"
  Shape shape{};
  DType dtype = DType::f32;
  bool is_parameter = false;             ///< it would exist anyway
  std::optional<TensorSummary> value{};  ///< unless it is the value of a node of the trace
};

/// An operation or a parameter.
struct TraceNode {
  std::size_t number = 0;  ///< position among all nodes, those cut off included
  std::uint64_t id = 0;    ///< Node::id()
  Op op{};
  std::string operation{};  ///< its name, e.g. "matmul"
  std::string name{};       ///< of a parameter, if it was given one
  Shape shape{};            ///< of the output
  DType dtype = DType::f32;
  std::vector<TraceInput> inputs{};
  std::vector<TraceSaved> saved{};
  Index kept_bytes = 0;   ///< saved for backward; what earlier nodes keep too counts there
  std::string formula{};  ///< "y [2, 4] = a [2, 3] b [3, 4]"
  std::string vjp{};      ///< "da [2, 3] = g [2, 4] bᵀ [4, 3]; db [3, 4] = aᵀ [3, 2] g [2, 4]"
  std::optional<TensorSummary> value{};      ///< if recorded, or saved by some operation
  std::optional<TensorSummary> gradient{};   ///< of the traced output with respect to this
  std::optional<double> forward_seconds{};   ///< if recorded
  std::optional<double> backward_seconds{};  ///< of its vjp
  std::int64_t scope = -1;                   ///< position in Trace::scopes; −1: in none
};

/// One run of a module's forward. A module that runs twice has two.
struct TraceScope {
  std::string path{};        ///< "Transformer.encoder.layers.0"
  std::int64_t parent = -1;  ///< the run around this one; −1: none
};

struct Trace {
  std::vector<TraceNode> nodes{};    ///< in the order they were made: inputs first, output last
  std::vector<TraceScope> scopes{};  ///< parents first
  std::size_t total_nodes = 0;       ///< more than nodes.size() if the trace was cut
  std::size_t gap = 0;               ///< the cut-off ones stood before nodes[gap]
  std::string note{};                ///< what could not be found out, and why; else empty

  [[nodiscard]] std::size_t omitted_nodes() const noexcept { return total_nodes - nodes.size(); }
  [[nodiscard]] Index kept_bytes() const noexcept;
};

struct TraceOptions {
  /// Walks back through the graph to see the gradients, unless a Recording has seen them already.
  /// Changes no grad() and keeps the graph; hooks run.
  bool gradients = true;
  Index element_limit = 64;        ///< tensors with at most as many elements are shown in full
  std::size_t node_limit = 10000;  ///< beyond it, only as many of the first and of the last nodes
};

/// The graph behind `output`. Without a Recording around the computation there are no forward
/// times, no module names, and only those values that some operation has saved. An output that is
/// no scalar gets ones as its upstream gradient.
/// \throws GraphError for a constant, and for a graph that backward has released, unless a
/// Recording has seen it being made. \throws Error for a node_limit below 2.
[[nodiscard]] Trace trace(const Variable& output, const TraceOptions& options = {});

}  // namespace tensorette
