#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/io/detail/half.hpp>
#include <tensorette/tensor/io/detail/stored_elements.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>

namespace tensorette::detail {
namespace {

static_assert(std::endian::native == std::endian::little,
              "elements are copied between memory and little-endian files as they are");

constexpr std::size_t chunk_bytes = 1 << 16;

// Calls body(TypeTag<T>{}, convert): the stored bits as an unsigned integer T, and the function
// from it to the tensor's element.
template <class Body>
void dispatch_stored(StoredElement element, Body&& body) {
  const auto integer = [&]<class Stored>(kernels::TypeTag<Stored>) {
    using Bits = std::make_unsigned_t<Stored>;
    body(kernels::TypeTag<Bits>{},
         [](Bits bits) -> std::int64_t { return static_cast<Stored>(bits); });
  };
  switch (element) {
    case StoredElement::i8:
      return integer(kernels::TypeTag<std::int8_t>{});
    case StoredElement::u8:
      return integer(kernels::TypeTag<std::uint8_t>{});
    case StoredElement::i16:
      return integer(kernels::TypeTag<std::int16_t>{});
    case StoredElement::u16:
      return integer(kernels::TypeTag<std::uint16_t>{});
    case StoredElement::i32:
      return integer(kernels::TypeTag<std::int32_t>{});
    case StoredElement::u32:
      return integer(kernels::TypeTag<std::uint32_t>{});
    case StoredElement::i64:
      return integer(kernels::TypeTag<std::int64_t>{});
    case StoredElement::f16:
      return body(kernels::TypeTag<std::uint16_t>{}, from_half);
    case StoredElement::bf16:
      return body(kernels::TypeTag<std::uint16_t>{}, from_bfloat);
    case StoredElement::f32:
      return body(kernels::TypeTag<std::uint32_t>{},
                  [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
    case StoredElement::f64:
      return body(kernels::TypeTag<std::uint64_t>{},
                  [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
    case StoredElement::boolean:
      return body(kernels::TypeTag<std::uint8_t>{}, [](std::uint8_t bits) { return bits != 0; });
  }
}

template <class Bits>
Bits with_bytes_reversed(Bits bits) noexcept {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(Bits)>>(bits);
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Bits>(bytes);
}

// The tensor's memory as bytes.
std::span<std::byte> bytes_of(Tensor& tensor) {
  return kernels::dispatch_any(tensor.dtype(), [&]<class T>(kernels::TypeTag<T>) {
    return std::as_writable_bytes(
        std::span<T>(tensor.mutable_data<T>(), static_cast<std::size_t>(tensor.element_count())));
  });
}

void require_booleans(const std::string& context, std::span<const std::byte> bytes) {
  const auto wrong = std::find_if(bytes.begin(), bytes.end(),
                                  [](std::byte value) { return value > std::byte{1}; });
  require<FormatError>(wrong == bytes.end(), "{}: boolean element {} is neither 0 nor 1", context,
                       wrong - bytes.begin());
}

template <class Bits, class Convert>
void read_converted(const ByteSource& source, ByteOrder order, Convert convert, Tensor& target) {
  using T = decltype(convert(Bits{}));
  auto* out = target.mutable_data<T>();
  std::array<Bits, chunk_bytes / sizeof(Bits)> chunk;
  for (auto left = static_cast<std::size_t>(target.element_count()); left > 0;) {
    const std::span part = std::span(chunk).first(std::min(left, chunk.size()));
    source(std::as_writable_bytes(part));
    for (const Bits bits : part)
      *out++ = convert(order == ByteOrder::big ? with_bytes_reversed(bits) : bits);
    left -= part.size();
  }
}

template <class T, class Bits, class Convert>
void write_converted(const Tensor& tensor, Convert convert, const ByteSink& sink) {
  const T* in = tensor.data<T>();
  std::array<Bits, chunk_bytes / sizeof(Bits)> chunk;
  for (auto left = static_cast<std::size_t>(tensor.element_count()); left > 0;) {
    const std::span part = std::span(chunk).first(std::min(left, chunk.size()));
    for (Bits& bits : part) bits = convert(*in++);
    sink(std::as_bytes(part));
    left -= part.size();
  }
}

template <class T>
void write_floating(const Tensor& tensor, StoredElement element, const ByteSink& sink) {
  if (element == StoredElement::f16) {
    write_converted<T, std::uint16_t>(
        tensor, [](T x) { return to_half(x); }, sink);
  } else if (element == StoredElement::bf16) {
    write_converted<T, std::uint16_t>(
        tensor, [](T x) { return to_bfloat(x); }, sink);
  } else {
    write_converted<T, float>(
        tensor, [](T x) { return static_cast<float>(x); }, sink);
  }
}

}  // namespace

std::size_t size_of(StoredElement element) noexcept {
  std::size_t size = 0;
  dispatch_stored(element, [&]<class Bits>(kernels::TypeTag<Bits>, auto) { size = sizeof(Bits); });
  return size;
}

DType dtype_of_stored(StoredElement element) noexcept {
  DType dtype = DType::f32;
  dispatch_stored(element, [&]<class Bits>(kernels::TypeTag<Bits>, auto convert) {
    dtype = dtype_of<decltype(convert(Bits{}))>;
  });
  return dtype;
}

StoredElement stored_as(DType dtype) noexcept {
  switch (dtype) {
    case DType::f32:
      return StoredElement::f32;
    case DType::f64:
      return StoredElement::f64;
    case DType::i64:
      return StoredElement::i64;
    case DType::boolean:
      break;
  }
  return StoredElement::boolean;
}

std::optional<std::uint64_t> stored_bytes(const Shape& shape, StoredElement element) noexcept {
  constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
  std::uint64_t bytes = size_of(element);
  bool is_empty = false;
  // Sizes are taken together as if none were 0: [2⁶², 2⁶², 0] is as unfit as [2⁶², 2⁶²].
  for (const Index size : shape) {
    if (size == 0) {
      is_empty = true;
    } else {
      if (bytes > limit / static_cast<std::uint64_t>(size)) return std::nullopt;
      bytes *= static_cast<std::uint64_t>(size);
    }
  }
  return is_empty ? 0 : bytes;
}

Tensor read_elements(const std::string& context, const ByteSource& source, const Shape& shape,
                     StoredElement element, ByteOrder order) {
  Tensor result(shape, dtype_of_stored(element));
  if (result.element_count() == 0) return result;
  const bool is_as_in_memory = element == stored_as(result.dtype()) && order == ByteOrder::little;
  if (is_as_in_memory || element == StoredElement::boolean) {
    const std::span bytes = bytes_of(result);
    source(bytes);
    if (element == StoredElement::boolean) require_booleans(context, bytes);
  } else {
    dispatch_stored(element, [&]<class Bits>(kernels::TypeTag<Bits>, auto convert) {
      read_converted<Bits>(source, order, convert, result);
    });
  }
  return result;
}

void write_elements(const Tensor& tensor, StoredElement element, const ByteSink& sink) {
  Tensor dense = tensor.contiguous();
  if (dense.element_count() == 0) return;
  if (element == stored_as(dense.dtype())) {
    kernels::dispatch_any(dense.dtype(), [&]<class T>(kernels::TypeTag<T>) {
      sink(std::as_bytes(
          std::span(dense.data<T>(), static_cast<std::size_t>(dense.element_count()))));
    });
  } else if (dense.dtype() == DType::f64) {
    write_floating<double>(dense, element, sink);
  } else {
    write_floating<float>(dense, element, sink);
  }
}

}  // namespace tensorette::detail
