/// \file
/// UTF-8 as pictures need it: code points, columns in a terminal, words cut to a width.
/// Bytes that are not UTF-8 count as U+FFFD, so no input can break a picture.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tensorette::pictures {

/// The code points of `text`; each maximal run of bytes that is not UTF-8 becomes one U+FFFD.
[[nodiscard]] std::vector<char32_t> decode_utf8(std::string_view text);

/// Appends `code_point` to `text` as UTF-8 (surrogates and values above U+10FFFF as U+FFFD).
void append_utf8(std::string& text, char32_t code_point);

/// Columns that a terminal gives to `code_point`: 2 for East Asian wide and emoji, 0 for marks that
/// combine with the letter before and for control characters, else 1. (Unicode 14, UAX #11.)
[[nodiscard]] std::size_t column_width(char32_t code_point);

/// Columns that a terminal gives to `text`; emoji joined by U+200D count once.
[[nodiscard]] std::size_t column_width(std::string_view text);

/// `text` cut to at most `columns`, the last one an ellipsis where something was cut. Marks stay
/// with their letter.
[[nodiscard]] std::string fit_columns(std::string_view text, std::size_t columns,
                                      std::string_view ellipsis = "…");

enum class Align { left, right, centre };

/// `text` filled with spaces to exactly `columns`; a longer text is returned as it is.
[[nodiscard]] std::string pad_columns(std::string_view text, std::size_t columns, Align align);

/// A word as a reader should see it: the empty word as `∅`, white space and control characters as
/// `␣`.
[[nodiscard]] std::string visible_word(std::string_view word);

}  // namespace tensorette::pictures
