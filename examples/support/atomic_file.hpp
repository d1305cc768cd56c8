/// \file
/// Files that are either old or new, never half.
#pragma once

#include <filesystem>
#include <string_view>

namespace tensorette::pictures {

/// Writes `content` to a temporary file beside `path`, flushes it to the disk and renames it, so
/// that at every moment `path` is either what it was or all of `content`. A symbolic link stays a
/// link. Throws FormatError naming the path and the system's reason; then nothing has changed and
/// the temporary file is gone.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace tensorette::pictures
