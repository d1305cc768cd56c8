// Checks with formatted messages; included by .cpp files only, so that fmt stays out of the
// public headers.
#pragma once

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tensorette/tensor/dtype.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette/tensor/shape.hpp>
#include <utility>

// Neither takes options in the braces.
template <>
struct fmt::formatter<tensorette::Shape> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(const tensorette::Shape& shape, Context& context) const {
    const std::string text = tensorette::to_string(shape);
    return std::copy(text.begin(), text.end(), context.out());
  }
};

template <>
struct fmt::formatter<tensorette::DType> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(tensorette::DType dtype, Context& context) const {
    const auto name = tensorette::name_of(dtype);
    return std::copy(name.begin(), name.end(), context.out());
  }
};

namespace tensorette::detail {

/// "[1, 2, 3]". GCC 12 takes fmt::join for a write out of bounds and warns.
template <class Numbers>
[[nodiscard]] std::string listed(const Numbers& numbers) {
  std::string text(1, '[');
  for (const auto& number : numbers) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(number);
  }
  text += ']';
  return text;
}

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
