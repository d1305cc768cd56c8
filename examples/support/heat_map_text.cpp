#include "heat_map_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "colour_scale.hpp"
#include "utf8.hpp"

namespace tensorette::pictures {
namespace {

constexpr std::size_t narrow_cell = 2;
constexpr std::size_t longest_word = 18;

/// The word with `?` for each letter that this terminal cannot show.
std::string ascii_word(const std::string& word) {
  std::string ascii;
  for (const char32_t code_point : decode_utf8(word)) {
    if (column_width(code_point) == 0) continue;
    ascii += code_point > 0x20 && code_point < 0x7F ? static_cast<char>(code_point) : '?';
  }
  return ascii.empty() ? "-" : ascii;
}

std::string word_text(const std::string& word, const Terminal& terminal) {
  const std::string visible = terminal.unicode ? visible_word(word) : ascii_word(word);
  return fit_columns(visible, longest_word, terminal.unicode ? "…" : "~");
}

bool has_value(double value) {
  return !std::isnan(value) && value != -std::numeric_limits<double>::infinity();
}

std::string_view shade(const HeatMap& map, double value, const Terminal& terminal) {
  static constexpr std::array<std::string_view, 5> blocks{" ", "░", "▒", "▓", "█"};
  static constexpr std::array<std::string_view, 10> letters{" ", ".", ":", "-", "=",
                                                            "+", "*", "#", "%", "@"};
  if (!has_value(value)) return terminal.unicode ? "·" : "x";
  const double t =
      static_cast<double>(colour_level(value, map.lowest, map.highest)) / (colour_levels - 1);
  const auto pick = [&](const auto& shades) {
    return shades[static_cast<std::size_t>(
        std::lround(t * static_cast<double>(shades.size() - 1)))];
  };
  return terminal.unicode ? pick(blocks) : pick(letters);
}

/// `text` upon the colour of `value`. The dark scale brings its own ground, so that the text is
/// legible whatever the terminal's background is.
std::string painted(const HeatMap& map, double value, const std::string& text) {
  if (!has_value(value)) return text;
  const int level = colour_level(value, map.lowest, map.highest);
  const Colour back = level_colour(level, Ground::dark);
  const Colour front = level >= strong_level ? Colour{20, 18, 26} : Colour{239, 236, 245};
  return fmt::format("\x1b[48;2;{};{};{};38;2;{};{};{}m{}\x1b[0m", back.red, back.green, back.blue,
                     front.red, front.green, front.blue, text);
}

/// A number of 4 columns: two decimals where these fit.
std::string number(double value, const Terminal& terminal) {
  if (!has_value(value)) return terminal.unicode ? "  · " : "  x ";
  std::string text = fmt::format("{:.2f}", value);
  if (text.size() > 4) text = fmt::format("{:.1f}", value);
  if (text.size() > 4) text = fmt::format("{:.0f}", value);
  return pad_columns(text, 4, Align::right);
}

struct Block {
  std::size_t begin, end;  // of the keys
};

std::vector<std::size_t> wide_columns(const HeatMap& map, const Terminal& terminal) {
  std::vector<std::size_t> widths;
  const std::size_t cell = terminal.colours == Colours::none ? 5 : 4;  // number and its shade
  for (const std::string& key : map.keys) {
    widths.push_back(std::max(cell, column_width(word_text(key, terminal))));
  }
  return widths;
}

std::string wide_cell(const HeatMap& map, double value, std::size_t width,
                      const Terminal& terminal) {
  if (terminal.colours != Colours::none) {
    return painted(map, value, pad_columns(number(value, terminal), width, Align::centre));
  }
  const std::string text = number(value, terminal).append(shade(map, value, terminal));
  return pad_columns(text, width, Align::centre);
}

std::string narrow_cell_text(const HeatMap& map, double value, const Terminal& terminal) {
  if (terminal.colours != Colours::none) return painted(map, value, std::string(narrow_cell, ' '));
  const std::string_view one = shade(map, value, terminal);
  return std::string(one).append(one);
}

void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

std::string draw_wide(const HeatMap& map, const Terminal& terminal, std::size_t head) {
  const std::vector<std::size_t> widths = wide_columns(map, terminal);
  std::string text(head, ' ');
  for (std::size_t k = 0; k < map.keys.size(); ++k) {
    text += ' ' + pad_columns(word_text(map.keys[k], terminal), widths[k], Align::centre);
  }
  end_line(text);
  for (std::size_t q = 0; q < map.queries.size(); ++q) {
    std::string line = pad_columns(word_text(map.queries[q], terminal), head, Align::right);
    for (std::size_t k = 0; k < map.keys.size(); ++k) {
      line += ' ' + wide_cell(map, map.values[q * map.keys.size() + k], widths[k], terminal);
    }
    end_line(line);
    text += line;
  }
  return text;
}

/// Words written from top to bottom, their last letters upon the cells.
std::string upright_words(const HeatMap& map, Block block, const Terminal& terminal,
                          std::size_t head) {
  std::vector<std::vector<std::string>> letters;  // of each word, marks kept with their letter
  std::size_t tallest = 0;
  for (std::size_t k = block.begin; k < block.end; ++k) {
    std::vector<std::string> word;
    for (const char32_t code_point : decode_utf8(word_text(map.keys[k], terminal))) {
      if (word.empty() || column_width(code_point) > 0) word.emplace_back();
      append_utf8(word.back(), code_point);
    }
    tallest = std::max(tallest, word.size());
    letters.push_back(std::move(word));
  }
  std::string text;
  for (std::size_t row = 0; row < tallest; ++row) {
    std::string line(head + 1, ' ');
    for (const auto& word : letters) {
      const std::size_t missing = tallest - word.size();
      line += row < missing ? std::string(narrow_cell, ' ')
                            : pad_columns(word[row - missing], narrow_cell, Align::left);
    }
    end_line(line);
    text += line;
  }
  return text;
}

std::string draw_narrow(const HeatMap& map, const Terminal& terminal, std::size_t head,
                        Block block) {
  std::string text = upright_words(map, block, terminal, head);
  for (std::size_t q = 0; q < map.queries.size(); ++q) {
    std::string line = pad_columns(word_text(map.queries[q], terminal), head, Align::right) + ' ';
    for (std::size_t k = block.begin; k < block.end; ++k) {
      line += narrow_cell_text(map, map.values[q * map.keys.size() + k], terminal);
    }
    end_line(line);
    text += line;
  }
  return text;
}

}  // namespace

std::string heat_map_text(const HeatMap& map, const Terminal& terminal) {
  check_heat_map(map);
  std::size_t head = 0;
  for (const std::string& query : map.queries) {
    head = std::max(head, column_width(word_text(query, terminal)));
  }
  std::string text = fit_columns(map.title, terminal.columns, terminal.unicode ? "…" : "~") + '\n';
  std::size_t wide = head;
  for (const std::size_t width : wide_columns(map, terminal)) wide += width + 1;
  if (wide <= terminal.columns) return text + draw_wide(map, terminal, head);

  const std::size_t room = terminal.columns > head + 1 ? terminal.columns - head - 1 : 0;
  const std::size_t keys_at_once = std::max<std::size_t>(1, room / narrow_cell);
  for (std::size_t begin = 0; begin < map.keys.size(); begin += keys_at_once) {
    const Block block{begin, std::min(begin + keys_at_once, map.keys.size())};
    text += draw_narrow(map, terminal, head, block);
  }
  return text;
}

}  // namespace tensorette::pictures
