/// \file
/// What the place where text goes is able to show.
#pragma once

#include <cstddef>

namespace tensorette::pictures {

enum class Colours { none, truecolor };

struct Terminal {
  bool interactive = false;  ///< a person looks at it and a line can be redrawn
  bool unicode = true;       ///< characters outside ASCII can be shown
  Colours colours = Colours::none;
  std::size_t columns = 80;
};

/// Looks at the file descriptor (1: standard output, 2: standard error) and the environment:
/// colours only on a terminal, not with TERM=dumb and not when NO_COLOR is set and not empty;
/// Unicode unless LC_ALL, LC_CTYPE or LANG name another character set.
[[nodiscard]] Terminal detect_terminal(int file_descriptor);

}  // namespace tensorette::pictures
