#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace tensorette::pictures {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The first that is set decides, as in setlocale(). With none set the system's own tools assume
/// plain ASCII, but a terminal of today shows UTF-8.
bool locale_shows_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool has_character_set = value.find('.') != std::string::npos;
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos ||
           (!has_character_set && value != "posix");
  }
  return true;
}

std::size_t columns_of(int file_descriptor) {
  winsize size{};
  if (::ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const long columns = std::strtol(environment("COLUMNS").c_str(), nullptr, 10);
  return columns > 0 && columns < 10000 ? static_cast<std::size_t>(columns) : 80;
}

}  // namespace

Terminal detect_terminal(int file_descriptor) {
  Terminal terminal;
  terminal.interactive = ::isatty(file_descriptor) == 1 && environment("TERM") != "dumb";
  terminal.unicode = locale_shows_unicode();
  const bool coloured = terminal.interactive && environment("NO_COLOR").empty();
  terminal.colours = coloured ? Colours::truecolor : Colours::none;
  terminal.columns = columns_of(file_descriptor);
  return terminal;
}

}  // namespace tensorette::pictures
