#include "vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tensorette/tensor/error.hpp>
#include <utility>

#include "utf8.hpp"

namespace tensorette::translation {
namespace {

constexpr std::array<std::string_view, 4> kSpecialNames = {"<pad>", "<bos>", "<eos>", "<unk>"};

bool is_control(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return value < 0x20 || value == 0x7F;
}

void append_escaped(std::string& text, std::string_view token) {
  for (const char byte : token) {
    if (byte == '\\') {
      text += "\\\\";
    } else if (byte == '\n') {
      text += "\\n";
    } else if (byte == '\r') {
      text += "\\r";
    } else if (is_control(byte)) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else {
      text += byte;
    }
  }
}

std::optional<unsigned> hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a' + 10);
  return std::nullopt;
}

/// Undoes append_escaped() for one line; no value if the line has an escape of no known kind.
std::optional<std::string> unescaped(std::string_view line) {
  std::string token;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_control(line[i])) return std::nullopt;
    if (line[i] != '\\') {
      token += line[i];
      continue;
    }
    const std::string_view rest = line.substr(i + 1);
    if (rest.starts_with('\\')) {
      token += '\\';
      i += 1;
    } else if (rest.starts_with('n')) {
      token += '\n';
      i += 1;
    } else if (rest.starts_with('r')) {
      token += '\r';
      i += 1;
    } else if (rest.starts_with('x') && rest.size() >= 3 && hex_digit(rest[1]) &&
               hex_digit(rest[2])) {
      token += static_cast<char>(*hex_digit(rest[1]) * 16 + *hex_digit(rest[2]));
      i += 3;
    } else {
      return std::nullopt;
    }
  }
  return token;
}

}  // namespace

void TokenCounts::add(std::span<const std::string> tokens) {
  for (const std::string& token : tokens) ++counts_[token];
}

Vocabulary::Vocabulary()
    : Vocabulary(std::vector<std::string>(kSpecialNames.begin(), kSpecialNames.end())) {}

Vocabulary::Vocabulary(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
  for (std::int64_t i = kSpecialTokens; i < size(); ++i) {
    ids_.emplace(tokens_[static_cast<std::size_t>(i)], i);
  }
}

Vocabulary Vocabulary::build(const TokenCounts& counts, std::int64_t min_frequency) {
  if (min_frequency < 1) {
    throw Error(
        fmt::format("vocabulary: minimum frequency must be at least 1, got {}", min_frequency));
  }
  std::vector<std::pair<std::string_view, std::int64_t>> kept;
  for (const auto& [token, count] : counts.counts()) {
    if (count >= min_frequency) kept.emplace_back(token, count);
  }
  // The counts come in the order of the tokens' bytes, which a stable sort keeps among equals.
  std::stable_sort(kept.begin(), kept.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> tokens(kSpecialNames.begin(), kSpecialNames.end());
  for (const auto& [token, count] : kept) tokens.emplace_back(token);
  return Vocabulary(std::move(tokens));
}

Vocabulary Vocabulary::with_special_tokens(std::vector<std::string> ordinary) {
  ordinary.insert(ordinary.begin(), kSpecialNames.begin(), kSpecialNames.end());
  return from_tokens(std::move(ordinary));
}

Vocabulary Vocabulary::from_tokens(std::vector<std::string> tokens) {
  for (std::size_t i = 0; i < kSpecialNames.size(); ++i) {
    if (i < tokens.size() && tokens[i] == kSpecialNames[i]) continue;
    throw FormatError(fmt::format("vocabulary: id {} must be {}, got {}", i, kSpecialNames[i],
                                  i < tokens.size() ? "'" + tokens[i] + "'" : "no token"));
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (find_invalid_utf8(tokens[i])) {
      throw FormatError(fmt::format("vocabulary: token {} is not UTF-8", i));
    }
  }
  Vocabulary vocabulary(std::move(tokens));
  for (std::int64_t i = kSpecialTokens; i < vocabulary.size(); ++i) {
    const std::int64_t other = vocabulary.id(vocabulary.token(i));
    if (other != i) {
      throw FormatError(fmt::format("vocabulary: ids {} and {} are the same token '{}'", other, i,
                                    vocabulary.token(i)));
    }
  }
  return vocabulary;
}

std::int64_t Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? kUnknown : found->second;
}

const std::string& Vocabulary::token(std::int64_t id) const {
  if (id < 0 || id >= size()) {
    throw IndexError(fmt::format("vocabulary: id {} is outside [0, {})", id, size()));
  }
  return tokens_[static_cast<std::size_t>(id)];
}

std::vector<std::int64_t> Vocabulary::encode(std::span<const std::string> tokens) const {
  std::vector<std::int64_t> ids;
  ids.reserve(tokens.size());
  for (const std::string& token : tokens) ids.push_back(id(token));
  return ids;
}

std::vector<std::string> Vocabulary::decode(std::span<const std::int64_t> ids) const {
  std::vector<std::string> tokens;
  for (const std::int64_t id : ids) {
    if (id == kEnd) break;
    const std::string& text = token(id);
    if (id != kPad && id != kBegin) tokens.push_back(text);
  }
  return tokens;
}

std::string Vocabulary::serialize() const {
  std::string text;
  for (const std::string& token : tokens_) {
    append_escaped(text, token);
    text += '\n';
  }
  return text;
}

Vocabulary Vocabulary::deserialize(std::string_view text) {
  std::vector<std::string> tokens;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      throw FormatError(
          fmt::format("vocabulary: line {} has no end: the text is cut off", tokens.size() + 1));
    }
    std::optional<std::string> token = unescaped(text.substr(0, end));
    if (!token) {
      throw FormatError(
          fmt::format("vocabulary: line {} has a control character or an unknown "
                      "escape",
                      tokens.size() + 1));
    }
    tokens.push_back(std::move(*token));
    text.remove_prefix(end + 1);
  }
  return from_tokens(std::move(tokens));
}

void require_vocabulary_size(const Vocabulary& vocabulary, std::int64_t rows,
                             std::string_view vocabulary_name, std::string_view table_name) {
  if (vocabulary.size() == rows) return;
  throw FormatError(fmt::format("{} has {} tokens but {} has {} rows", vocabulary_name,
                                vocabulary.size(), table_name, rows));
}

}  // namespace tensorette::translation
