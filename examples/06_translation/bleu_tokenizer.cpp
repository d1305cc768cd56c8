#include "bleu_tokenizer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tensorette::translation {
namespace {

constexpr std::string_view kSpaces = " \t\n\v\f\r";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_stop(char c) {
  return c == '.' || c == ',';
}

// { | } ~   [ \ ] ^ _ `   ! " # $ % &   ( ) * +   : ; < = > ? @   /
bool stands_alone(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= '!' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Writes `text` anew, a pair of neighbours that `accept` takes as `write` says. A pair's second
// character is not the first of the next pair.
template <class Accept>
std::string rewrite_pairs(const std::string& text, std::string_view before,
                          std::string_view between, std::string_view after, Accept&& accept) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && accept(text[i], text[i + 1])) {
      result.append(before).append(1, text[i]).append(between).append(1, text[i + 1]).append(after);
      ++i;
    } else {
      result.push_back(text[i]);
    }
  }
  return result;
}

std::string read_entities(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> entities{
      {{"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}}};
  for (const auto& [name, character] : entities)
    text = replace_all(std::move(text), name, character);
  return text;
}

}  // namespace

std::vector<std::string> split_at_spaces(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t begin = line.find_first_not_of(kSpaces); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpaces, begin), line.size());
    words.emplace_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kSpaces, end);
  }
  return words;
}

std::vector<std::string> tokenize_13a(std::string_view line) {
  std::string text = replace_all(std::string(line), "<skipped>", "");
  text = read_entities(replace_all(std::move(text), "-\n", ""));
  std::string spaced = " ";
  for (const char c : text) {
    if (stands_alone(c)) {
      spaced.append(1, ' ').append(1, c).append(1, ' ');
    } else {
      spaced.push_back(c);
    }
  }
  spaced.push_back(' ');
  // Characters beyond ASCII are several bytes here, none of which is a digit or a mark.
  spaced = rewrite_pairs(spaced, "", " ", " ",
                         [](char a, char b) { return !is_digit(a) && is_stop(b); });
  spaced = rewrite_pairs(spaced, " ", " ", "",
                         [](char a, char b) { return is_stop(a) && !is_digit(b); });
  spaced =
      rewrite_pairs(spaced, "", " ", " ", [](char a, char b) { return is_digit(a) && b == '-'; });
  return split_at_spaces(spaced);
}

}  // namespace tensorette::translation
