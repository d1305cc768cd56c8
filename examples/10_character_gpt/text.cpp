#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <support/utf8.hpp>
#include <system_error>
#include <tensorette/tensor/error.hpp>

namespace tensorette::character_gpt {
namespace {

// Bytes that are not UTF-8 come back as U+FFFD, so that text which comes back as it was is UTF-8.
std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> points = pictures::decode_utf8(text);
  std::string again;
  for (const char32_t point : points) pictures::append_utf8(again, point);
  if (again != text) {
    const auto differs = std::mismatch(text.begin(), text.end(), again.begin(), again.end()).first;
    throw FormatError(
        fmt::format("line {} is not UTF-8", 1 + std::count(text.begin(), differs, '\n')));
  }
  return points;
}

bool is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte & 0x80) != 0;
}

template <class Take>
void for_each_word(std::string_view text, const Take& take) {
  auto begin = std::find_if(text.begin(), text.end(), is_letter);
  while (begin != text.end()) {
    const auto end = std::find_if_not(begin, text.end(), is_letter);
    take(std::string(begin, end));
    begin = std::find_if(end, text.end(), is_letter);
  }
}

}  // namespace

std::string read_text(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw Error(path + ": is a folder, not a text");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(path + ": " + std::generic_category().message(errno));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // byte order mark
  for (std::size_t at = 0; (at = text.find("\r\n", at)) != std::string::npos;) text.erase(at, 1);
  if (text.empty()) throw FormatError(path + ": the file is empty");
  try {
    static_cast<void>(code_points(text));
  } catch (const FormatError& error) {
    throw FormatError(path + ": " + error.what());
  }
  return text;
}

Alphabet::Alphabet(std::string_view text) : characters_(code_points(text)) {
  std::sort(characters_.begin(), characters_.end());
  characters_.erase(std::unique(characters_.begin(), characters_.end()), characters_.end());
  for (const char32_t character : characters_) {
    ids_.emplace(character, static_cast<Index>(ids_.size()));
  }
}

std::vector<Index> Alphabet::encode(std::string_view text) const {
  std::vector<Index> ids;
  for (const char32_t character : code_points(text)) {
    const auto found = ids_.find(character);
    if (found == ids_.end()) {
      std::string shown;
      pictures::append_utf8(shown, character);
      throw Error(fmt::format("the character \"{}\" does not occur in the text that was learned",
                              pictures::visible_word(shown)));
    }
    ids.push_back(found->second);
  }
  return ids;
}

std::string Alphabet::decode(const std::vector<Index>& ids) const {
  std::string text;
  for (const Index id : ids) {
    pictures::append_utf8(text, characters_.at(static_cast<std::size_t>(id)));
  }
  return text;
}

std::string Alphabet::characters() const {
  std::string text;
  for (const char32_t character : characters_) pictures::append_utf8(text, character);
  return text;
}

KnownWords known_words(std::string_view written, std::string_view text) {
  std::set<std::string> words;
  for_each_word(text, [&](std::string word) { words.insert(std::move(word)); });
  KnownWords result;
  for_each_word(written, [&](const std::string& word) {
    ++result.all;
    result.known += words.contains(word) ? 1 : 0;
  });
  return result;
}

}  // namespace tensorette::character_gpt
