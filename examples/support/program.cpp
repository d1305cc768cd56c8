#include "program.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>

namespace tensorette::pictures {

int run_program(std::string_view name, const std::function<int()>& body) {
  int exit_code = 1;
  try {
    exit_code = body();
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "{}: there is not enough memory\n", name);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
  }
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr, "{}: can't write to standard output: {}\n", name,
               std::generic_category().message(errno));
    return 1;
  }
  return exit_code;
}

}  // namespace tensorette::pictures
