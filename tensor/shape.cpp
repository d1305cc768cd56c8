#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/shape.hpp>

namespace tensorette {

using detail::fail;
using detail::require;

Shape Shape::filled(int rank, Index size) {
  if (rank > max_rank) throw_rank_too_high(static_cast<std::size_t>(rank));
  Shape shape;
  shape.rank_ = rank;
  std::fill_n(shape.sizes_.begin(), rank, size);
  return shape;
}

void Shape::throw_rank_too_high(std::size_t count) {
  fail("shape: {} axes asked for, at most {} are supported", count, max_rank);
}

void Shape::push_back(Index size) {
  if (rank_ == max_rank) throw_rank_too_high(static_cast<std::size_t>(rank_) + 1);
  (*this)[rank_++] = size;
}

void Shape::insert(int position, Index size) {
  push_back(size);
  for (int axis = rank_ - 1; axis > position; --axis) (*this)[axis] = (*this)[axis - 1];
  (*this)[position] = size;
}

void Shape::erase(int position) noexcept {
  for (int axis = position; axis + 1 < rank_; ++axis) (*this)[axis] = (*this)[axis + 1];
  --rank_;
}

std::string to_string(const Shape& shape) {
  return detail::listed(shape);
}

Strides row_major_strides(const Shape& shape) noexcept {
  Strides strides = shape;
  Index step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

Shape broadcast_shapes(const char* operation, const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  const int shift = longer.rank() - shorter.rank();
  for (int axis = 0; axis < shorter.rank(); ++axis) {
    Index& size = result[axis + shift];
    const Index other = shorter[axis];
    if (size == other || other == 1) continue;
    require(size == 1, "{}: shapes do not broadcast: {} and {}", operation, a, b);
    size = other;
  }
  return result;
}

bool is_broadcastable_to(const Shape& from, const Shape& to) noexcept {
  const int shift = to.rank() - from.rank();
  if (shift < 0) return false;
  for (int axis = 0; axis < from.rank(); ++axis) {
    if (from[axis] != to[axis + shift] && from[axis] != 1) return false;
  }
  return true;
}

int normalize_axis(const char* operation, int axis, int rank) {
  require(axis >= -rank && axis < rank, "{}: axis {} is outside [{}, {}) of a tensor of rank {}",
          operation, axis, -rank, rank, rank);
  return axis < 0 ? axis + rank : axis;
}

Axes Axes::all() {
  Axes axes(std::vector<int>{});
  axes.is_all_ = true;
  return axes;
}

std::array<bool, max_rank> Axes::resolve(const char* operation, int rank) const {
  std::array<bool, max_rank> chosen{};
  if (is_all_) {
    std::fill_n(chosen.begin(), rank, true);
    return chosen;
  }
  for (const int axis : axes_) {
    bool& flag = chosen[static_cast<std::size_t>(normalize_axis(operation, axis, rank))];
    require(!flag, "{}: axis {} is named twice in {}", operation, axis, detail::listed(axes_));
    flag = true;
  }
  return chosen;
}

Shape reduced_shape(const char* operation, const Shape& shape, const Axes& axes,
                    KeepDims keepdims) {
  const auto chosen = axes.resolve(operation, shape.rank());
  Shape result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!chosen[static_cast<std::size_t>(axis)]) {
      result.push_back(shape[axis]);
    } else if (keepdims == KeepDims::yes) {
      result.push_back(1);
    }
  }
  return result;
}

}  // namespace tensorette
