/// \file
/// Operations on the handle itself: alias, dtype, summing to a shape.
#pragma once

#include <tensorette/autograd/variable.hpp>

namespace tensorette {

/// The same value under a node of its own.
[[nodiscard]] Variable alias(const Variable& x);
/// The same values in another floating dtype.
[[nodiscard]] Variable to(const Variable& x, DType dtype);
/// The transpose of broadcasting: sums x over the axes along which `shape` had to be expanded to
/// give x's shape. \throws ShapeError if it does not broadcast to it.
[[nodiscard]] Variable sum_to(const Variable& x, const Shape& shape);

}  // namespace tensorette
