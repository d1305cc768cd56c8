/// \file
/// The safetensors format: named tensors and a table of strings in one file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

/// What one file holds.
struct Safetensors {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;  ///< the header's __metadata__
};

/// How floating tensors are written; integers and booleans are never converted.
enum class StoredType : std::uint8_t { as_is, f32, f16, bf16 };

/// Reads F32, F64, I64, BOOL; F16 and BF16 become f32; I32, I16, I8, U8, U16, U32 become i64.
/// Checks every offset against shape, dtype, neighbours and file before it allocates.
/// \throws FormatError naming file and reason.
[[nodiscard]] Safetensors load_safetensors(const std::string& path);

/// Writes to a temporary file beside `path`, flushes it to disk and renames it: an existing file
/// is replaced whole or left as it was. The same contents give the same bytes: tensors are laid out
/// by width of their elements, widest first, then by name. Floating numbers are rounded to nearest
/// even where they are stored narrower. \throws FormatError, also for names that are not UTF-8;
/// Error for an undefined tensor or the name `__metadata__`.
void save_safetensors(const std::string& path, const Safetensors& contents,
                      StoredType stored = StoredType::as_is);

}  // namespace tensorette
