#include "translation_program.hpp"

#include <algorithm>

#include "tensorette_test.hpp"

namespace tensorette::testing {

std::vector<std::string> command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), TENSORETTE_TRANSLATION_PROGRAM);
  return arguments;
}

std::vector<std::string> training(const std::string& pairs, const std::string& output,
                                  const std::vector<std::string>& more) {
  std::vector<std::string> arguments{
      "train", "--pairs",  pairs, "--output",         output, "--threads",
      "1",     "--dim",    "32",  "--heads",          "2",    "--encoder-layers",
      "1",     "--hidden", "32",  "--decoder-layers", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return command(arguments);
}

std::ptrdiff_t line_count(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

void check_refusal(const std::vector<std::string>& arguments, const std::string& text) {
  const Outcome outcome = run(arguments);
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.errors, Catch::Matchers::ContainsSubstring(text));
  CHECK(line_count(outcome.errors) == 1);
}

Trained::Trained(const std::vector<std::string>& more) {
  REQUIRE(run(training(corpus, output, more)).exit_code == 0);
}

std::vector<std::string> Trained::with_checkpoint(std::vector<std::string> arguments) const {
  arguments.insert(arguments.end(), {"--checkpoint", checkpoint});
  return command(arguments);
}

}  // namespace tensorette::testing
