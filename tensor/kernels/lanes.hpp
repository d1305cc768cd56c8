// A tensor as many rows along one axis, for operations that look at one row at a time.
#pragma once

#include <cmath>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette::kernels {

/// Rows along one axis of a dense tensor: row r has `size` elements, `step` apart.
struct RowsAlongAxis {
  Index rows = 1;
  Index size = 1;
  Index step = 1;

  RowsAlongAxis(const Shape& shape, int axis) noexcept : size(shape[axis]) {
    for (int i = axis + 1; i < shape.rank(); ++i) step *= shape[i];
    rows = size == 0 ? 0 : shape.element_count() / size;
  }
  /// Position of the first element of a row.
  [[nodiscard]] Index start(Index row) const noexcept {
    return row / step * size * step + row % step;
  }
};

/// Order of elements in which NaN is the largest.
template <class T>
[[nodiscard]] bool is_less(T a, T b) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a)) return false;
    if (std::isnan(b)) return true;
  }
  return a < b;
}

}  // namespace tensorette::kernels
