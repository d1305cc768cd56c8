/// \file
/// Files that a test makes of bytes, loaded as a user would load them.
#pragma once

#include <string>
#include <temporary_folder.hpp>
#include <tensorette/tensor/error.hpp>

namespace tensorette::testing {

/// Writes bytes to a file and loads them with `load_file`, which errors call `operation`.
template <auto load_file>
struct ByteLoader {
  std::string operation;
  TemporaryFolder folder{};
  std::string path = folder / "file";

  [[nodiscard]] auto load(const std::string& bytes) const {
    write_bytes(path, bytes);
    return load_file(path);
  }
  /// What the error says behind "<operation>: <path>: ", or "loaded".
  [[nodiscard]] std::string refusal(const std::string& bytes) const {
    try {
      (void)load(bytes);
    } catch (const FormatError& error) {
      const std::string text = error.what();
      const std::string start = operation + ": " + path + ": ";
      return text.starts_with(start) ? text.substr(start.size()) : "no context: " + text;
    }
    return "loaded";
  }
};

}  // namespace tensorette::testing
