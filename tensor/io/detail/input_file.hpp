// Reading files of known size, with errors that name the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tensorette::detail {

class InputFile {
 public:
  /// `operation` and `path` begin every error text. \throws FormatError
  InputFile(const char* operation, const std::string& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// "operation: path", for error texts.
  [[nodiscard]] const std::string& context() const noexcept { return context_; }

  /// Fills `target` with the bytes from `position` on. \throws FormatError if they are not there.
  void read(std::uint64_t position, std::span<std::byte> target) const;

 private:
  std::string context_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace tensorette::detail
