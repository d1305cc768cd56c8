// Between elements as files store them and tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette::detail {

enum class StoredElement : std::uint8_t {
  boolean,
  i8,
  u8,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  f64,
  i64,
};

[[nodiscard]] std::size_t size_of(StoredElement element) noexcept;
/// The dtype that it is read into.
[[nodiscard]] DType dtype_of_stored(StoredElement element) noexcept;
/// How a tensor of this dtype is stored unconverted.
[[nodiscard]] StoredElement stored_as(DType dtype) noexcept;

/// Bytes of a tensor in a file; nothing where that does not fit into 63 bits.
[[nodiscard]] std::optional<std::uint64_t> stored_bytes(const Shape& shape,
                                                        StoredElement element) noexcept;

enum class ByteOrder : bool { little, big };

/// Gives the next bytes of a file: fills the span it is handed, or throws FormatError.
using ByteSource = std::function<void(std::span<std::byte>)>;
/// Takes the next bytes of a file.
using ByteSink = std::function<void(std::span<const std::byte>)>;

/// A tensor of this shape from the next bytes, in row-major order.
/// \throws FormatError beginning with `context` for a boolean that is neither 0 nor 1.
[[nodiscard]] Tensor read_elements(const std::string& context, const ByteSource& source,
                                   const Shape& shape, StoredElement element, ByteOrder order);

/// Hands the elements to the sink in row-major order, little-endian; floating ones rounded to
/// nearest even if `element` is a narrower floating type.
void write_elements(const Tensor& tensor, StoredElement element, const ByteSink& sink);

}  // namespace tensorette::detail
