// Where in a tensor something is.
#pragma once

#include <tensorette/tensor/shape.hpp>
#include <vector>

namespace tensorette::detail {

/// The index along every axis of the element at a row-major position.
[[nodiscard]] inline std::vector<Index> indices_at(const Shape& shape, Index position) {
  std::vector<Index> indices(static_cast<std::size_t>(shape.rank()));
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    indices[static_cast<std::size_t>(axis)] = position % shape[axis];
    position /= shape[axis];
  }
  return indices;
}

}  // namespace tensorette::detail
