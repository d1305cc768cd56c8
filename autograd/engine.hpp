/// \file
/// Walking the graph back. Before: node.hpp.
#pragma once

#include <span>
#include <tensorette/autograd/variable.hpp>
#include <vector>

namespace tensorette {

/// Backward from several outputs at once; `gradients` has one upstream gradient per output, an
/// undefined one stands for 1 and needs an output with one element.
void backward(std::span<const Variable> outputs, std::span<const Variable> gradients,
              BackwardOptions options = {});

/// Options of grad().
struct GradOptions {
  bool create_graph = false;  ///< make the results differentiable; implies retain_graph
  bool retain_graph = false;  ///< keep the graph for another backward
};

/// d(outputs)/d(inputs), contracted with the upstream `gradients` (see backward()). Collects
/// nothing in any parameter. An input may be any variable that requires a gradient; one that the
/// outputs do not depend on gets zeros. \throws GraphError
[[nodiscard]] std::vector<Variable> grad(std::span<const Variable> outputs,
                                         std::span<const Variable> inputs,
                                         std::span<const Variable> gradients = {},
                                         GradOptions options = {});
/// The gradient of one output with one element with respect to one input.
[[nodiscard]] Variable grad(const Variable& output, const Variable& input,
                            GradOptions options = {});

}  // namespace tensorette
