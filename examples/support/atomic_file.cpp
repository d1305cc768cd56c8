#include "atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <tensorette/tensor/error.hpp>

namespace tensorette::pictures {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int reason) {
  throw FormatError(fmt::format("write: cannot write \"{}\": {}", path.string(),
                                std::generic_category().message(reason)));
}

/// A file that disappears unless it is renamed to its place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& destination) : destination_(destination) {
    static std::atomic<unsigned> count{0};
    path_ = destination.string() + fmt::format(".{}-{}.partial", ::getpid(), count++);
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0) fail(destination_, errno);
    struct stat existing {};
    if (::stat(destination.c_str(), &existing) == 0) {
      // Where the permissions cannot be kept the file gets those of a new one.
      [[maybe_unused]] const int kept = ::fchmod(file_, existing.st_mode & 07777);
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (file_ >= 0) ::close(file_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(file_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(destination_, errno);
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void move_into_place() {
    if (::fsync(file_) != 0) fail(destination_, errno);
    const int closed = ::close(file_);
    file_ = -1;
    if (closed != 0) fail(destination_, errno);
    if (::rename(path_.c_str(), destination_.c_str()) != 0) fail(destination_, errno);
    path_.clear();
  }

 private:
  fs::path destination_;
  std::string path_;
  int file_ = -1;
};

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view content) {
  std::error_code ignored;
  const bool link = fs::is_symlink(path, ignored);
  const fs::path target = link ? fs::weakly_canonical(path, ignored) : path;
  // A device or a pipe would be replaced by a file.
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    throw FormatError(
        fmt::format("write: cannot write \"{}\": it is no regular file", path.string()));
  }
  TemporaryFile file(target.empty() ? path : target);
  file.write(content);
  file.move_into_place();
}

}  // namespace tensorette::pictures
