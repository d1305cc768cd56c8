#include "utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tensorette/tensor/error.hpp>

namespace tensorette::translation {
namespace {

struct Step {
  char32_t point = 0;
  std::size_t bytes = 0;  ///< 0: not well-formed
};

/// Reads the code point at the start of `text`, which is not empty.
Step step(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  // The second byte carries the bounds that exclude overlong forms, surrogates and large values.
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  std::size_t length = 0;
  char32_t point = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
    point = lead & 0x1FU;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    point = lead & 0x0FU;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    point = lead & 0x07U;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  }
  if (length == 0 || text.size() < length) return {};
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) < low || byte(i) > high) return {};
    point = (point << 6) | (byte(i) & 0x3FU);
    low = 0x80;
    high = 0xBF;
  }
  return {point, length};
}

bool in(char32_t point, char32_t first, char32_t last) noexcept {
  return point >= first && point <= last;
}

/// Blocks in which capital and small letter stand side by side, the capital on an even number.
bool capital_is_even(char32_t point) noexcept {
  return in(point, 0x100, 0x12F) || in(point, 0x132, 0x137) || in(point, 0x14A, 0x177) ||
         in(point, 0x218, 0x21F) || in(point, 0x1E00, 0x1E95) || in(point, 0x1EA0, 0x1EFF);
}

/// The same, the capital on an odd number.
bool capital_is_odd(char32_t point) noexcept {
  return in(point, 0x139, 0x148) || in(point, 0x179, 0x17E);
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = step(text.substr(at)).bytes;
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::nullopt;
}

void require_utf8(std::string_view text) {
  const std::optional<std::size_t> at = find_invalid_utf8(text);
  if (!at) return;
  throw FormatError(fmt::format("not UTF-8: byte {} is 0x{:02X}", *at + 1,
                                static_cast<unsigned char>(text[*at])));
}

std::u32string decode_utf8(std::string_view text) {
  require_utf8(text);
  std::u32string points;
  points.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const Step next = step(text.substr(at));
    points.push_back(next.point);
    at += next.bytes;
  }
  return points;
}

std::string encode_utf8(std::u32string_view points) {
  std::string text;
  text.reserve(points.size());
  const auto continuation = [&](char32_t bits) {
    text.push_back(static_cast<char>(0x80U | (bits & 0x3FU)));
  };
  for (const char32_t point : points) {
    if (point < 0x80) {
      text.push_back(static_cast<char>(point));
    } else if (point < 0x800) {
      text.push_back(static_cast<char>(0xC0U | (point >> 6)));
      continuation(point);
    } else if (point < 0x10000) {
      text.push_back(static_cast<char>(0xE0U | (point >> 12)));
      continuation(point >> 6);
      continuation(point);
    } else {
      text.push_back(static_cast<char>(0xF0U | (point >> 18)));
      continuation(point >> 12);
      continuation(point >> 6);
      continuation(point);
    }
  }
  return text;
}

char32_t to_lower(char32_t point) noexcept {
  if (in(point, U'A', U'Z')) return point + 32;
  if (in(point, 0xC0, 0xDE) && point != 0xD7) return point + 32;
  if (point == 0x130) return U'i';   // İ
  if (point == 0x178) return 0xFF;   // Ÿ
  if (point == 0x1E9E) return 0xDF;  // ẞ
  if (capital_is_even(point)) return point | 1U;
  if (capital_is_odd(point)) return point + (point & 1U);
  return point;
}

char32_t to_upper(char32_t point) noexcept {
  if (in(point, U'a', U'z')) return point - 32;
  if (in(point, 0xE0, 0xFE) && point != 0xF7) return point - 32;
  if (point == 0x131) return U'I';  // ı
  if (point == 0xFF) return 0x178;  // ÿ
  if (capital_is_even(point)) return point & ~char32_t{1};
  if (capital_is_odd(point)) return point - 1 + (point & 1U);
  return point;
}

std::string lower_cased(std::string_view text) {
  std::u32string points = decode_utf8(text);
  std::transform(points.begin(), points.end(), points.begin(), to_lower);
  return encode_utf8(points);
}

bool is_space(char32_t point) noexcept {
  return in(point, 0x09, 0x0D) || point == 0x20 || point == 0x85 || point == 0xA0 ||
         point == 0x1680 || in(point, 0x2000, 0x200B) || point == 0x2028 || point == 0x2029 ||
         point == 0x202F || point == 0x205F || point == 0x3000 || point == 0xFEFF;
}

bool is_blank(std::string_view text) {
  for (const char32_t point : decode_utf8(text)) {
    if (!is_space(point)) return false;
  }
  return true;
}

}  // namespace tensorette::translation
