// The JSON header of a safetensors file: {"name": {"dtype": "F32", "shape": [2, 3],
// "data_offsets": [begin, end]}, ..., "__metadata__": {"key": "value", ...}}.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tensorette/tensor/io/detail/stored_elements.hpp>
#include <vector>

namespace tensorette::detail {

/// One tensor of the header; offsets count from the end of the header.
struct SafetensorsEntry {
  std::string name;
  StoredElement element = StoredElement::f32;
  Shape shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  ///< in order of their place in the file
  std::map<std::string, std::string> metadata;
};

/// Longest header that the format allows.
inline constexpr std::uint64_t max_safetensors_header = 100'000'000;
/// Key of the table of strings; no tensor can have this name.
inline constexpr const char* safetensors_metadata_key = "__metadata__";

/// Name of an element type in the format.
[[nodiscard]] std::string_view safetensors_name(StoredElement element) noexcept;

/// Reads a header as it is parsed, building no tree, and checks that the tensors fill `data_bytes`
/// bytes exactly: no overlap, no hole, nothing left over, each as long as shape and dtype say.
/// \throws FormatError beginning with `context`.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(const std::string& context,
                                                         std::string_view json,
                                                         std::uint64_t data_bytes);

/// The header's text, padded with spaces to a multiple of 8 bytes.
/// \throws FormatError beginning with `context` for text that is not UTF-8.
[[nodiscard]] std::string format_safetensors_header(const std::string& context,
                                                    const SafetensorsHeader& header);

}  // namespace tensorette::detail
