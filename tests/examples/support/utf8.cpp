#include <support/utf8.hpp>
#include <tensorette_test.hpp>

using namespace tensorette::pictures;

TEST_CASE("UTF-8 is decoded by the Unicode standard", "[pictures][utf8]") {
  CHECK(decode_utf8("aé€😀") == std::vector<char32_t>{'a', 0xE9, 0x20AC, 0x1F600});
  CHECK(decode_utf8("").empty());
}

TEST_CASE("bytes that are not UTF-8 become U+FFFD, one for each maximal part", "[pictures][utf8]") {
  const std::vector<char32_t> one{0xFFFD}, two{0xFFFD, 0xFFFD}, three{0xFFFD, 0xFFFD, 0xFFFD};
  CHECK(decode_utf8("\x80") == one);
  CHECK(decode_utf8("\xC0\xAF") == two);               // overlong '/'
  CHECK(decode_utf8("\xED\xA0\x80") == three);         // surrogate
  CHECK(decode_utf8("\xF4\x90\x80\x80").size() == 4);  // above U+10FFFF
  CHECK(decode_utf8("\xE2\x82") == one);               // cut off at the end
  CHECK(decode_utf8("\xE2\x82"
                    "a") == std::vector<char32_t>{0xFFFD, 'a'});
}

TEST_CASE("every code point survives encoding and decoding", "[pictures][utf8]") {
  for (char32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 97) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, c);
    if (decode_utf8(text) != std::vector<char32_t>{c}) {
      CAPTURE(static_cast<std::uint32_t>(c));
      FAIL("not the same after a round trip");
    }
  }
  std::string text;
  append_utf8(text, 0xD800);
  append_utf8(text, 0x110000);
  CHECK(text == "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("columns of a terminal", "[pictures][utf8]") {
  CHECK(column_width("animal") == 6);
  CHECK(column_width("traversé") == 8);
  CHECK(column_width("e\u0301") == 1);  // e with a combining accent
  CHECK(column_width("動物") == 4);
  CHECK(column_width("한국") == 4);
  CHECK(column_width("😀") == 2);
  CHECK(column_width("👩\u200D💻") == 2);  // two emoji joined to one
  CHECK(column_width("\u200B\x01\n") == 0);
  CHECK(column_width("→░█") == 3);
}

TEST_CASE("a text is cut to columns with its marks and an ellipsis", "[pictures][utf8]") {
  CHECK(fit_columns("animal", 6) == "animal");
  CHECK(fit_columns("animal", 5) == "anim…");
  CHECK(fit_columns("動物園", 4) == "動…");  // a wide letter is never halved
  CHECK(fit_columns("e\u0301te\u0301", 2) == "e\u0301…");
  CHECK(fit_columns("animal", 1) == "…");
  CHECK(fit_columns("animal", 0).empty());
  CHECK(fit_columns("animal", 3, "~") == "an~");
}

TEST_CASE("a text is padded by columns, not by bytes", "[pictures][utf8]") {
  CHECK(pad_columns("né", 4, Align::right) == "  né");
  CHECK(pad_columns("物", 4, Align::left) == "物  ");
  CHECK(pad_columns("a", 4, Align::centre) == " a  ");
  CHECK(pad_columns("animal", 3, Align::left) == "animal");
}

TEST_CASE("words that nobody could see are shown", "[pictures][utf8]") {
  CHECK(visible_word("") == "∅");
  CHECK(visible_word(" \t") == "␣␣");
  CHECK(visible_word("a b") == "a␣b");
  CHECK(visible_word("\xFF") == "\uFFFD");
}
