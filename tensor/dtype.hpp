/// \file
/// The four element types, and the bridge between them and C++ types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tensorette {

/// Type of a tensor's elements, known at run time.
enum class DType : std::uint8_t {
  f32,      ///< float: the default
  f64,      ///< double: for checking gradients
  i64,      ///< std::int64_t: token ids, indices
  boolean,  ///< bool: masks
};

/// Bytes of one element.
[[nodiscard]] constexpr std::size_t size_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::f32:
      return sizeof(float);
    case DType::f64:
    case DType::i64:
      return sizeof(double);
    case DType::boolean:
      return sizeof(bool);
  }
  return 0;
}

/// "f32", "f64", "i64" or "boolean".
[[nodiscard]] constexpr std::string_view name_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
    case DType::i64:
      return "i64";
    case DType::boolean:
      return "boolean";
  }
  return "?";
}

/// True for f32 and f64: the types that can carry gradients.
[[nodiscard]] constexpr bool is_floating(DType dtype) noexcept {
  return dtype == DType::f32 || dtype == DType::f64;
}

/// C++ types that can be elements of a tensor.
template <class T>
concept Element = std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, bool>;

/// The DType of a C++ element type.
template <Element T>
inline constexpr DType dtype_of = std::is_same_v<T, float>          ? DType::f32
                                  : std::is_same_v<T, double>       ? DType::f64
                                  : std::is_same_v<T, std::int64_t> ? DType::i64
                                                                    : DType::boolean;

/// A plain number taking part in an operation with a tensor: it takes the tensor's dtype, as in
/// Python. A fraction meeting an integer tensor throws DTypeError.
class Scalar {
 public:
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Scalar(T value) noexcept  // NOLINT(google-explicit-constructor): a number is a scalar
      : floating_(static_cast<double>(value)),
        integer_(std::is_integral_v<T> ? static_cast<std::int64_t>(value) : 0),
        is_integer_(std::is_integral_v<T>) {}

  [[nodiscard]] constexpr bool is_integer() const noexcept { return is_integer_; }

  /// The value as T; meaningful for integer T only where is_integer().
  template <Element T>
  [[nodiscard]] constexpr T as() const noexcept {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(floating_);
    else if constexpr (std::is_same_v<T, bool>)
      return floating_ != 0.0;
    else
      return integer_;
  }

 private:
  double floating_;
  std::int64_t integer_;
  bool is_integer_;
};

}  // namespace tensorette
