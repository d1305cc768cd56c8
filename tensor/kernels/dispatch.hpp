// From the run-time dtype to a C++ type. Included by .cpp files only.
#pragma once

#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette::kernels {

template <class T>
struct TypeTag {
  using type = T;
};

/// Calls `body(TypeTag<T>{})` with T = float or double. \throws DTypeError naming `operation`.
template <class Body>
decltype(auto) dispatch_floating(const char* operation, DType dtype, Body&& body) {
  if (dtype == DType::f32) return body(TypeTag<float>{});
  if (dtype == DType::f64) return body(TypeTag<double>{});
  detail::fail<DTypeError>("{}: takes f32 or f64, got {}", operation, dtype);
}

/// Calls `body(TypeTag<T>{})` with T = float, double or std::int64_t.
template <class Body>
decltype(auto) dispatch_numeric(const char* operation, DType dtype, Body&& body) {
  if (dtype == DType::i64) return body(TypeTag<std::int64_t>{});
  if (dtype == DType::f32) return body(TypeTag<float>{});
  if (dtype == DType::f64) return body(TypeTag<double>{});
  detail::fail<DTypeError>("{}: takes f32, f64 or i64, got {}", operation, dtype);
}

/// Calls `body(TypeTag<T>{})` with the element type.
template <class Body>
decltype(auto) dispatch_any(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::f32:
      return body(TypeTag<float>{});
    case DType::f64:
      return body(TypeTag<double>{});
    case DType::i64:
      return body(TypeTag<std::int64_t>{});
    case DType::boolean:
      break;
  }
  return body(TypeTag<bool>{});
}

/// \throws DTypeError unless both dtypes are the same.
inline void require_same_dtype(const char* operation, const Tensor& a, const Tensor& b) {
  detail::require<DTypeError>(a.dtype() == b.dtype(), "{}: dtypes differ: {} and {}", operation,
                              a.dtype(), b.dtype());
}

/// \throws Error for an undefined tensor.
inline void require_defined(const char* operation, const Tensor& x) {
  detail::require<Error>(x.is_defined(), "{}: got an undefined tensor", operation);
}

}  // namespace tensorette::kernels
