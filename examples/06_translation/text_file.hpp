/// \file
/// Whole files in, whole lines out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensorette::translation {

/// The bytes of a file. Throws Error naming the path and the system's reason.
[[nodiscard]] std::string read_bytes(const std::string& path);

/// The lines of `text`. Only LF and CRLF end one; a line end at the very end begins no further
/// line.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace tensorette::translation
