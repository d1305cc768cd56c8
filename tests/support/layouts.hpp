/// \file
/// Tensors of random shapes and layouts, and plain reading of them: what property tests of
/// element-by-element operations start from. Nothing here uses an operation under test.
#pragma once

#include <cstdint>
#include <random>
#include <tensorette/tensor/tensor.hpp>
#include <type_traits>
#include <vector>

namespace tensorette::testing {

using RandomEngine = std::mt19937;

inline Index random_index(RandomEngine& engine, Index low, Index high) {
  return low + static_cast<Index>(engine() % static_cast<std::uint32_t>(high - low + 1));
}

/// Shapes of rank 0 to max_rank with few elements, empty ones among them.
inline Shape random_shape(RandomEngine& engine) {
  const int rank = static_cast<int>(random_index(engine, 0, max_rank));
  const Index largest = rank <= 2 ? 70 : rank <= 4 ? 6 : 3;
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) {
    const bool is_empty = random_index(engine, 0, 39) == 0;
    shape.push_back(is_empty ? 0 : random_index(engine, 1, largest));
  }
  return shape;
}

/// A shape that broadcasts to `shape`: leading axes dropped, some sizes 1.
inline Shape random_part(RandomEngine& engine, const Shape& shape) {
  const int dropped =
      random_index(engine, 0, 1) == 0 ? 0 : static_cast<int>(random_index(engine, 0, shape.rank()));
  Shape part;
  for (int axis = dropped; axis < shape.rank(); ++axis)
    part.push_back(random_index(engine, 0, 2) == 0 ? 1 : shape[axis]);
  return part;
}

template <class T>
T random_element(RandomEngine& engine) {
  if constexpr (std::is_same_v<T, bool>) {
    return random_index(engine, 0, 1) == 1;
  } else {
    // Quarters, so that few values meet often and sums are exact.
    const Index number = random_index(engine, -40, 40);
    return std::is_integral_v<T> ? static_cast<T>(number) : static_cast<T>(number) / T{4};
  }
}

/// A tensor whose axes lie in any order in memory, with gaps between elements or none, or, if
/// `may_repeat`, with axes of stride 0; filled at random.
template <class T>
Tensor random_tensor(RandomEngine& engine, const Shape& shape, bool may_repeat = true) {
  const auto kind = random_index(engine, 0, 3);
  std::vector<int> order(static_cast<std::size_t>(shape.rank()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  if (kind == 1) std::shuffle(order.begin(), order.end(), engine);
  Strides strides = shape;
  Index step = kind == 2 ? random_index(engine, 1, 3) : 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    const bool repeats = kind == 3 && may_repeat && random_index(engine, 0, 1) == 0;
    strides[*axis] = repeats ? 0 : step;
    if (!repeats) step *= shape[*axis] + (kind == 2 ? random_index(engine, 0, 2) : 0);
  }
  const Index offset = kind == 0 ? 0 : random_index(engine, 0, 5);
  Tensor memory(Shape{step + offset + 1}, dtype_of<T>);
  T* const elements = memory.mutable_data<T>();
  for (Index i = 0; i < memory.element_count(); ++i) elements[i] = random_element<T>(engine);
  return Tensor(memory.storage(), shape, strides, offset, dtype_of<T>);
}

/// Calls `visit(indices, position)` for every element in row-major order.
template <class Visit>
void for_each_index(const Shape& shape, Visit&& visit) {
  std::vector<Index> indices(static_cast<std::size_t>(shape.rank()), 0);
  for (Index position = 0; position < shape.element_count(); ++position) {
    visit(indices, position);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      Index& index = indices[static_cast<std::size_t>(axis)];
      if (++index < shape[axis]) break;
      index = 0;
    }
  }
}

/// The element of x that stands at `indices` after x is broadcast to that many axes.
template <class T>
T broadcast_at(const Tensor& x, const std::vector<Index>& indices) {
  const int shift = static_cast<int>(indices.size()) - x.rank();
  Index position = 0;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.shape()[axis] != 1)
      position += indices[static_cast<std::size_t>(axis + shift)] * x.strides()[axis];
  }
  return x.data<T>()[position];
}

}  // namespace tensorette::testing
