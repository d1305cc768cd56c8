/// \file
/// UTF-8: checking it, walking through it, and the case of Latin letters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tensorette::translation {

/// The offset of the first byte that does not belong to well-formed UTF-8 (Unicode 15, table 3-7:
/// overlong forms, surrogates and values above U+10FFFF are not well-formed), if there is one.
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text) noexcept;

/// Throws FormatError, naming the byte, if `text` is not UTF-8.
void require_utf8(std::string_view text);

/// The code points of `text`. Throws FormatError, naming the byte, where it is not UTF-8.
[[nodiscard]] std::u32string decode_utf8(std::string_view text);

/// The bytes of `points`, which must be Unicode scalar values.
[[nodiscard]] std::string encode_utf8(std::u32string_view points);

/// The small letter of a Latin capital (basic Latin, Latin-1, Latin Extended-A, Romanian commas,
/// Latin Extended Additional: É, Œ, Ç, Ł, Ș, Ế ...); every other code point comes back as it is.
[[nodiscard]] char32_t to_lower(char32_t point) noexcept;

/// The capital of a small Latin letter, over the same range. ß stays ß.
[[nodiscard]] char32_t to_upper(char32_t point) noexcept;

/// `text` with small letters for capitals. Throws FormatError if it is not UTF-8.
[[nodiscard]] std::string lower_cased(std::string_view text);

/// Whether `point` is white space, no-break spaces and line separators included.
[[nodiscard]] bool is_space(char32_t point) noexcept;

/// Whether `text`, which must be UTF-8, holds nothing but white space.
[[nodiscard]] bool is_blank(std::string_view text);

}  // namespace tensorette::translation
