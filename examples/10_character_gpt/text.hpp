/// \file
/// The text to learn, and its characters as ids. Next: gpt.hpp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tensorette/tensor/shape.hpp>
#include <vector>

namespace tensorette::character_gpt {

/// Fourteen fables that everybody knows, told in short words.
[[nodiscard]] std::string fables();

/// The text of a file, without byte order mark, a line feed at the end of each line.
/// \throws Error naming the file and what is wrong: it is missing, empty, or not UTF-8
[[nodiscard]] std::string read_text(const std::string& path);

/// The characters (code points) that occur in a text, numbered from 0 in the order of Unicode.
class Alphabet {
 public:
  /// \throws FormatError naming the line that is not UTF-8
  explicit Alphabet(std::string_view text);

  /// \throws FormatError as above; Error naming a character that is not in the alphabet
  [[nodiscard]] std::vector<Index> encode(std::string_view text) const;
  [[nodiscard]] std::string decode(const std::vector<Index>& ids) const;
  [[nodiscard]] Index size() const noexcept { return static_cast<Index>(characters_.size()); }
  /// All characters, in order: an alphabet of this text is the same alphabet.
  [[nodiscard]] std::string characters() const;

 private:
  std::vector<char32_t> characters_;
  std::map<char32_t, Index> ids_;
};

/// How many of a text's words are words of another text, too: a measure of what was learned that
/// needs no model. A word is a run of letters; all characters beyond ASCII count as letters.
struct KnownWords {
  Index known = 0;
  Index all = 0;
};
[[nodiscard]] KnownWords known_words(std::string_view written, std::string_view text);

}  // namespace tensorette::character_gpt
