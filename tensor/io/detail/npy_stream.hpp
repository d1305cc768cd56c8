// One array in NumPy's format, as the content of a .npy file or of a member of an .npz file.
#pragma once

#include <cstdint>
#include <string>
#include <tensorette/tensor/io/detail/stored_elements.hpp>

namespace tensorette::detail {

/// Reads an array that is `bytes` bytes long, header included. \throws FormatError
[[nodiscard]] Tensor read_npy(const std::string& context, const ByteSource& source,
                              std::uint64_t bytes);

/// Header, version 1.0, of a C-ordered array: the bytes that numpy.save writes.
[[nodiscard]] std::string npy_header(const Tensor& tensor);

}  // namespace tensorette::detail
