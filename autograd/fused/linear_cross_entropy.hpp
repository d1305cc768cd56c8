/// \file
/// The loss over a large vocabulary without the table of its logits.
/// Before: linear.hpp, cross_entropy.hpp.
#pragma once

#include <optional>
#include <tensorette/autograd/variable.hpp>

namespace tensorette {

/// cross_entropy(linear(x, weight, bias), targets, ...), the loss of each row, a chunk of rows at a
/// time: no more than a chunk of the logits is ever in memory, about 4 million of them. Where
/// gradients are recorded, forward also makes those of a sum or a mean of the losses, while it has
/// the logits; for other weights of the rows backward computes the logits again, from one number a
/// row that forward kept.
///
/// x [.., D], weight [V, D], bias [V] or undefined, targets [..] i64 -> [..]
/// \throws as linear() and cross_entropy()
[[nodiscard]] Variable linear_cross_entropy(const Variable& x, const Variable& weight,
                                            const Variable& bias, const Tensor& targets,
                                            std::optional<Index> ignore_index = std::nullopt,
                                            double label_smoothing = 0.0);
/// The same through all logits: its definition, its test and its way to second derivatives.
[[nodiscard]] Variable linear_cross_entropy_reference(
    const Variable& x, const Variable& weight, const Variable& bias, const Tensor& targets,
    std::optional<Index> ignore_index = std::nullopt, double label_smoothing = 0.0);

}  // namespace tensorette
