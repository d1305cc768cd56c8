#include "06_translation/base64.hpp"

#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

using namespace tensorette::translation;
using tensorette::FormatError;

TEST_CASE("base64 gives the examples of its standard") {
  // RFC 4648, section 10.
  const std::vector<std::pair<std::string, std::string>> examples = {{"", ""},
                                                                     {"f", "Zg=="},
                                                                     {"fo", "Zm8="},
                                                                     {"foo", "Zm9v"},
                                                                     {"foob", "Zm9vYg=="},
                                                                     {"fooba", "Zm9vYmE="},
                                                                     {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : examples) {
    CHECK(base64_encode(bytes) == text);
    CHECK(base64_decode(text) == bytes);
  }
}

TEST_CASE("base64 keeps every byte") {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    CHECK(base64_decode(base64_encode(bytes)) == bytes);
    bytes += static_cast<char>(byte);
  }
  CHECK(base64_encode("\xFB\xFF\xFE") == "+//+");
}

TEST_CASE("what is not base64 is refused") {
  CHECK_THROWS_AS(base64_decode("Zg="), FormatError);
  CHECK_THROWS_WITH(base64_decode("Zg="),
                    "base64: 3 characters are no multiple of four: the text is cut off");
  CHECK_THROWS_WITH(base64_decode("Zm9v*A=="), "base64: character 5 is no digit");
  CHECK_THROWS_WITH(base64_decode("Zg==Zm9v"), "base64: character 3 is no digit");
  CHECK_THROWS_WITH(base64_decode("===="), "base64: character 1 is no digit");
  CHECK_THROWS_AS(base64_decode("Zm9\n"), FormatError);
}
