// What a node tells of itself.
#pragma once

#include <tensorette/autograd/trace/recording.hpp>

namespace tensorette::detail {

/// Everything but values, gradients, times and scope; formulas are left to add_formulas().
[[nodiscard]] Recording::Operation describe(const Node& node, Index element_limit);

/// Sets formula and vjp from the shapes of output and inputs.
void add_formulas(TraceNode& node);

}  // namespace tensorette::detail
