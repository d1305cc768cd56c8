/// \file
/// A folder of a test's own, gone when the test ends; and files as bytes.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace tensorette::testing {

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    // mkdtemp makes a free name of the six letters at the end.
    std::string name = (std::filesystem::temp_directory_path() / "tensorette-").string();
    name.append(6, 'X');
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for a test");
    folder_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// Path of a file in the folder.
  [[nodiscard]] std::string operator/(const std::string& name) const {
    return (folder_ / name).string();
  }
  /// Writes a file and returns its path.
  [[nodiscard]] std::string file(const std::string& name, const std::string& bytes) const {
    write_bytes(*this / name, bytes);
    return *this / name;
  }
  [[nodiscard]] std::string path() const { return folder_.string(); }
  /// How many files there are.
  [[nodiscard]] std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

 private:
  std::filesystem::path folder_;
};

/// Bytes from hexadecimal digits; blanks are skipped.
inline std::string from_hex(const std::string& digits) {
  std::string bytes;
  int high = -1;
  for (const char c : digits) {
    if (c == ' ' || c == '\n') continue;
    const int value = c <= '9' ? c - '0' : c - 'a' + 10;
    if (high < 0) {
      high = value;
    } else {
      bytes += static_cast<char>(high * 16 + value);
      high = -1;
    }
  }
  return bytes;
}

}  // namespace tensorette::testing
