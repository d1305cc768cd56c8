#include "program.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace tensorette::testing {
namespace {

void redirect(int descriptor, const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(126);
  ::close(file);
}

void limit_files(std::size_t bytes) {
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

Program::Program(const std::vector<std::string>& command, const RunOptions& options) {
  const std::string input = folder_.file("input", options.input);
  std::vector<char*> arguments;
  for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("no process for a test");
  if (process_ > 0) return;
  redirect(STDIN_FILENO, input, O_RDONLY);
  redirect(STDOUT_FILENO, folder_ / "output", O_WRONLY | O_CREAT | O_TRUNC);
  redirect(STDERR_FILENO, folder_ / "errors", O_WRONLY | O_CREAT | O_TRUNC);
  if (options.largest_file > 0) limit_files(options.largest_file);
  ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

Program::~Program() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void Program::send(int signal) const {
  ::kill(process_, signal);
}

Outcome Program::wait() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = 0;
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .output = read_bytes(folder_ / "output"),
          .errors = read_bytes(folder_ / "errors")};
}

Outcome run(const std::vector<std::string>& command, const RunOptions& options) {
  return Program(command, options).wait();
}

bool appears(const std::string& path) {
  using namespace std::chrono_literals;
  for (const auto end = std::chrono::steady_clock::now() + 60s;
       std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(10ms)) {
    if (std::filesystem::exists(path)) return true;
  }
  return false;
}

}  // namespace tensorette::testing
