/// \file
/// Tensors as text, laid out as NumPy lays them out.
#pragma once

#include <iosfwd>
#include <string>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

struct PrintOptions {
  int precision = 4;       ///< digits after the point, trailing zeros cut as NumPy does
  Index threshold = 1000;  ///< tensors with more elements are shortened
  Index edge_items = 3;    ///< elements shown at each end of a shortened axis
  int line_width = 75;     ///< characters before a row is wrapped
};

/// Nested brackets on as many lines as needed: what array2string of NumPy gives with commas as
/// separators and a precision of 4, in every detail but one: an empty tensor prints its shape too.
///
/// The elements of a tensor share one width and one notation: decimals, or powers of ten where the
/// largest magnitude is 1e8 or more, the smallest is below 1e-4, or they are more than 1000 apart.
/// \throws Error for an edge_items below 1, or another option below 0.
[[nodiscard]] std::string to_string(const Tensor& tensor, const PrintOptions& options = {});

/// As `[2, 3]`.
std::ostream& operator<<(std::ostream& stream, const Shape& shape);
/// As `f32`.
std::ostream& operator<<(std::ostream& stream, DType dtype);

}  // namespace tensorette
