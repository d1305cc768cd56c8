/// \file
/// Files that are either old or new, never half.
#pragma once

#include <filesystem>
#include <string_view>

namespace tensorette::pictures {

/// Writes `content` through an AtomicFile: at every moment `path` is either what it was or all of
/// `content`. Throws FormatError naming the path and the system's reason.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace tensorette::pictures
