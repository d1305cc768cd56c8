// tensor/reshape.cpp: the same elements under another shape.
//
// A reshape is a view when each group of new axes comes from a group of old axes that memory holds
// as one evenly spaced run. Sizes of 1 take no part, and expanded axes (stride 0) form such a run
// among themselves.
#include <limits>
#include <optional>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/kernels/copy.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette {

using detail::fail;
using detail::require;

namespace {

/// Product of the sizes other than −1; nothing where it exceeds any tensor that can exist.
std::optional<Index> known_count(const Shape& shape) noexcept {
  Index count = 1;
  bool is_too_large = false;
  for (const Index size : shape) {
    if (size == 0) return 0;
    if (size == -1 || is_too_large) continue;
    if (count > std::numeric_limits<Index>::max() / size)
      is_too_large = true;
    else
      count *= size;
  }
  return is_too_large ? std::nullopt : std::optional(count);
}

/// `asked` with its −1 replaced by what is left over.
Shape completed_shape(const Shape& from, const Shape& asked) {
  int unknown = -1;
  for (int axis = 0; axis < asked.rank(); ++axis) {
    if (asked[axis] >= 0) continue;
    require(asked[axis] == -1, "reshape: negative size {} in {}, asked for a tensor of shape {}",
            asked[axis], asked, from);
    require(unknown < 0, "reshape: more than one size is -1 in {}, asked for a tensor of shape {}",
            asked, from);
    unknown = axis;
  }
  const Index count = from.element_count();
  const std::optional<Index> known = known_count(asked);
  if (unknown < 0) {
    require(known == count, "reshape: {} has {} elements, they do not fit {}", from, count, asked);
    return asked;
  }
  require(known != 0, "reshape: any size would do for -1 in {}, asked for a tensor of shape {}",
          asked, from);
  require(known && count % *known == 0, "reshape: {} has {} elements, no size for -1 fits {}", from,
          count, asked);
  Shape completed = asked;
  completed[unknown] = count / *known;
  return completed;
}

/// Strides under which `x` reads as `shape` in place, if there are any. Neither is empty.
std::optional<Strides> view_strides(const Tensor& x, const Shape& shape) noexcept {
  Shape old_sizes, old_strides;  // without the sizes of 1
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.shape()[axis] == 1) continue;
    old_sizes.push_back(x.shape()[axis]);
    old_strides.push_back(x.strides()[axis]);
  }
  Strides strides = row_major_strides(shape);
  int old_begin = 0, new_begin = 0;
  while (old_begin < old_sizes.rank()) {
    // The smallest groups of old axes and new axes that hold equally many elements.
    int old_end = old_begin + 1, new_end = new_begin + 1;
    Index old_count = old_sizes[old_begin], new_count = shape[new_begin];
    while (old_count != new_count) {
      if (new_count < old_count)
        new_count *= shape[new_end++];
      else
        old_count *= old_sizes[old_end++];
    }
    for (int axis = old_begin; axis + 1 < old_end; ++axis)
      if (old_strides[axis] != old_strides[axis + 1] * old_sizes[axis + 1]) return std::nullopt;
    Index step = old_strides[old_end - 1];
    for (int axis = new_end - 1; axis >= new_begin; --axis) {
      strides[axis] = step;
      step *= shape[axis];
    }
    old_begin = old_end;
    new_begin = new_end;
  }
  return strides;
}

}  // namespace

Tensor reshape(const Tensor& x, const Shape& shape) {
  kernels::require_defined("reshape", x);
  const Shape completed = completed_shape(x.shape(), shape);
  if (x.is_contiguous())
    return Tensor(x.storage(), completed, row_major_strides(completed), x.offset(), x.dtype());
  if (const auto strides = view_strides(x, completed))
    return Tensor(x.storage(), completed, *strides, x.offset(), x.dtype());
  return reshape(x.clone(), completed);
}

Tensor flatten(const Tensor& x, int first, int last) {
  kernels::require_defined("flatten", x);
  const int rank = std::max(x.rank(), 1);  // a scalar is flattened as if it were [1]
  first = normalize_axis("flatten", first, rank);
  last = normalize_axis("flatten", last, rank);
  require(first <= last, "flatten: the first axis {} lies behind the last {}, shape {}", first,
          last, x.shape());
  if (x.rank() == 0) return reshape(x, {1});
  Shape shape;
  for (int axis = 0; axis <= first; ++axis) shape.push_back(x.shape()[axis]);
  for (int axis = first + 1; axis <= last; ++axis) shape[first] *= x.shape()[axis];
  for (int axis = last + 1; axis < x.rank(); ++axis) shape.push_back(x.shape()[axis]);
  return reshape(x, shape);
}

}  // namespace tensorette
