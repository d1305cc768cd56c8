/// \file
/// Other programs: run with arguments and input, stopped by a signal, starved of space.
#pragma once

#include <sys/types.h>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

namespace tensorette::testing {

/// What came of a program.
struct Outcome {
  int exit_code = -1;  ///< −1: a signal ended it
  std::string output{};
  std::string errors{};
};

/// How a program is run.
struct RunOptions {
  std::string input{};           ///< its standard input
  std::size_t largest_file = 0;  ///< bytes; a write beyond fails as on a full disk; 0: no limit
};

/// A program that is running.
class Program {
 public:
  explicit Program(const std::vector<std::string>& command, const RunOptions& options = {});
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  void send(int signal) const;
  /// Waits for its end.
  [[nodiscard]] Outcome wait();

 private:
  TemporaryFolder folder_;
  pid_t process_;
};

[[nodiscard]] Outcome run(const std::vector<std::string>& command, const RunOptions& options = {});

/// Whether the file comes into being within a minute.
[[nodiscard]] bool appears(const std::string& path);

}  // namespace tensorette::testing
