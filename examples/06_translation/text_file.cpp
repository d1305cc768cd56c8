#include "text_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <tensorette/tensor/error.hpp>

namespace tensorette::translation {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void throw_unreadable(const std::string& path, int reason) {
  throw Error(fmt::format("cannot read '{}': {}", path, std::generic_category().message(reason)));
}

}  // namespace

std::string read_bytes(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) throw_unreadable(path, errno);
  std::string bytes;
  std::array<char, 1 << 16> chunk;
  std::size_t got = 0;
  do {
    got = std::fread(chunk.data(), 1, chunk.size(), file.get());
    bytes.append(chunk.data(), got);
  } while (got == chunk.size());
  if (std::ferror(file.get()) != 0) throw_unreadable(path, errno);
  return bytes;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace tensorette::translation
