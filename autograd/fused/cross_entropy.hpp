/// \file
/// Softmax and cross entropy in one operation.
#pragma once

#include <optional>
#include <tensorette/autograd/variable.hpp>

namespace tensorette {

/// The loss of each row: −Σ_c q_c log softmax(logits)_c with q = 1 − ε at the target plus ε/V at
/// all V classes; 0 for rows whose target is `ignore_index`.
///
/// logits [.., V], targets [..] i64 -> [..]. Keeps one number a row for backward instead of the
/// probabilities; dlogits = g (softmax(logits) − q).
/// \throws IndexError naming a target outside [0, V); ShapeError, DTypeError; Error for ε outside
/// [0, 1]
[[nodiscard]] Variable cross_entropy(const Variable& logits, const Tensor& targets,
                                     std::optional<Index> ignore_index = std::nullopt,
                                     double label_smoothing = 0.0);
/// The same in small operations: its definition, its test and its way to second derivatives.
[[nodiscard]] Variable cross_entropy_reference(const Variable& logits, const Tensor& targets,
                                               std::optional<Index> ignore_index = std::nullopt,
                                               double label_smoothing = 0.0);

}  // namespace tensorette
