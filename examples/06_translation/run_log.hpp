/// \file
/// What a training run did, line by line, for programs to read. Before: trainer.hpp.
/// Next: training_run.hpp.
#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "trainer.hpp"

namespace tensorette::translation {

/// A file of JSON lines, one object a line, each flushed as it is written. Two kinds:
///
///     {"update":50,"epoch":0,"seconds":21.3,"loss":7.1,"learning_rate":0.001,
///      "gradient_norm":1.9,"tokens_per_second":5120.0}
///     {"update":200,"epoch":1,"seconds":85.2,"validation_loss":4.2,"validation_bleu":12.3}
///
/// The first is about the updates since the line before: loss a token, mean norm of the gradients,
/// target tokens a second of training; the second about a validation. "seconds" counts training.
class RunLog {
 public:
  /// A new run begins a new file. One that goes on at update `done` > 0 keeps the lines up to it;
  /// those behind it are of a process that ended without having saved them.
  /// \throws Error if the file can't be written
  RunLog(const std::string& path, Index done, Index every);

  void add(const UpdateReport& update, const TrainingProgress& progress);
  void add(const Validation& validation);

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  /// What the next line sums up.
  struct Sums {
    double loss = 0;  ///< over tokens
    double gradient_norm = 0;
    double seconds = 0;
    Index tokens = 0;
    Index updates = 0;
  };
  void write(const std::string& line);

  std::unique_ptr<std::FILE, Close> file_;
  Index every_;
  Sums sums_;
};

}  // namespace tensorette::translation
