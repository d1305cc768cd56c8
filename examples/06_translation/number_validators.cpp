#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "command_line.hpp"

namespace tensorette::translation {
namespace {

// Says what is wanted; CLI11's own checks name the largest number there is, and let NaN pass.
CLI::Validator number(const char* wanted, bool (*fits)(double)) {
  return CLI::Validator(
      [wanted, fits](std::string& text) -> std::string {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool is_number = end != text.c_str() && *end == '\0';
        if (!is_number || !std::isfinite(value) || !fits(value)) {
          return fmt::format("must be {}, got {}", wanted, text);
        }
        const bool is_integer = text.find_first_not_of("+-0123456789") == std::string::npos;
        if (is_integer && value >= 0x1p63) return fmt::format("is too large: {}", text);
        return "";
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

const CLI::Validator& probability() {
  static const CLI::Validator validator =
      number("in [0, 1]", [](double value) { return value >= 0 && value <= 1; });
  return validator;
}

const CLI::Validator& decay() {
  static const CLI::Validator validator =
      number("in [0, 0.99999]", [](double value) { return value >= 0 && value <= 0.99999; });
  return validator;
}

const CLI::Validator& share() {
  static const CLI::Validator validator =
      number("in (0, 1]", [](double value) { return value > 0 && value <= 1; });
  return validator;
}

}  // namespace tensorette::translation
