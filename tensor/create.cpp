#include <cmath>
#include <cstring>
#include <limits>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/elementwise.hpp>

namespace tensorette {

using detail::fail;
using detail::require;

namespace {

Tensor arange_integers(std::int64_t start, std::int64_t stop, std::int64_t step) {
  require<Error>(step != 0, "arange: the step is 0");
  // In unsigned numbers the distance between any two integers fits.
  const bool is_empty = step > 0 ? start >= stop : start <= stop;
  const auto low = static_cast<std::uint64_t>(step > 0 ? start : stop);
  const auto high = static_cast<std::uint64_t>(step > 0 ? stop : start);
  const std::uint64_t width =
      step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const std::uint64_t count = is_empty ? 0 : (high - low - 1) / width + 1;
  require(count <= static_cast<std::uint64_t>(std::numeric_limits<Index>::max()),
          "arange: {} elements are more than memory can address", count);
  Tensor result(Shape{static_cast<Index>(count)}, DType::i64);
  auto* const elements = result.mutable_data<std::int64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    elements[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(start) +
                                            i * static_cast<std::uint64_t>(step));
  }
  return result;
}

Tensor arange_floating(double start, double stop, double step, DType dtype) {
  require<Error>(step != 0, "arange: the step is 0");
  require<Error>(std::isfinite(start) && std::isfinite(stop) && std::isfinite(step),
                 "arange: start {}, stop {} and step {} must be finite", start, stop, step);
  const double count = std::max(0.0, std::ceil((stop - start) / step));
  require(count < 9.0e18, "arange: {} elements are more than memory can address", count);
  Tensor result(Shape{static_cast<Index>(count)}, dtype);
  kernels::dispatch_floating("arange", dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const elements = result.mutable_data<T>();
    for (Index i = 0; i < result.element_count(); ++i)
      elements[i] = static_cast<T>(start + static_cast<double>(i) * step);
  });
  return result;
}

// Reads a nested literal: sizes from the first item of each level, then all items against them.
Shape shape_of(const detail::Nested& list) {
  Shape shape;
  const detail::Nested* level = &list;
  while (level->is_list) {
    require(shape.rank() < max_rank, "tensor: more than {} levels of lists", max_rank);
    shape.push_back(static_cast<Index>(level->items.size()));
    if (level->items.empty()) break;
    level = &level->items.front();
  }
  return shape;
}

template <class T>
void read_items(const detail::Nested& list, const Shape& shape, int axis, T*& target) {
  require(list.items.size() == static_cast<std::size_t>(shape[axis]),
          "tensor: ragged list: {} items where the first list of that level has {}",
          list.items.size(), shape[axis]);
  const bool is_innermost = axis + 1 == shape.rank();
  for (const detail::Nested& item : list.items) {
    require(item.is_list != is_innermost, "tensor: ragged list: a {} at level {} of shape {}",
            item.is_list ? "list" : "number", axis + 1, shape);
    if (!is_innermost) {
      read_items(item, shape, axis + 1, target);
      continue;
    }
    if constexpr (std::is_same_v<T, std::int64_t>) {
      require<DTypeError>(item.value == std::floor(item.value) && std::abs(item.value) < 0x1p63,
                          "tensor: the number {} is not an integer and the tensor is i64",
                          item.value);
    }
    *target++ = static_cast<T>(item.value);
  }
}

}  // namespace

Tensor zeros(const Shape& shape, DType dtype) {
  Tensor result(shape, dtype);
  kernels::dispatch_any(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto bytes = static_cast<std::size_t>(result.element_count()) * sizeof(T);
    if (bytes > 0) std::memset(result.mutable_data<T>(), 0, bytes);
  });
  return result;
}

Tensor ones(const Shape& shape, DType dtype) {
  return full(shape, 1, dtype);
}

Tensor full(const Shape& shape, Scalar value, DType dtype) {
  kernels::require_element("full", value, dtype);
  Tensor result(shape, dtype);
  fill_(result, value);
  return result;
}

Tensor empty_like(const Tensor& like) {
  kernels::require_defined("empty_like", like);
  return Tensor(like.shape(), like.dtype());
}

Tensor zeros_like(const Tensor& like) {
  kernels::require_defined("zeros_like", like);
  return zeros(like.shape(), like.dtype());
}

Tensor ones_like(const Tensor& like) {
  kernels::require_defined("ones_like", like);
  return full(like.shape(), 1, like.dtype());
}

Tensor full_like(const Tensor& like, Scalar value) {
  kernels::require_defined("full_like", like);
  kernels::require_element("full_like", value, like.dtype());
  return full(like.shape(), value, like.dtype());
}

Tensor scalar(Scalar value, DType dtype) {
  kernels::require_element("scalar", value, dtype);
  Tensor result(Shape{}, dtype);
  kernels::dispatch_any(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    *result.mutable_data<T>() = value.as<T>();
  });
  return result;
}

Tensor arange(Scalar stop) {
  return arange(0, stop);
}

Tensor arange(Scalar start, Scalar stop, Scalar step) {
  const bool integers = start.is_integer() && stop.is_integer() && step.is_integer();
  return arange(start, stop, step, integers ? DType::i64 : DType::f32);
}

Tensor arange(Scalar start, Scalar stop, Scalar step, DType dtype) {
  if (dtype == DType::boolean) {
    fail<DTypeError>("arange: takes f32, f64 or i64, got boolean");
  }
  if (dtype != DType::i64) {
    return arange_floating(start.as<double>(), stop.as<double>(), step.as<double>(), dtype);
  }
  for (const Scalar number : {start, stop, step}) kernels::require_element("arange", number, dtype);
  return arange_integers(start.as<std::int64_t>(), stop.as<std::int64_t>(),
                         step.as<std::int64_t>());
}

Tensor linspace(double start, double stop, Index count, DType dtype) {
  require<Error>(std::isfinite(start) && std::isfinite(stop),
                 "linspace: start {} and stop {} must be finite", start, stop);
  require(count >= 0, "linspace: {} numbers asked for", count);
  return kernels::dispatch_floating("linspace", dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    Tensor result(Shape{count}, dtype);
    T* const elements = result.mutable_data<T>();
    const double intervals = static_cast<double>(count - 1);
    for (Index i = 0; i < count; ++i) {
      // From the nearer end, so that both ends are exact and the numbers symmetric.
      const bool first_half = i <= (count - 1) / 2;
      const double share = static_cast<double>(first_half ? i : count - 1 - i) / intervals;
      const double from = first_half ? start : stop;
      const double to = first_half ? stop : start;
      elements[i] = static_cast<T>(i == 0 ? start : from + share * to - share * from);
    }
    return result;
  });
}

Tensor eye(Index rows, Index columns, DType dtype) {
  require(rows >= 0, "eye: {} rows asked for", rows);
  if (columns < 0) columns = rows;
  Tensor result = zeros(Shape{rows, columns}, dtype);
  kernels::dispatch_any(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const elements = result.mutable_data<T>();
    for (Index i = 0; i < std::min(rows, columns); ++i) elements[i * columns + i] = T{1};
  });
  return result;
}

template <Element T>
Tensor from_span(std::span<const T> values, const Shape& shape) {
  Tensor result(shape, dtype_of<T>);
  require(static_cast<Index>(values.size()) == result.element_count(),
          "from_span: {} values do not fill shape {}", values.size(), shape);
  std::copy(values.begin(), values.end(), result.mutable_data<T>());
  return result;
}

template <Element T>
Tensor from_vector(const std::vector<T>& values, const Shape& shape) {
  Tensor result(shape, dtype_of<T>);
  require(static_cast<Index>(values.size()) == result.element_count(),
          "from_vector: {} values do not fill shape {}", values.size(), shape);
  std::copy(values.begin(), values.end(), result.mutable_data<T>());
  return result;
}

template Tensor from_span<float>(std::span<const float>, const Shape&);
template Tensor from_span<double>(std::span<const double>, const Shape&);
template Tensor from_span<std::int64_t>(std::span<const std::int64_t>, const Shape&);
template Tensor from_span<bool>(std::span<const bool>, const Shape&);
template Tensor from_vector<float>(const std::vector<float>&, const Shape&);
template Tensor from_vector<double>(const std::vector<double>&, const Shape&);
template Tensor from_vector<std::int64_t>(const std::vector<std::int64_t>&, const Shape&);
template Tensor from_vector<bool>(const std::vector<bool>&, const Shape&);

Tensor tensor(std::initializer_list<detail::Nested> values, DType dtype) {
  const detail::Nested list(values);
  const Shape shape = shape_of(list);
  Tensor result(shape, dtype);
  kernels::dispatch_any(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* target = result.mutable_data<T>();
    read_items(list, shape, 0, target);
  });
  return result;
}

}  // namespace tensorette
