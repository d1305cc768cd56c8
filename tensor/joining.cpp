// tensor/joining.cpp: joining, repeating, reversing and cutting to a triangle, by copies.
// Before: shaping.cpp. Each operation says where elements go as a view of the result or of the
// source; the copy kernel does the rest.
#include <algorithm>
#include <limits>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/kernels/copy.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette {

using detail::require;
using kernels::require_defined;

namespace {

/// Parts are defined, there is one at least, and they share a dtype.
void require_parts(const char* operation, std::span<const Tensor> parts) {
  require<Error>(!parts.empty(), "{}: got no tensors", operation);
  for (const Tensor& part : parts) {
    require_defined(operation, part);
    kernels::require_same_dtype(operation, parts[0], part);
  }
}

/// Shape of the parts joined along `axis`.
Shape joined_shape(std::span<const Tensor> parts, int axis) {
  Shape shape = parts[0].shape();
  for (const Tensor& part : parts.subspan(1)) {
    bool fits = part.rank() == shape.rank();
    for (int other = 0; fits && other < shape.rank(); ++other)
      fits = other == axis || part.shape()[other] == shape[other];
    require(fits, "concat: shapes differ outside axis {}: {} and {}", axis, parts[0].shape(),
            part.shape());
    shape[axis] += part.shape()[axis];
  }
  return shape;
}

/// Writes x, repeated `count` times along `axis`, into a dense tensor. Three axes suffice to say
/// so: what lies outside, the repetition, what lies inside.
void repeat_along(const Tensor& x, int axis, Index count, const Tensor& result) {
  Index outside = 1, inside = 1;
  for (int i = 0; i < axis; ++i) outside *= x.shape()[i];
  for (int i = axis; i < x.rank(); ++i) inside *= x.shape()[i];
  Tensor target = reshape(result, {outside, count, inside});
  kernels::copy_elements(expand(reshape(x, {outside, 1, inside}), target.shape()), target);
}

enum class Triangle { lower, upper };

/// x with zeros outside the triangle on and below (above) the diagonal.
Tensor triangle_of(const char* operation, const Tensor& x, Index diagonal, Triangle triangle) {
  require_defined(operation, x);
  require(x.rank() >= 2, "{}: needs at least 2 axes, got shape {}", operation, x.shape());
  Tensor result = x.clone();
  const Index rows = x.size(-2), columns = x.size(-1);
  if (result.element_count() == 0) return result;
  // A diagonal outside the matrix is as good as one just beside it.
  diagonal = std::clamp(diagonal, -rows, columns);
  kernels::dispatch_any(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* first = result.mutable_data<T>();
    const Index grain = std::max<Index>(1, kernels::elements_per_thread / columns);
    kernels::parallel_for(x.element_count() / columns, grain, [=](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        T* line = first + row * columns;
        const Index on_diagonal = row % rows + diagonal;
        if (triangle == Triangle::lower)
          std::fill(line + std::clamp<Index>(on_diagonal + 1, 0, columns), line + columns, T{});
        else
          std::fill(line, line + std::clamp<Index>(on_diagonal, 0, columns), T{});
      }
    });
  });
  return result;
}

}  // namespace

Tensor concat(std::span<const Tensor> parts, int axis) {
  require_parts("concat", parts);
  axis = normalize_axis("concat", axis, parts[0].rank());
  Tensor result(joined_shape(parts, axis), parts[0].dtype());
  Index start = 0;
  for (const Tensor& part : parts) {
    Tensor target = narrow(result, axis, start, part.shape()[axis]);
    kernels::copy_elements(part, target);
    start += part.shape()[axis];
  }
  return result;
}

Tensor concat(std::initializer_list<Tensor> parts, int axis) {
  return concat(std::span(parts.begin(), parts.size()), axis);
}

Tensor stack(std::span<const Tensor> parts, int axis) {
  require_parts("stack", parts);
  axis = normalize_axis("stack", axis, parts[0].rank() + 1);
  Shape shape = parts[0].shape();
  for (const Tensor& part : parts)
    require(part.shape() == shape, "stack: shapes differ: {} and {}", shape, part.shape());
  shape.insert(axis, static_cast<Index>(parts.size()));
  Tensor result(shape, parts[0].dtype());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Tensor target = select(result, axis, static_cast<Index>(i));
    kernels::copy_elements(parts[i], target);
  }
  return result;
}

Tensor stack(std::initializer_list<Tensor> parts, int axis) {
  return stack(std::span(parts.begin(), parts.size()), axis);
}

Tensor repeat(const Tensor& x, const Shape& counts) {
  require_defined("repeat", x);
  require(counts.rank() >= x.rank(), "repeat: counts {} for shape {}: an axis has no count", counts,
          x.shape());
  Shape shape = Shape::filled(counts.rank(), 1);
  const int added = counts.rank() - x.rank();
  std::copy(x.shape().begin(), x.shape().end(), &shape[added]);
  Shape repeated = shape;
  for (int axis = 0; axis < counts.rank(); ++axis) {
    require(counts[axis] >= 0, "repeat: negative count in {} for shape {}", counts, x.shape());
    require(shape[axis] == 0 || counts[axis] <= std::numeric_limits<Index>::max() / shape[axis],
            "repeat: counts {} for shape {} give more elements than memory can address", counts,
            x.shape());
    repeated[axis] *= counts[axis];
  }
  Tensor result(repeated, x.dtype());
  if (result.element_count() == 0) return result;
  // From the inside out, so that only the last pass writes a result of full size.
  Tensor part = reshape(x, shape);
  int outermost = 0;
  while (outermost < counts.rank() - 1 && counts[outermost] == 1) ++outermost;
  for (int axis = counts.rank() - 1; axis > outermost; --axis) {
    if (counts[axis] == 1) continue;
    shape[axis] = repeated[axis];
    const Tensor repeated_part(shape, x.dtype());
    repeat_along(part, axis, counts[axis], repeated_part);
    part = repeated_part;
  }
  repeat_along(part, outermost, counts.rank() == 0 ? 1 : counts[outermost], result);
  return result;
}

Tensor flip(const Tensor& x, const Axes& axes) {
  require_defined("flip", x);
  const auto reversed = axes.resolve("flip", x.rank());
  if (x.element_count() == 0) return x.clone();
  Strides strides = x.strides();
  Index offset = x.offset();
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (!reversed[static_cast<std::size_t>(axis)]) continue;
    offset += (x.shape()[axis] - 1) * strides[axis];
    strides[axis] = -strides[axis];
  }
  return Tensor(x.storage(), x.shape(), strides, offset, x.dtype()).clone();
}

Tensor tril(const Tensor& x, Index diagonal) {
  return triangle_of("tril", x, diagonal, Triangle::lower);
}

Tensor triu(const Tensor& x, Index diagonal) {
  return triangle_of("triu", x, diagonal, Triangle::upper);
}

}  // namespace tensorette
