#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/io/detail/input_file.hpp>

namespace tensorette::detail {

InputFile::InputFile(const char* operation, const std::string& path)
    : context_(std::string(operation) + ": " + path) {
  // Non-blocking, for a named pipe would wait for its writer here; regular files do not care.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  require<FormatError>(descriptor_ >= 0, "{}: can't open: {}", context_, std::strerror(errno));
  struct stat status {};
  const bool is_regular = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (!is_regular) {
    ::close(descriptor_);
    fail<FormatError>("{}: not a regular file", context_);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

void InputFile::read(std::uint64_t position, std::span<std::byte> target) const {
  while (!target.empty()) {
    const ssize_t got =
        ::pread(descriptor_, target.data(), target.size(), static_cast<off_t>(position));
    if (got < 0 && errno == EINTR) continue;
    require<FormatError>(got >= 0, "{}: can't read: {}", context_, std::strerror(errno));
    require<FormatError>(got > 0, "{}: ends at byte {}, where more was expected", context_,
                         position);
    position += static_cast<std::uint64_t>(got);
    target = target.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace tensorette::detail
