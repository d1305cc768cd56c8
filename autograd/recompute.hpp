/// \file
/// Trading time for memory: computing again in backward what forward did not keep.
/// Before: functional.hpp.
#pragma once

#include <tensorette/autograd/functional.hpp>
#include <vector>

namespace tensorette {

/// f(inputs), recorded as one operation: of all that f computes on the way only its result is kept,
/// and backward calls f again when a gradient has come that far. Known elsewhere as (activation or
/// gradient) checkpointing: T. Chen, B. Xu, C. Zhang and C. Guestrin, "Training deep nets with
/// sublinear memory cost", 2016; here a checkpoint is a file, see nn/checkpoint.hpp.
///
///     for (const auto& layer : encoder.layers) {
///       x = recompute([&](const Variable& h) { return layer.forward(h, mask); }, x);
///     }
///
/// keeps the input of each layer and, at any moment, the inside of one. The price is one more
/// forward pass.
///
/// - Gradients are bit for bit those of calling f directly, of the inputs and of every variable
///   that f captures (the parameters of a layer). Higher derivatives are the same up to rounding.
/// - Random numbers that f draws on this thread, from whatever generator (dropout), are drawn once
///   and given again in backward; generators go on as if f had been called once.
/// - f is kept until the graph is released: what it refers to must live as long and behave the
///   same, so leave training mode on, and don't draw conclusions from the number of its calls.
/// - Calls may be nested. Without recording (NoGrad), f is simply called.
///
/// \throws Error for more than 32 inputs, an undefined one, or an undefined result; whatever f
/// throws. In backward GraphError if an input or captured variable has been written to, or if f
/// gives another shape, dtype or other draws than before.
[[nodiscard]] Variable recompute(const Function& f, const Variable& x);
[[nodiscard]] Variable recompute(const FunctionOfMany& f, const std::vector<Variable>& inputs);
/// The same for a function with several results. Backward calls f again once, when the gradients of
/// all results have come; results that no gradient reaches cost nothing. Results that need no
/// gradient, or that f hands through, come back as they are.
[[nodiscard]] std::vector<Variable> recompute(const FunctionsOfMany& f,
                                              const std::vector<Variable>& inputs);

}  // namespace tensorette
