#include <cstring>
#include <limits>
#include <new>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/kernels/copy.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

using detail::fail;
using detail::require;

namespace {

// The storage of a dense tensor; refuses what can't exist before it asks for memory.
intrusive_ptr<Storage> storage_for(const Shape& shape, DType dtype) {
  bool is_empty = false;
  for (const Index size : shape) {
    require(size >= 0, "tensor: negative size in shape {}", shape);
    is_empty = is_empty || size == 0;
  }
  if (is_empty) return Storage::make(0);
  std::int64_t bytes = static_cast<std::int64_t>(size_of(dtype));
  for (const Index size : shape) {
    require(bytes <= (std::numeric_limits<std::int64_t>::max() / 2) / size,
            "tensor: shape {} has more elements than memory can address", shape);
    bytes *= size;
  }
  try {
    return Storage::make(static_cast<std::size_t>(bytes));
  } catch (const std::bad_alloc&) {
    fail<Error>("tensor: no memory for shape {} of {}: {} bytes", shape, dtype, bytes);
  }
}

}  // namespace

Tensor::Tensor(const Shape& shape, DType dtype)
    : storage_(storage_for(shape, dtype)),
      shape_(shape),
      strides_(row_major_strides(shape)),
      dtype_(dtype) {}

Index Tensor::size(int axis) const {
  return shape_[normalize_axis("size", axis, rank())];
}

bool Tensor::is_contiguous() const noexcept {
  Index step = 1;
  for (int axis = rank() - 1; axis >= 0; --axis) {
    if (shape_[axis] == 1) continue;  // a lone element's stride is never walked
    if (strides_[axis] != step) return element_count() == 0;
    step *= shape_[axis];
  }
  return true;
}

void Tensor::throw_access(DType wanted) const {
  require<Error>(is_defined(), "data: the tensor is undefined");
  fail<DTypeError>("data: the tensor is {}, read as {}", dtype_, wanted);
}

template <Element T>
T Tensor::item() const {
  require(element_count() == 1, "item: needs exactly one element, the shape is {}", shape_);
  return *data<T>();
}

double Tensor::item() const {
  require<Error>(is_defined(), "item: the tensor is undefined");
  return kernels::dispatch_any(
      dtype_, [&](auto tag) { return static_cast<double>(item<typename decltype(tag)::type>()); });
}

template <Element T>
T Tensor::at(std::span<const Index> indices) const {
  require<IndexError>(static_cast<int>(indices.size()) == rank(),
                      "at: {} indices for a tensor of shape {}", indices.size(), shape_);
  Index position = 0;
  for (int axis = 0; axis < rank(); ++axis) {
    const Index index = indices[static_cast<std::size_t>(axis)];
    const Index size = shape_[axis];
    require<IndexError>(index >= -size && index < size,
                        "at: index {} is outside axis {} of shape {}", index, axis, shape_);
    position += (index < 0 ? index + size : index) * strides_[axis];
  }
  return data<T>()[position];
}

template <Element T>
std::vector<T> Tensor::to_vector() const {
  const Tensor dense = contiguous();
  const T* first = dense.data<T>();
  return std::vector<T>(first, first + element_count());
}

Tensor Tensor::contiguous() const {
  return !is_defined() || is_contiguous() ? *this : clone();
}

Tensor Tensor::clone() const {
  require<Error>(is_defined(), "clone: the tensor is undefined");
  Tensor copy(shape_, dtype_);
  kernels::copy_elements(*this, copy);
  return copy;
}

Tensor Tensor::to(DType dtype) const {
  require<Error>(is_defined(), "to: the tensor is undefined");
  if (dtype == dtype_) return *this;
  Tensor converted(shape_, dtype);
  kernels::convert_elements(*this, converted);
  return converted;
}

template float Tensor::item<float>() const;
template double Tensor::item<double>() const;
template std::int64_t Tensor::item<std::int64_t>() const;
template bool Tensor::item<bool>() const;
template float Tensor::at<float>(std::span<const Index>) const;
template double Tensor::at<double>(std::span<const Index>) const;
template std::int64_t Tensor::at<std::int64_t>(std::span<const Index>) const;
template bool Tensor::at<bool>(std::span<const Index>) const;
template std::vector<float> Tensor::to_vector<float>() const;
template std::vector<double> Tensor::to_vector<double>() const;
template std::vector<std::int64_t> Tensor::to_vector<std::int64_t>() const;
template std::vector<bool> Tensor::to_vector<bool>() const;

}  // namespace tensorette
