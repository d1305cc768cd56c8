/// \file
/// Tensors as text, laid out as NumPy lays them out.
#pragma once

#include <string>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

struct PrintOptions {
  int precision = 4;       ///< digits after the point, trailing zeros cut as NumPy does
  Index threshold = 1000;  ///< tensors with more elements are shortened
  Index edge_items = 3;    ///< elements shown at each end of a shortened axis
  int line_width = 75;     ///< characters before a row is wrapped
};

/// `[[1., 2.], [3., 4.]]` on as many lines as needed. Empty tensors show their shape.
[[nodiscard]] std::string to_string(const Tensor& tensor, const PrintOptions& options = {});

}  // namespace tensorette
