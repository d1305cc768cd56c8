#include <algorithm>
#include <array>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/io/atomic_file.hpp>
#include <tensorette/tensor/io/detail/input_file.hpp>
#include <tensorette/tensor/io/detail/safetensors_header.hpp>
#include <tensorette/tensor/io/safetensors.hpp>
#include <tuple>
#include <vector>

// Layout of the file: length of the header (8 bytes, little-endian), header, data.

namespace tensorette {
namespace {

using detail::SafetensorsEntry;
using detail::SafetensorsHeader;
using detail::StoredElement;

constexpr std::uint64_t length_bytes = 8;

StoredElement element_to_store(DType dtype, StoredType stored) noexcept {
  if (!is_floating(dtype)) return detail::stored_as(dtype);
  switch (stored) {
    case StoredType::f32:
      return StoredElement::f32;
    case StoredType::f16:
      return StoredElement::f16;
    case StoredType::bf16:
      return StoredElement::bf16;
    case StoredType::as_is:
      break;
  }
  return detail::stored_as(dtype);
}

// Wide elements first, so that each tensor is aligned to its elements; equal ones by name. This is
// the order of the format's reference implementation.
void sort_entries(std::vector<SafetensorsEntry>& entries) {
  const auto rank_of = [](StoredElement element) {
    constexpr std::array order = {StoredElement::i64,  StoredElement::f64, StoredElement::f32,
                                  StoredElement::bf16, StoredElement::f16, StoredElement::boolean};
    return std::find(order.begin(), order.end(), element) - order.begin();
  };
  std::sort(entries.begin(), entries.end(),
            [&](const SafetensorsEntry& a, const SafetensorsEntry& b) {
              return std::tuple(rank_of(a.element), std::string_view(a.name)) <
                     std::tuple(rank_of(b.element), std::string_view(b.name));
            });
}

SafetensorsHeader make_header(const std::string& context, const Safetensors& contents,
                              StoredType stored) {
  SafetensorsHeader header;
  header.metadata = contents.metadata;
  for (const auto& [name, tensor] : contents.tensors) {
    detail::require<Error>(tensor.is_defined(), "{}: tensor '{}' is undefined", context, name);
    detail::require<Error>(name != detail::safetensors_metadata_key,
                           "{}: '{}' can't be the name of a tensor", context, name);
    header.entries.push_back({.name = name,
                              .element = element_to_store(tensor.dtype(), stored),
                              .shape = tensor.shape()});
  }
  sort_entries(header.entries);
  std::uint64_t position = 0;
  for (SafetensorsEntry& entry : header.entries) {
    const auto bytes = detail::stored_bytes(entry.shape, entry.element);
    detail::require<Error>(bytes.has_value(), "{}: tensor '{}' of shape {} is too large", context,
                           entry.name, entry.shape);
    entry.begin = position;
    entry.end = position += *bytes;
  }
  return header;
}

std::array<std::byte, length_bytes> little_endian(std::uint64_t value) noexcept {
  std::array<std::byte, length_bytes> bytes;
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(value & 0xFF);
    value >>= 8;
  }
  return bytes;
}

std::uint64_t read_header_length(const detail::InputFile& file) {
  detail::require<FormatError>(file.size() >= length_bytes,
                               "{}: {} bytes are too few for a safetensors file", file.context(),
                               file.size());
  std::array<std::byte, length_bytes> bytes;
  file.read(0, bytes);
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;)
    length = length << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  detail::require<FormatError>(
      length <= detail::max_safetensors_header && length <= file.size() - length_bytes,
      "{}: not a safetensors file: {} bytes can't begin with a header of {} bytes (limit {})",
      file.context(), file.size(), length, detail::max_safetensors_header);
  return length;
}

}  // namespace

Safetensors load_safetensors(const std::string& path) {
  const detail::InputFile file("load_safetensors", path);
  const std::uint64_t length = read_header_length(file);
  std::string json(length, '\0');
  file.read(length_bytes, std::as_writable_bytes(std::span(json)));
  const std::uint64_t data = length_bytes + length;
  SafetensorsHeader header =
      detail::parse_safetensors_header(file.context(), json, file.size() - data);

  Safetensors contents;
  contents.metadata = std::move(header.metadata);
  for (const SafetensorsEntry& entry : header.entries) {
    std::uint64_t position = data + entry.begin;
    const auto source = [&](std::span<std::byte> target) {
      file.read(position, target);
      position += target.size();
    };
    contents.tensors.emplace(
        entry.name,
        detail::read_elements(fmt::format("{}: tensor '{}'", file.context(), entry.name), source,
                              entry.shape, entry.element, detail::ByteOrder::little));
  }
  return contents;
}

void save_safetensors(const std::string& path, const Safetensors& contents, StoredType stored) {
  const std::string context = "save_safetensors: " + path;
  const SafetensorsHeader header = make_header(context, contents, stored);
  const std::string json = detail::format_safetensors_header(context, header);
  detail::require<FormatError>(json.size() <= detail::max_safetensors_header,
                               "{}: the header would have {} bytes, the format allows {}", context,
                               json.size(), detail::max_safetensors_header);
  AtomicFile file(path);
  file.write(little_endian(json.size()));
  file.write(json);
  for (const SafetensorsEntry& entry : header.entries) {
    detail::write_elements(contents.tensors.at(entry.name), entry.element,
                           [&](std::span<const std::byte> bytes) { file.write(bytes); });
  }
  file.close();
}

}  // namespace tensorette
