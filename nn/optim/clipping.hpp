/// \file
/// Limits on gradients before a step.
#pragma once

#include <span>
#include <tensorette/autograd/variable.hpp>

namespace tensorette::optim {

/// The Euclidean norm of all gradients together, in f64; 0 if there are none.
[[nodiscard]] double gradient_norm(std::span<const Variable> parameters);

/// Scales all gradients so that their common norm is at most `max_norm` (Pascanu, Mikolov and
/// Bengio 2013). Returns the norm before. If that is not finite the gradients are left alone: the
/// caller sees it and skips the step. \throws Error unless max_norm is positive
double clip_gradient_norm(std::span<const Variable> parameters, double max_norm);

/// Limits each element of each gradient to [−limit, limit]. \throws Error unless positive
void clip_gradient_value(std::span<const Variable> parameters, double limit);

}  // namespace tensorette::optim
