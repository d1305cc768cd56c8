#include "program.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <string>
#include <system_error>
#include <tensorette/tensor/error.hpp>

namespace tensorette::pictures {

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  // The reason of a write that failed before is not known any more.
  const std::string reason = errno == 0 ? "" : ": " + std::generic_category().message(errno);
  throw Error("can't write to standard output" + reason);
}

int run_program(std::string_view name, const std::function<int()>& body) {
  try {
    const int exit_code = body();
    flush_output();
    return exit_code;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "{}: there is not enough memory\n", name);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
  }
  std::fflush(stdout);
  return 1;
}

}  // namespace tensorette::pictures
