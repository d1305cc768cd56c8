#include "atomic_file.hpp"

#include <span>
#include <string>
#include <tensorette/tensor/io/atomic_file.hpp>

namespace tensorette::pictures {

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path.string());
  file.write(std::as_bytes(std::span(content)));
  file.close();
}

}  // namespace tensorette::pictures
