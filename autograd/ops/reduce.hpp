/// \file
/// Reductions of variables over any set of axes; see tensor/reduce.hpp for values and errors,
/// op_table.cpp for the gradients.
#pragma once

#include <tensorette/autograd/variable.hpp>
#include <tensorette/tensor/reduce.hpp>

namespace tensorette {

[[nodiscard]] Variable sum(const Variable& x, const Axes& axes = Axes::all(),
                           KeepDims keepdims = KeepDims::no);
/// The gradient is right also where factors are zero: it never divides.
[[nodiscard]] Variable prod(const Variable& x, const Axes& axes = Axes::all(),
                            KeepDims keepdims = KeepDims::no);
[[nodiscard]] Variable mean(const Variable& x, const Axes& axes = Axes::all(),
                            KeepDims keepdims = KeepDims::no);
[[nodiscard]] Variable variance(const Variable& x, const Axes& axes = Axes::all(),
                                KeepDims keepdims = KeepDims::no, Index correction = 0);
/// The gradient is shared equally among ties.
[[nodiscard]] Variable(max)(const Variable& x, const Axes& axes = Axes::all(),
                            KeepDims keepdims = KeepDims::no);
[[nodiscard]] Variable(min)(const Variable& x, const Axes& axes = Axes::all(),
                            KeepDims keepdims = KeepDims::no);
[[nodiscard]] Variable logsumexp(const Variable& x, const Axes& axes = Axes::all(),
                                 KeepDims keepdims = KeepDims::no);
/// Subgradient 0 at the zero vector.
[[nodiscard]] Variable norm(const Variable& x, const Axes& axes = Axes::all(),
                            KeepDims keepdims = KeepDims::no);
[[nodiscard]] Variable cumsum(const Variable& x, int axis);
[[nodiscard]] Variable softmax(const Variable& x, int axis = -1);
[[nodiscard]] Variable log_softmax(const Variable& x, int axis = -1);

/// Positions have no gradient.
[[nodiscard]] inline Tensor argmax(const Variable& x, std::optional<int> axis = std::nullopt,
                                   KeepDims keepdims = KeepDims::no) {
  return argmax(x.value(), axis, keepdims);
}
[[nodiscard]] inline Tensor argmin(const Variable& x, std::optional<int> axis = std::nullopt,
                                   KeepDims keepdims = KeepDims::no) {
  return argmin(x.value(), axis, keepdims);
}

}  // namespace tensorette
