/// \file
/// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tensorette {

/// A file being written beside its final path. close() flushes it to disk and renames it;
/// destroyed before that, it vanishes and an older file at the path stays as it was. A process that
/// is killed in between leaves `.tensorette-<process>-<number>.tmp` in the folder, never a file
/// that could be taken for a finished one.
class AtomicFile {
 public:
  /// A file that is there keeps its permissions, a symbolic link stays a link.
  /// \throws FormatError if it can't be created, or if the path is a folder, a device or a pipe
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// \throws FormatError with the system's reason, e.g. a full disk.
  void write(std::span<const std::byte> bytes);
  void write(const std::string& text);
  /// \throws FormatError; the older file is intact then. (One exception, named in the text: the
  /// rename succeeded but the folder could not be flushed, so a power cut may undo it.)
  void close();

 private:
  void require_open() const;

  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace tensorette
