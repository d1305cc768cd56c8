/// \file
/// Operations of one's own. Before: node.hpp. Next: gradcheck.hpp.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tensorette/autograd/node.hpp>
#include <vector>

namespace tensorette {

/// An operation that the library does not have.
struct CustomOperation {
  /// For error messages and pictures.
  std::string name = "custom";
  /// The value, from the values of the inputs; nothing in it is recorded.
  std::function<Tensor(std::span<const Tensor> inputs)> forward{};
  /// The gradients of the inputs (undefined: zero) from that of the output, `context.grad()`. Saved
  /// values are `context.input(i)` and `context.output()`. A gradient may have the shape that its
  /// input was broadcast to: it is summed over the broadcast axes for you.
  std::function<Grads(const VjpContext& context)> vjp{};
  /// Inputs that the vjp does not ask for need not be kept: `Save::input(0) | Save::result()`.
  /// Default: every input and the output.
  std::optional<Save> save{};
};

/// Applies an operation of one's own to up to 32 inputs and records it:
///
///     Variable softsign(const Variable& x) {                        // y = x / (1 + |x|)
///       return custom_operation({x}, {
///           .name = "softsign",
///           .forward = [](auto in) { return in[0] / (abs(in[0]) + 1); },
///           .vjp = [](const VjpContext& c) -> Grads {               // dx = g / (1 + |x|)²
///             return c.grad() / square(abs(c.input(0)) + 1);
///           }});
///     }
///
/// The vjp is written in operations on Variables; then it can be differentiated itself, and second
/// and higher derivatives, jvp() and hessian() come by themselves. One that calculates on tensors
/// (`c.grad().value()`) serves first derivatives; asking for more throws, naming the operation.
/// Ask gradcheck() and gradgradcheck() whether a vjp is right.
///
/// \throws Error for a missing function, an undefined input, or an undefined result; GraphError in
/// backward for a wrong number of gradients; ShapeError, DTypeError in backward for gradients that
/// do not fit; whatever both functions throw
[[nodiscard]] Variable custom_operation(const std::vector<Variable>& inputs,
                                        CustomOperation operation);

}  // namespace tensorette
