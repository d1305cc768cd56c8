/// \file
/// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tensorette {

/// A file being written beside its final path. close() flushes it to disk and renames it;
/// destroyed before that, it vanishes and an older file at the path stays as it was.
class AtomicFile {
 public:
  /// \throws FormatError if it can't be created.
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// \throws FormatError with the system's reason, e.g. a full disk.
  void write(std::span<const std::byte> bytes);
  void write(const std::string& text);
  /// \throws FormatError; the older file is intact then.
  void close();

 private:
  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace tensorette
