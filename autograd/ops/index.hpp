/// \file
/// Picking elements of variables by index, and sorting; see tensor/index.hpp for meaning and
/// errors, op_table.cpp for the gradients.
#pragma once

#include <tensorette/autograd/variable.hpp>
#include <tensorette/tensor/index.hpp>

namespace tensorette {

[[nodiscard]] Variable index_select(const Variable& x, int axis, const Tensor& indices);
[[nodiscard]] Variable take_rows(const Variable& table, const Tensor& ids);
[[nodiscard]] Variable sum_rows(const Variable& updates, const Tensor& ids, Index rows);
[[nodiscard]] Variable gather(const Variable& x, int axis, const Tensor& indices);
[[nodiscard]] Variable scatter_add(const Variable& x, int axis, const Tensor& indices,
                                   const Variable& source);

/// Differentiable values with their positions along the axis.
struct VariableAndIndices {
  Variable values;
  Tensor indices;
};
[[nodiscard]] VariableAndIndices topk(const Variable& x, Index k, int axis = -1);
[[nodiscard]] VariableAndIndices sort(const Variable& x, int axis = -1,
                                      Order order = Order::ascending);

}  // namespace tensorette
