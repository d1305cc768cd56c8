// Checks with formatted messages; included by .cpp files only, so that fmt stays out of the
// public headers.
#pragma once

#include <fmt/core.h>
#include <fmt/format.h>

#include <string>
#include <tensorette/tensor/dtype.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette/tensor/shape.hpp>
#include <utility>

template <>
struct fmt::formatter<tensorette::Shape> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const tensorette::Shape& shape, Context& context) const {
    return fmt::formatter<std::string>::format(tensorette::to_string(shape), context);
  }
};

template <>
struct fmt::formatter<tensorette::DType> : fmt::formatter<fmt::string_view> {
  template <class Context>
  auto format(tensorette::DType dtype, Context& context) const {
    const auto name = tensorette::name_of(dtype);
    return fmt::formatter<fmt::string_view>::format({name.data(), name.size()}, context);
  }
};

namespace tensorette::detail {

/// Throws `Failure` with the formatted text.
template <class Failure = ShapeError, class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw Failure(fmt::format(text, std::forward<Args>(args)...));
}

/// Throws `Failure` with the formatted text unless `condition` holds.
template <class Failure = ShapeError, class... Args>
void require(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) [[unlikely]]
    throw Failure(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace tensorette::detail
