#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <tensorette/autograd/trace/trace_dot.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/io/atomic_file.hpp>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to us

namespace tensorette {
namespace {

using detail::require;

// Removes the file at the end of the scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

// Runs `dot -Tsvg -o output input`. False if there is no such program.
bool run_dot(const std::string& input, const std::string& output) {
  std::string words[] = {"dot", "-Tsvg", "-o", output, input};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       words[3].data(), words[4].data(), nullptr};
  pid_t process = 0;
  const int refused = posix_spawnp(&process, "dot", nullptr, nullptr, arguments, environ);
  if (refused == ENOENT) return false;
  require<Error>(refused == 0, "dot can't be started: {}", std::strerror(refused));
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    require<Error>(errno == EINTR, "dot can't be waited for: {}", std::strerror(errno));
  }
  const bool is_found = !WIFEXITED(status) || WEXITSTATUS(status) != 127;
  require<Error>(!is_found || (WIFEXITED(status) && WEXITSTATUS(status) == 0),
                 "dot could not draw {}", input);
  return is_found;
}

}  // namespace

bool write_trace_svg(const std::string& path, const Trace& trace, const TraceDotOptions& options) {
  const TemporaryFile source(path + ".dot");
  const TemporaryFile drawn(path + ".new");
  AtomicFile file(source.path());
  file.write(to_dot(trace, options));
  file.close();
  if (!run_dot(source.path(), drawn.path())) return false;
  std::error_code failure;
  std::filesystem::rename(drawn.path(), path, failure);
  require<FormatError>(!failure, "{}: {}", path, failure.message());
  return true;
}

}  // namespace tensorette
