// tensor/shaping.cpp: views that reorder, drop, insert or cut axes. None of them touches elements.
// Next: reshape.cpp, joining.cpp.
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette {

using detail::require;
using kernels::require_defined;

namespace {

/// `count` elements of x along `axis`, from `start` in steps of `step`; all of them exist.
Tensor cut(const Tensor& x, int axis, Index start, Index count, Index step) {
  Shape shape = x.shape();
  Strides strides = x.strides();
  // An empty view stays inside the storage, and a stride nobody walks cannot overflow.
  const Index offset = count > 0 ? x.offset() + start * strides[axis] : x.offset();
  if (count > 1) strides[axis] *= step;
  shape[axis] = count;
  return Tensor(x.storage(), shape, strides, offset, x.dtype());
}

}  // namespace

Tensor transpose(const Tensor& x, int axis_a, int axis_b) {
  require_defined("transpose", x);
  axis_a = normalize_axis("transpose", axis_a, x.rank());
  axis_b = normalize_axis("transpose", axis_b, x.rank());
  Shape shape = x.shape();
  Strides strides = x.strides();
  std::swap(shape[axis_a], shape[axis_b]);
  std::swap(strides[axis_a], strides[axis_b]);
  return Tensor(x.storage(), shape, strides, x.offset(), x.dtype());
}

Tensor permute(const Tensor& x, const std::vector<int>& order) {
  require_defined("permute", x);
  require(static_cast<int>(order.size()) == x.rank(),
          "permute: order {} names {} axes, shape {} has {}", detail::listed(order), order.size(),
          x.shape(), x.rank());
  (void)Axes(order).resolve("permute", x.rank());  // each axis exists and is named once
  Shape shape = x.shape();
  Strides strides = x.strides();
  for (int axis = 0; axis < x.rank(); ++axis) {
    const int source = normalize_axis("permute", order[static_cast<std::size_t>(axis)], x.rank());
    shape[axis] = x.shape()[source];
    strides[axis] = x.strides()[source];
  }
  return Tensor(x.storage(), shape, strides, x.offset(), x.dtype());
}

Tensor squeeze(const Tensor& x) {
  require_defined("squeeze", x);
  std::vector<int> axes;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (x.shape()[axis] == 1) axes.push_back(axis);
  return squeeze(x, axes);
}

Tensor squeeze(const Tensor& x, const Axes& axes) {
  require_defined("squeeze", x);
  const auto dropped = axes.resolve("squeeze", x.rank());
  Shape shape;
  Strides strides;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (dropped[static_cast<std::size_t>(axis)]) {
      require(x.shape()[axis] == 1, "squeeze: axis {} of shape {} has size {}, not 1", axis,
              x.shape(), x.shape()[axis]);
    } else {
      shape.push_back(x.shape()[axis]);
      strides.push_back(x.strides()[axis]);
    }
  }
  return Tensor(x.storage(), shape, strides, x.offset(), x.dtype());
}

Tensor unsqueeze(const Tensor& x, int axis) {
  require_defined("unsqueeze", x);
  axis = normalize_axis("unsqueeze", axis, x.rank() + 1);
  Shape shape = x.shape();
  Strides strides = x.strides();
  const Index step = axis < x.rank() ? shape[axis] * strides[axis] : 1;
  shape.insert(axis, 1);
  strides.insert(axis, step);
  return Tensor(x.storage(), shape, strides, x.offset(), x.dtype());
}

Tensor expand(const Tensor& x, const Shape& shape) {
  require_defined("expand", x);
  const int added = shape.rank() - x.rank();
  require(added >= 0, "expand: {} has more axes than {}", x.shape(), shape);
  Shape sizes = shape;
  Strides strides = Shape::filled(shape.rank(), 0);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool is_old = axis >= added;
    const Index old_size = is_old ? x.shape()[axis - added] : 1;
    if (is_old && shape[axis] == -1) sizes[axis] = old_size;
    require(sizes[axis] >= 0, "expand: negative size {} on axis {}, {} to {}", shape[axis], axis,
            x.shape(), shape);
    require(old_size == sizes[axis] || old_size == 1, "expand: {} does not broadcast to {}",
            x.shape(), shape);
    if (is_old && old_size == sizes[axis]) strides[axis] = x.strides()[axis - added];
  }
  return Tensor(x.storage(), sizes, strides, x.offset(), x.dtype());
}

Tensor slice(const Tensor& x, int axis, Index start, std::optional<Index> stop, Index step) {
  require_defined("slice", x);
  axis = normalize_axis("slice", axis, x.rank());
  require<Error>(step >= 1, "slice: the step must be at least 1, got {}", step);
  const Index size = x.shape()[axis];
  const auto bound = [size](Index position) {
    return std::clamp<Index>(position < 0 ? position + size : position, 0, size);
  };
  const Index begin = bound(start);
  const Index end = bound(stop.value_or(size));
  const Index count = end > begin ? (end - begin - 1) / step + 1 : 0;
  return cut(x, axis, begin, count, step);
}

Tensor narrow(const Tensor& x, int axis, Index start, Index length) {
  require_defined("narrow", x);
  axis = normalize_axis("narrow", axis, x.rank());
  const Index size = x.shape()[axis];
  require<IndexError>(start >= 0 && start <= size && length >= 0 && length <= size - start,
                      "narrow: {} elements from {} along axis {} of shape {}, which has {}", length,
                      start, axis, x.shape(), size);
  return cut(x, axis, start, length, 1);
}

Tensor select(const Tensor& x, int axis, Index index) {
  require_defined("select", x);
  axis = normalize_axis("select", axis, x.rank());
  const Index size = x.shape()[axis];
  require<IndexError>(index >= -size && index < size,
                      "select: index {} is outside axis {} of shape {}", index, axis, x.shape());
  Shape shape = x.shape();
  Strides strides = x.strides();
  const Index offset = x.offset() + (index < 0 ? index + size : index) * strides[axis];
  shape.erase(axis);
  strides.erase(axis);
  return Tensor(x.storage(), shape, strides, offset, x.dtype());
}

std::vector<Tensor> split(const Tensor& x, Index size, int axis) {
  require_defined("split", x);
  axis = normalize_axis("split", axis, x.rank());
  require<Error>(size >= 1, "split: the size of a piece must be at least 1, got {}", size);
  const Index total = x.shape()[axis];
  std::vector<Tensor> pieces;
  for (Index start = 0; start < total; start += std::min(size, total - start))
    pieces.push_back(cut(x, axis, start, std::min(size, total - start), 1));
  if (pieces.empty()) pieces.push_back(x);
  return pieces;
}

}  // namespace tensorette
