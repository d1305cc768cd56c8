/// \file
/// Changing the shape of variables; see tensor/shaping.hpp for meaning and errors, op_table.cpp
/// for the gradients.
#pragma once

#include <span>
#include <tensorette/autograd/variable.hpp>
#include <tensorette/tensor/shaping.hpp>
#include <vector>

namespace tensorette {

[[nodiscard]] Variable reshape(const Variable& x, const Shape& shape);
[[nodiscard]] Variable flatten(const Variable& x, int first = 0, int last = -1);
[[nodiscard]] Variable transpose(const Variable& x, int axis_a = -2, int axis_b = -1);
[[nodiscard]] Variable permute(const Variable& x, const std::vector<int>& order);
[[nodiscard]] Variable squeeze(const Variable& x);
[[nodiscard]] Variable squeeze(const Variable& x, const Axes& axes);
[[nodiscard]] Variable unsqueeze(const Variable& x, int axis);
[[nodiscard]] Variable expand(const Variable& x, const Shape& shape);
[[nodiscard]] Variable slice(const Variable& x, int axis, Index start,
                             std::optional<Index> stop = std::nullopt, Index step = 1);
[[nodiscard]] Variable narrow(const Variable& x, int axis, Index start, Index length);
[[nodiscard]] Variable select(const Variable& x, int axis, Index index);
[[nodiscard]] std::vector<Variable> split(const Variable& x, Index size, int axis = 0);
[[nodiscard]] Variable concat(std::span<const Variable> parts, int axis = 0);
[[nodiscard]] Variable concat(std::initializer_list<Variable> parts, int axis = 0);
[[nodiscard]] Variable stack(std::span<const Variable> parts, int axis = 0);
[[nodiscard]] Variable stack(std::initializer_list<Variable> parts, int axis = 0);
[[nodiscard]] Variable repeat(const Variable& x, const Shape& counts);
[[nodiscard]] Variable flip(const Variable& x, const Axes& axes);
[[nodiscard]] Variable tril(const Variable& x, Index diagonal = 0);
[[nodiscard]] Variable triu(const Variable& x, Index diagonal = 0);

}  // namespace tensorette
