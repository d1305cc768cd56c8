/// \file
/// A row program that stays and answers; see rows/row_program.hpp for what it is asked.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tensorette::bench {

/// One answer of a row program.
struct Answer {
  double milliseconds;            ///< median over the steps of the block
  double processor_milliseconds;  ///< of all threads, mean over the steps of the block over the
                                  ///< steps of the block
  int steps;
  double peak_megabytes;  ///< largest resident memory of the program so far
};

/// Environment of a child: what is changed against the driver's own.
struct Environment {
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::string> unset;
};

/// A running row program. The destructor closes its input, at which it ends, and waits for it.
class Child {
 public:
  /// Starts `program`; throws std::system_error when that fails.
  Child(const std::filesystem::path& program, const Environment& environment);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Processor time that the program has used so far, on all its threads.
  [[nodiscard]] double processor_seconds() const;

  /// Whether the program has the row.
  [[nodiscard]] bool offers(const std::string& row) const;

  /// Runs a block of the row. Throws std::runtime_error with the program's own words when it
  /// reports an error, or when it has ended.
  Answer run(const std::string& row, double seconds);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string ask(const std::string& question);

  std::string name_;
  pid_t process_ = -1;
  std::unique_ptr<std::FILE, Close> questions_;
  std::unique_ptr<std::FILE, Close> answers_;
  std::vector<std::string> rows_;
};

}  // namespace tensorette::bench
