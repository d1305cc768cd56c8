/// \file
/// What every program with a command line does at its beginning and end.
#pragma once

#include <functional>
#include <string_view>

namespace tensorette::pictures {

/// Runs the body of a program and gives its exit code: what `body` returns; 1 after an exception,
/// whose text stands on standard error behind the name of the program; and 1 if what was printed
/// could not be written, for example to a full disk.
[[nodiscard]] int run_program(std::string_view name, const std::function<int()>& body);

/// Sends what was printed on its way. \throws Error if it can't be written
void flush_output();

}  // namespace tensorette::pictures
