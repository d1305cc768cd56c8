/// \file
/// Making tensors.
#pragma once

#include <initializer_list>
#include <span>
#include <tensorette/tensor/tensor.hpp>
#include <vector>

namespace tensorette {

[[nodiscard]] Tensor zeros(const Shape& shape, DType dtype = DType::f32);
[[nodiscard]] Tensor ones(const Shape& shape, DType dtype = DType::f32);
/// \throws DTypeError for a fraction in an i64 tensor.
[[nodiscard]] Tensor full(const Shape& shape, Scalar value, DType dtype = DType::f32);
/// Uninitialised elements with the shape of `like`.
[[nodiscard]] Tensor empty_like(const Tensor& like);
[[nodiscard]] Tensor zeros_like(const Tensor& like);
[[nodiscard]] Tensor ones_like(const Tensor& like);
[[nodiscard]] Tensor full_like(const Tensor& like, Scalar value);

/// A tensor of shape [] with one element.
[[nodiscard]] Tensor scalar(Scalar value, DType dtype = DType::f32);

/// start, start + step, ... below `stop` (above, for a negative step). i64 where all three are
/// integers and no dtype is asked for, else f32. \throws Error for step 0 or non-finite bounds.
[[nodiscard]] Tensor arange(Scalar stop);
[[nodiscard]] Tensor arange(Scalar start, Scalar stop, Scalar step = 1);
[[nodiscard]] Tensor arange(Scalar start, Scalar stop, Scalar step, DType dtype);

/// `count` evenly spaced numbers from start to stop, both included.
[[nodiscard]] Tensor linspace(double start, double stop, Index count, DType dtype = DType::f32);

/// Ones on the main diagonal, [rows, columns]; square if `columns` is negative.
[[nodiscard]] Tensor eye(Index rows, Index columns = -1, DType dtype = DType::f32);

/// A copy of the elements in row-major order. \throws ShapeError if their number does not fit.
template <Element T>
[[nodiscard]] Tensor from_span(std::span<const T> values, const Shape& shape);
template <Element T>
[[nodiscard]] Tensor from_vector(const std::vector<T>& values, const Shape& shape);
template <Element T>
[[nodiscard]] Tensor from_vector(const std::vector<T>& values) {
  return from_vector(values, Shape{static_cast<Index>(values.size())});
}

namespace detail {
/// A literal such as {{1, 2}, {3, 4}} while it is being read; use tensor().
struct Nested {
  Nested(double number) : value(number) {}  // NOLINT(google-explicit-constructor)
  Nested(std::initializer_list<Nested> list) : items(list), is_list(true) {}
  double value = 0;
  std::vector<Nested> items;
  bool is_list = false;
};
}  // namespace detail

/// A tensor from nested lists: `tensor({{1, 2}, {3, 4}})` has shape [2, 2].
/// \throws ShapeError for ragged lists or more than max_rank levels.
[[nodiscard]] Tensor tensor(std::initializer_list<detail::Nested> values, DType dtype = DType::f32);

}  // namespace tensorette
