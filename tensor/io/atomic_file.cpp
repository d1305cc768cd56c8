#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/io/atomic_file.hpp>
#include <utility>

namespace tensorette {
namespace {

[[noreturn]] void fail_with_reason(const std::string& path, const char* what) {
  const int reason = errno;
  detail::fail<FormatError>("{}: {}: {}", path, what, std::strerror(reason));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The file that a symbolic link leads to: the link stays one.
std::string behind_link(const std::string& path) {
  std::error_code reason;
  if (!std::filesystem::is_symlink(path, reason)) return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, reason);
  return target.empty() ? path : target.string();
}

std::string temporary_name(const std::string& folder) {
  static std::atomic<unsigned> number{0};
  return fmt::format("{}/.tensorette-{}-{}.tmp", folder, ::getpid(), number++);
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(behind_link(path)) {
  struct stat existing {};
  const bool exists = ::stat(path_.c_str(), &existing) == 0;
  // A device or a pipe would be replaced by a file.
  detail::require<FormatError>(!exists || S_ISREG(existing.st_mode),
                               "{}: can't be written: it is no regular file", path_);
  const std::string folder = folder_of(path_);
  // A name may be taken by what an earlier process with this number left behind.
  for (int attempt = 0; descriptor_ < 0 && attempt < 100; ++attempt) {
    temporary_ = temporary_name(folder);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST && errno != EINTR) break;
  }
  if (descriptor_ < 0) fail_with_reason(path_, "can't create a file in its folder");
  if (exists) {
    // Where they can't be kept the file has the permissions of a new one.
    [[maybe_unused]] const int kept = ::fchmod(descriptor_, existing.st_mode & 07777);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::require_open() const {
  detail::require<Error>(descriptor_ >= 0, "{}: the file is closed already", path_);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  require_open();
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail_with_reason(path_, "can't write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::write(const std::string& text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::close() {
  require_open();
  // Opened first: after the rename, no failure but that of the last flush is left.
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail_with_reason(path_, "can't open its folder");
  const auto leave = [&](const char* what) {
    const int reason = errno;
    ::close(folder);
    errno = reason;
    fail_with_reason(path_, what);
  };

  if (::fsync(descriptor_) != 0) leave("can't flush to disk");
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary_.c_str());
    errno = reason;
    leave(closed != 0 ? "can't close" : "can't rename the finished file to this name");
  }
  // Some file systems can't flush a folder, and have nothing to flush then.
  if (::fsync(folder) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
    leave("the file is written, but its folder can't be flushed: a power cut may undo it");
  ::close(folder);
}

}  // namespace tensorette
