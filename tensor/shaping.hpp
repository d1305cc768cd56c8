/// \file
/// Changing shape: views where the layout allows it, copies where it says so.
#pragma once

#include <optional>
#include <span>
#include <tensorette/tensor/tensor.hpp>
#include <vector>

namespace tensorette {

// --- views: O(1), share the storage of x ---

/// Same elements in row-major order under another shape; one size may be −1, which takes what is
/// left over. A view where the strides allow it, else a copy. \throws ShapeError with both shapes.
[[nodiscard]] Tensor reshape(const Tensor& x, const Shape& shape);
/// Axes first..last (inclusive) merged into one; a scalar becomes [1]. View where possible.
[[nodiscard]] Tensor flatten(const Tensor& x, int first = 0, int last = -1);
/// Swaps two axes, by default the last two. \throws ShapeError for an axis that does not exist.
[[nodiscard]] Tensor transpose(const Tensor& x, int axis_a = -2, int axis_b = -1);
/// Axis i of the result is axis order[i] of x. \throws ShapeError unless each axis is named once.
[[nodiscard]] Tensor permute(const Tensor& x, const std::vector<int>& order);
/// Drops all axes of size 1.
[[nodiscard]] Tensor squeeze(const Tensor& x);
/// Drops the axes named. \throws ShapeError for one whose size is not 1.
[[nodiscard]] Tensor squeeze(const Tensor& x, const Axes& axes);
/// Inserts an axis of size 1 before position `axis` (−1: at the end).
[[nodiscard]] Tensor unsqueeze(const Tensor& x, int axis);
/// Broadcasts to `shape` with stride 0; −1 keeps a size. \throws ShapeError with both shapes.
[[nodiscard]] Tensor expand(const Tensor& x, const Shape& shape);
/// Elements start, start + step, ... before stop along `axis`. Bounds are NumPy's: negative ones
/// count from the end, those outside are cut. \throws Error for step < 1.
[[nodiscard]] Tensor slice(const Tensor& x, int axis, Index start,
                           std::optional<Index> stop = std::nullopt, Index step = 1);
/// `length` elements from `start` (not negative) along `axis`, all of which must exist.
/// \throws IndexError
[[nodiscard]] Tensor narrow(const Tensor& x, int axis, Index start, Index length);
/// The slice at `index` along `axis`, without that axis; a negative index counts from the end.
/// \throws IndexError
[[nodiscard]] Tensor select(const Tensor& x, int axis, Index index);
/// Pieces of `size` along `axis`; the last may be shorter. An empty axis gives one empty piece.
/// \throws Error for a size below 1.
[[nodiscard]] std::vector<Tensor> split(const Tensor& x, Index size, int axis = 0);

// --- copies ---

/// Joins along an existing axis; the other sizes agree, and the dtypes. \throws ShapeError,
/// DTypeError, Error for an empty list.
[[nodiscard]] Tensor concat(std::span<const Tensor> parts, int axis = 0);
[[nodiscard]] Tensor concat(std::initializer_list<Tensor> parts, int axis = 0);
/// Joins along a new axis; all shapes agree, and the dtypes. \throws ShapeError, DTypeError, Error
/// for an empty list.
[[nodiscard]] Tensor stack(std::span<const Tensor> parts, int axis = 0);
[[nodiscard]] Tensor stack(std::initializer_list<Tensor> parts, int axis = 0);
/// The whole tensor side by side, counts[i] times along axis i (NumPy's tile); counts has at
/// least as many entries as x has axes. \throws ShapeError for fewer, or a negative count.
[[nodiscard]] Tensor repeat(const Tensor& x, const Shape& counts);
/// Order reversed along the axes.
[[nodiscard]] Tensor flip(const Tensor& x, const Axes& axes);
/// Elements on and below / on and above the given diagonal of the last two axes; 0 elsewhere.
[[nodiscard]] Tensor tril(const Tensor& x, Index diagonal = 0);
[[nodiscard]] Tensor triu(const Tensor& x, Index diagonal = 0);

}  // namespace tensorette
