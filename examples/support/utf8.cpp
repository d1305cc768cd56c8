#include "utf8.hpp"

#include "unicode_width.hpp"

namespace tensorette::pictures {
namespace {

constexpr char32_t replacement = 0xFFFD;
constexpr char32_t zero_width_joiner = 0x200D;

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

/// The smallest and largest second byte that may follow `first`: this alone rules out overlong
/// forms, surrogates and values above U+10FFFF (Unicode standard, table 3-7).
struct SecondByte {
  unsigned char lowest = 0x80;
  unsigned char highest = 0xBF;
};

SecondByte second_byte_after(unsigned char first) {
  switch (first) {
    case 0xE0:
      return {0xA0, 0xBF};
    case 0xED:
      return {0x80, 0x9F};
    case 0xF0:
      return {0x90, 0xBF};
    case 0xF4:
      return {0x80, 0x8F};
    default:
      return {};
  }
}

std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

struct Decoded {
  char32_t code_point;
  std::size_t bytes;
};

Decoded decode_one(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t length = sequence_length(first);
  if (length == 0) return {replacement, 1};
  if (length == 1) return {first, 1};

  char32_t code_point = first & (0xFFU >> (length + 1));
  const SecondByte second = second_byte_after(first);
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= text.size()) return {replacement, i};
    const unsigned char next = byte(at + i);
    const bool fits =
        i == 1 ? next >= second.lowest && next <= second.highest : is_continuation(next);
    if (!fits) return {replacement, i};
    code_point = (code_point << 6) | (next & 0x3FU);
  }
  return {code_point, length};
}

}  // namespace

std::vector<char32_t> decode_utf8(std::string_view text) {
  std::vector<char32_t> code_points;
  code_points.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Decoded one = decode_one(text, at);
    code_points.push_back(one.code_point);
    at += one.bytes;
  }
  return code_points;
}

void append_utf8(std::string& text, char32_t code_point) {
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (surrogate || code_point > 0x10FFFF) code_point = replacement;
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::size_t column_width(char32_t code_point) {
  const bool control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
  if (control || detail::is_zero_width(code_point)) return 0;
  return detail::is_wide(code_point) ? 2 : 1;
}

std::size_t column_width(std::string_view text) {
  std::size_t columns = 0;
  char32_t previous = 0;
  for (const char32_t code_point : decode_utf8(text)) {
    if (previous != zero_width_joiner) columns += column_width(code_point);
    previous = code_point;
  }
  return columns;
}

std::string fit_columns(std::string_view text, std::size_t columns, std::string_view ellipsis) {
  if (column_width(text) <= columns) return std::string(text);
  const std::size_t mark = column_width(ellipsis);
  if (columns < mark) return {};
  std::string fitted;
  std::size_t used = 0;
  char32_t previous = 0;
  for (const char32_t code_point : decode_utf8(text)) {
    const std::size_t width = previous == zero_width_joiner ? 0 : column_width(code_point);
    if (used + width + mark > columns) break;
    append_utf8(fitted, code_point);
    used += width;
    previous = code_point;
  }
  return fitted.append(ellipsis);
}

std::string pad_columns(std::string_view text, std::size_t columns, Align align) {
  const std::size_t width = column_width(text);
  const std::size_t missing = width < columns ? columns - width : 0;
  std::size_t before = 0;
  if (align == Align::right) before = missing;
  if (align == Align::centre) before = missing / 2;
  return std::string(before, ' ').append(text).append(missing - before, ' ');
}

std::string visible_word(std::string_view word) {
  if (word.empty()) return "∅";
  std::string visible;
  for (const char32_t code_point : decode_utf8(word)) {
    const bool blank = code_point <= 0x20 || (code_point >= 0x7F && code_point <= 0xA0) ||
                       code_point == 0x2028 || code_point == 0x2029;
    append_utf8(visible, blank ? U'␣' : code_point);
  }
  return visible;
}

}  // namespace tensorette::pictures
