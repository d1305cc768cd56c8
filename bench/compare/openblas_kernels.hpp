/// \file
/// Which kernels OpenBLAS is to use, so that whoever multiplies with it is at his best.
#pragma once

#include <filesystem>
#include <string>

#include "child.hpp"

namespace tensorette::bench {

/// Lets programs started with `environment` use these kernels.
void use_openblas_kernels(Environment& environment, const std::string& kernels);

/// The value of OPENBLAS_CORETYPE with which `limit_program` multiplies fastest; empty where that
/// is OpenBLAS's own choice, or nearly. It chooses by the processor's model and takes the oldest
/// kernels, a fifth as fast, where the model is newer than itself.
[[nodiscard]] std::string fastest_openblas_kernels(const std::filesystem::path& limit_program,
                                                   const Environment& environment);

}  // namespace tensorette::bench
