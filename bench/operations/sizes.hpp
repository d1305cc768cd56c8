/// \file
/// The sizes that element-by-element operations are measured at.
#pragma once

#include <array>
#include <string_view>
#include <tensorette/tensor/shape.hpp>

namespace tensorette::bench {

struct NamedSize {
  std::string_view name;
  Index rows, columns;
  [[nodiscard]] Shape shape() const { return {rows, columns}; }
  [[nodiscard]] Index elements() const { return rows * columns; }
};

/// Small enough that the cost of an operation as such shows, and large enough that it does not.
inline constexpr std::array sizes{NamedSize{"small", 8, 8}, NamedSize{"large", 1024, 1024}};

}  // namespace tensorette::bench
