/// \file
/// The N-dimensional tensor: a handle to shared storage, read through shape and strides.
/// Before: shape.hpp, dtype.hpp. Next: create.hpp, arithmetic.hpp.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <tensorette/tensor/dtype.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette/tensor/shape.hpp>
#include <tensorette/tensor/storage.hpp>
#include <utility>
#include <vector>

namespace tensorette {

/// An N-dimensional array of f32, f64, i64 or boolean elements, rank 0 to 8.
///
/// Copying a Tensor copies a handle: both see the same elements. Views (reshape where the layout
/// allows it, transpose, permute, slice, squeeze, unsqueeze, expand) share storage too; every
/// other operation returns a tensor that owns its elements. Operations are free functions; those
/// that write into their argument end on an underscore.
class Tensor {
 public:
  /// An undefined tensor: no shape, no elements. Every operation refuses it.
  Tensor() noexcept = default;

  /// A dense, uninitialised tensor. Prefer zeros(), full() ... of create.hpp.
  /// \throws ShapeError for negative sizes or more elements than memory can address; Error if the
  /// system has no memory for them.
  explicit Tensor(const Shape& shape, DType dtype = DType::f32);

  /// A view into storage: for the operations that make views.
  Tensor(intrusive_ptr<Storage> storage, const Shape& shape, const Strides& strides, Index offset,
         DType dtype) noexcept
      : storage_(std::move(storage)),
        shape_(shape),
        strides_(strides),
        offset_(offset),
        dtype_(dtype) {}

  [[nodiscard]] bool is_defined() const noexcept { return static_cast<bool>(storage_); }
  /// Of a temporary they are copies, which outlive it.
  [[nodiscard]] const Shape& shape() const& noexcept { return shape_; }
  [[nodiscard]] Shape shape() && noexcept { return shape_; }
  [[nodiscard]] const Strides& strides() const& noexcept { return strides_; }
  [[nodiscard]] Strides strides() && noexcept { return strides_; }
  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  [[nodiscard]] int rank() const noexcept { return shape_.rank(); }
  /// Size along `axis`; negative axes count from the end. \throws ShapeError
  [[nodiscard]] Index size(int axis) const;
  [[nodiscard]] Index element_count() const noexcept { return shape_.element_count(); }
  /// First element's position in the storage, in elements.
  [[nodiscard]] Index offset() const noexcept { return offset_; }
  /// Elements lie densely in row-major order.
  [[nodiscard]] bool is_contiguous() const noexcept;

  /// First element, for reading. \throws DTypeError if T is not the dtype.
  template <Element T>
  [[nodiscard]] const T* data() const {
    check_access(dtype_of<T>);
    return reinterpret_cast<const T*>(storage_->data()) + offset_;
  }
  /// First element, for writing: bumps the version of the storage. \throws DTypeError
  template <Element T>
  [[nodiscard]] T* mutable_data() {
    check_access(dtype_of<T>);
    storage_->bump_version();
    return reinterpret_cast<T*>(storage_->data()) + offset_;
  }

  /// The only element of a tensor with one element. \throws ShapeError, DTypeError
  template <Element T>
  [[nodiscard]] T item() const;
  /// The only element, of any dtype, as a double. \throws ShapeError
  [[nodiscard]] double item() const;

  /// One element: as many indices as axes, each checked; negative ones count from the end.
  /// \throws IndexError, DTypeError
  template <Element T, class... Indices>
  [[nodiscard]] T at(Indices... indices) const {
    const Index list[] = {static_cast<Index>(indices)..., 0};
    return at<T>(std::span<const Index>(list, sizeof...(indices)));
  }
  template <Element T>
  [[nodiscard]] T at(std::span<const Index> indices) const;

  /// All elements in row-major order. \throws DTypeError
  template <Element T>
  [[nodiscard]] std::vector<T> to_vector() const;

  /// This tensor if it is contiguous, else a dense copy.
  [[nodiscard]] Tensor contiguous() const;
  /// A dense copy that shares nothing.
  [[nodiscard]] Tensor clone() const;
  /// Elements converted: this tensor if it has that dtype already.
  [[nodiscard]] Tensor to(DType dtype) const;

  /// Both see the same memory; an undefined tensor shares with none.
  [[nodiscard]] bool shares_storage_with(const Tensor& other) const noexcept {
    return storage_ && storage_ == other.storage_;
  }
  /// Nobody else holds this storage.
  [[nodiscard]] bool is_unshared() const noexcept { return storage_ && storage_->is_unique(); }
  /// Number of writes to the storage so far; 0 for an undefined tensor.
  [[nodiscard]] std::uint32_t version() const noexcept {
    return storage_ ? storage_->version() : 0;
  }
  /// The memory behind this tensor; null for an undefined one.
  [[nodiscard]] const intrusive_ptr<Storage>& storage() const noexcept { return storage_; }

 private:
  void check_access(DType wanted) const {
    if (!storage_ || wanted != dtype_) [[unlikely]]
      throw_access(wanted);
  }
  [[noreturn]] void throw_access(DType wanted) const;

  intrusive_ptr<Storage> storage_;
  Shape shape_;
  Strides strides_;
  Index offset_ = 0;
  DType dtype_ = DType::f32;
};

/// Prints as NumPy does; long tensors are shortened. See print.hpp for options.
std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);

}  // namespace tensorette
