/// \file
/// NumPy's files: one array (.npy) or several by name (.npz).
#pragma once

#include <map>
#include <string>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

/// Reads f4, f8, i8, b1; also f2, and i1/i2/i4/u1/u2/u4 converted to i64; either byte order;
/// C and Fortran order. \throws FormatError naming file and reason.
[[nodiscard]] Tensor load_npy(const std::string& path);
/// Version 1.0, C order. Written to a temporary file and renamed. \throws FormatError
void save_npy(const std::string& path, const Tensor& tensor);

/// Arrays by name, without the members' ending .npy; stored or deflated, checksums checked.
/// \throws FormatError naming file, member and reason.
[[nodiscard]] std::map<std::string, Tensor> load_npz(const std::string& path);
/// Stored, not compressed; the same tensors give the same bytes. Written to a temporary file and
/// renamed. \throws FormatError
void save_npz(const std::string& path, const std::map<std::string, Tensor>& tensors);

}  // namespace tensorette
