/// \file
/// The translation program as the tests run it: on a small corpus, with models that take little
/// time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "program.hpp"

namespace tensorette::testing {

/// Sixty short pairs.
inline const std::string corpus = TENSORETTE_SMALL_CORPUS;

/// The program with these arguments.
[[nodiscard]] std::vector<std::string> command(std::vector<std::string> arguments);

/// `train` on `pairs` with a small model, and the arguments of `more`.
[[nodiscard]] std::vector<std::string> training(const std::string& pairs, const std::string& output,
                                                const std::vector<std::string>& more = {});

[[nodiscard]] std::ptrdiff_t line_count(const std::string& text);

/// A run has to end with exit code 1 and one line on standard error that says this.
void check_refusal(const std::vector<std::string>& arguments, const std::string& text);

/// A model that has been trained for one epoch, or as `more` says.
struct Trained {
  explicit Trained(const std::vector<std::string>& more = {"--epochs", "1"});

  TemporaryFolder folder{};
  std::string output = folder / "run";
  std::string checkpoint = output + "/model.safetensors";

  [[nodiscard]] std::vector<std::string> with_checkpoint(std::vector<std::string> arguments) const;
};

}  // namespace tensorette::testing
