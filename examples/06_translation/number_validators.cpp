#include <fmt/format.h>

#include <cstdlib>

#include "command_line.hpp"

namespace tensorette::translation {
namespace {

// Says what is wanted; CLI11's own check of a sign names the largest number there is.
CLI::Validator number(const char* wanted, bool (*fits)(double)) {
  return CLI::Validator(
      [wanted, fits](std::string& text) -> std::string {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (end != text.c_str() && *end == '\0' && fits(value)) return "";
        return fmt::format("must be {}, got {}", wanted, text);
      },
      "");
}

}  // namespace

const CLI::Validator& positive() {
  static const CLI::Validator validator =
      number("positive", [](double value) { return value > 0; });
  return validator;
}

const CLI::Validator& not_negative() {
  static const CLI::Validator validator =
      number("0 or positive", [](double value) { return value >= 0; });
  return validator;
}

}  // namespace tensorette::translation
