#include "base64.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <tensorette/tensor/error.hpp>

namespace tensorette::translation {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kPadding = '=';

constexpr std::uint8_t kNoDigit = 64;

constexpr std::array<std::uint8_t, 256> values_of_digits() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr std::array<std::uint8_t, 256> kValues = values_of_digits();

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = (bits << 8) | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    }
    // n bytes need n + 1 digits of six bits; padding stands for the rest of the four.
    for (std::size_t digit = 0; digit < 4; ++digit) {
      const bool used = digit <= group.size();
      text += used ? kDigits[(bits >> (18 - 6 * digit)) & 63U] : kPadding;
    }
  }
  return text;
}

std::string base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) {
    throw FormatError(fmt::format(
        "base64: {} characters are no multiple of four: the text is cut off", text.size()));
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::size_t digits = 4;
    if (at + 4 == text.size()) {
      while (digits > 2 && text[at + digits - 1] == kPadding) --digits;
    }
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint8_t value =
          i < digits ? kValues[static_cast<unsigned char>(text[at + i])] : std::uint8_t{0};
      if (value == kNoDigit) {
        throw FormatError(fmt::format("base64: character {} is no digit", at + i + 1));
      }
      bits = (bits << 6) | value;
    }
    for (std::size_t i = 0; i + 1 < digits; ++i) {
      bytes += static_cast<char>((bits >> (16 - 8 * i)) & 0xFFU);
    }
  }
  return bytes;
}

}  // namespace tensorette::translation
