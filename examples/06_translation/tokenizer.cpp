#include "tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tensorette/tensor/error.hpp>

#include "utf8.hpp"

namespace tensorette::translation {
namespace {

using Text = std::u32string_view;

constexpr char32_t kApostrophe = U'\'';
constexpr char32_t kHyphen = U'-';

template <std::size_t N>
bool is_one_of(Text word, const std::array<Text, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool in(char32_t point, char32_t first, char32_t last) {
  return point >= first && point <= last;
}

bool is_digit(char32_t point) {
  return in(point, U'0', U'9');
}

bool is_punctuation(char32_t point) {
  if (point < 0x80) {
    return in(point, 0x21, 0x2F) || in(point, 0x3A, 0x40) || in(point, 0x5B, 0x60) ||
           in(point, 0x7B, 0x7E);
  }
  const bool latin1 = in(point, 0xA1, 0xBF) && point != 0xAA && point != 0xB5 && point != 0xBA;
  return latin1 || point == 0xD7 || point == 0xF7 || in(point, 0x2010, 0x2027) ||
         in(point, 0x2030, 0x205E) || in(point, 0x20A0, 0x20CF) || in(point, 0x3001, 0x3003) ||
         in(point, 0x3008, 0x3011) || in(point, 0xFF01, 0xFF0F) || in(point, 0xFF1A, 0xFF20);
}

/// Pictures and pictograms, with the invisible characters that join them.
bool is_symbol(char32_t point) {
  return in(point, 0x2100, 0x2BFF) || in(point, 0x1F000, 0x1FAFF) || point == 0x200D ||
         in(point, 0xFE00, 0xFE0F);
}

bool is_control(char32_t point) {
  return point < 0x20 || in(point, 0x7F, 0x9F);
}

bool is_word(char32_t point) {
  return !is_space(point) && !is_punctuation(point) && !is_symbol(point) && !is_control(point);
}

bool is_letter(char32_t point) {
  return is_word(point) && !is_digit(point);
}

// ---------------------------------------------------------------------------------------------
// Parts that a language joins to a word.

/// 's, 're, ...: what follows the apostrophe.
bool is_english_clitic(Text word) {
  constexpr std::array<Text, 6> kClitics = {U"s", U"re", U"ve", U"ll", U"d", U"m"};
  return is_one_of(word, kClitics);
}

/// l', qu', ...: what stands before the apostrophe.
bool is_french_elision(Text word) {
  constexpr std::array<Text, 14> kElisions = {U"l",      U"d",      U"j",      U"m",     U"t",
                                              U"s",      U"n",      U"c",      U"qu",    U"jusqu",
                                              U"lorsqu", U"puisqu", U"quoiqu", U"quelqu"};
  return is_one_of(word, kElisions);
}

/// The pronoun of a question or an order: what follows the hyphen of "est-il", "dis-moi".
bool is_french_enclitic(Text word) {
  constexpr std::array<Text, 20> kPronouns = {
      U"je", U"tu", U"il",  U"elle", U"on",   U"nous", U"vous", U"ils", U"elles", U"ce",
      U"le", U"la", U"les", U"lui",  U"leur", U"moi",  U"toi",  U"y",   U"en",    U"t"};
  return is_one_of(word, kPronouns);
}

std::u32string lower(Text text) {
  std::u32string result(text);
  std::transform(result.begin(), result.end(), result.begin(), to_lower);
  return result;
}

class Tokenizer {
 public:
  Tokenizer(std::u32string text, const TokenizeOptions& options)
      : text_(std::move(text)), options_(options) {
    for (char32_t& point : text_) {
      if (point == 0x2019 || point == 0x02BC) point = kApostrophe;
    }
  }

  std::vector<std::string> run() {
    while (at_ < text_.size()) {
      const char32_t point = text_[at_];
      if (is_space(point) || is_control(point)) {
        ++at_;
      } else if (is_word(point)) {
        take_word();
      } else if (const std::size_t length = detached_part(); length > 0) {
        take(length);
      } else {
        take(run_length(point));
      }
    }
    return std::move(tokens_);
  }

 private:
  /// The code point at `at`, or a space beyond either end.
  char32_t point(std::size_t at) const { return at < text_.size() ? text_[at] : U' '; }

  void take(std::size_t length) {
    add(Text(text_).substr(at_, length));
    at_ += length;
  }

  void add(Text token) {
    if (token.empty()) return;
    tokens_.push_back(encode_utf8(options_.lower_case ? lower(token) : std::u32string(token)));
  }

  /// Dots and hyphens come in runs, pictures in sequences; other marks stand alone.
  std::size_t run_length(char32_t first) const {
    std::size_t length = 1;
    if (is_symbol(first)) {
      while (is_symbol(point(at_ + length))) ++length;
    } else if (first == U'.' || first == kHyphen) {
      while (point(at_ + length) == first) ++length;
    }
    return length;
  }

  std::size_t end_of_letters(std::size_t from) const {
    while (is_letter(point(from))) ++from;
    return from;
  }

  /// Length of a clitic that stands alone, as in text that is tokenized already: 's, -il, -t-il.
  std::size_t detached_part() const {
    const char32_t mark = text_[at_];
    const bool english = options_.language == Language::english && mark == kApostrophe;
    const bool french = options_.language == Language::french && mark == kHyphen;
    if (!english && !french) return 0;
    if (french && lower(Text(text_).substr(at_, 3)) == U"-t-") {
      const std::size_t end = end_of_letters(at_ + 3);
      const std::u32string pronoun = lower(Text(text_).substr(at_ + 3, end - at_ - 3));
      if (is_french_enclitic(pronoun) && point(end) != kHyphen) return end - at_;
    }
    const std::size_t end = end_of_letters(at_ + 1);
    const std::u32string name = lower(Text(text_).substr(at_ + 1, end - at_ - 1));
    const bool known = english ? is_english_clitic(name) : is_french_enclitic(name);
    const bool ends = !is_word(point(end)) && point(end) != mark;
    return known && ends ? end - at_ : 0;
  }

  /// Whether the mark at `at` stands inside a word that began at `begin`.
  bool joins(std::size_t begin, std::size_t at) const {
    const char32_t mark = point(at);
    const char32_t before = point(at - 1);
    const char32_t after = point(at + 1);
    if (!is_word(after)) return false;
    if (mark == kApostrophe || mark == kHyphen) return true;
    if (mark != U'.' && mark != U',' && mark != U':') return false;
    if (is_digit(before) && is_digit(after)) return true;
    // a.m, U.S.A: single letters with dots between them.
    const bool one_letter = at == begin + 1 || point(at - 2) == U'.';
    return mark == U'.' && one_letter && is_letter(before) && is_letter(after) &&
           !is_letter(point(at + 2));
  }

  void take_word() {
    const std::size_t begin = at_;
    while (is_word(point(at_)) || joins(begin, at_)) ++at_;
    Text word = Text(text_).substr(begin, at_ - begin);
    if (options_.language == Language::english) return add_english(word);
    if (options_.language == Language::french) return add_french(word);
    add(word);
  }

  void add_english(Text word) {
    const std::size_t apostrophe = word.rfind(kApostrophe);
    if (apostrophe != Text::npos && is_english_clitic(lower(word.substr(apostrophe + 1)))) {
      add(word.substr(0, apostrophe));
      add(word.substr(apostrophe));
    } else {
      add(word);
    }
  }

  void add_french(Text word) {
    // An elided word may stand before a quotation or a space: l' «animal».
    if (point(at_) == kApostrophe && is_french_elision(lower(word))) {
      ++at_;
      return add(Text(text_).substr(at_ - 1 - word.size(), word.size() + 1));
    }
    std::size_t apostrophe = word.find(kApostrophe);
    while (apostrophe != Text::npos && is_french_elision(lower(word.substr(0, apostrophe)))) {
      add(word.substr(0, apostrophe + 1));
      word.remove_prefix(apostrophe + 1);
      apostrophe = word.find(kApostrophe);
    }
    std::vector<Text> enclitics;
    for (std::size_t at = enclitic(word); at < word.size(); at = enclitic(word)) {
      enclitics.push_back(word.substr(at));
      word.remove_suffix(word.size() - at);
    }
    add(word);
    for (auto it = enclitics.rbegin(); it != enclitics.rend(); ++it) add(*it);
  }

  /// Where "-il", "-t-il", "-vous" begins at the end of `word`; its size where none does.
  static std::size_t enclitic(Text word) {
    const std::size_t hyphen = word.rfind(kHyphen);
    if (hyphen == Text::npos || hyphen == 0) return word.size();
    const std::u32string last = lower(word.substr(hyphen + 1));
    if (!is_french_enclitic(last) || last == U"t") return word.size();
    const bool euphonic_t = hyphen >= 3 && lower(word.substr(hyphen - 2, 2)) == U"-t";
    return euphonic_t ? hyphen - 2 : hyphen;
  }

  std::u32string text_;
  TokenizeOptions options_;
  std::size_t at_ = 0;
  std::vector<std::string> tokens_;
};

// ---------------------------------------------------------------------------------------------
// Back to sentences.

bool attaches_to_previous(Text token, Language language) {
  constexpr std::array<Text, 9> kAlways = {U".", U",", U"...", U"…", U")", U"]", U"}", U"”", U"%"};
  constexpr std::array<Text, 4> kNotInFrench = {U"!", U"?", U":", U";"};
  if (is_one_of(token, kAlways)) return true;
  if (language == Language::french)
    return token.size() > 1 && token.front() == kHyphen && is_letter(token[1]);
  if (is_one_of(token, kNotInFrench)) return true;
  return language == Language::english && token.size() > 1 && token.front() == kApostrophe;
}

bool attaches_to_next(Text token, Language language) {
  constexpr std::array<Text, 6> kOpening = {U"(", U"[", U"{", U"“", U"¿", U"¡"};
  if (is_one_of(token, kOpening)) return true;
  if (language == Language::french) return token.size() > 1 && token.back() == kApostrophe;
  return language == Language::english && (token == U"$" || token == U"£");
}

/// Makes the first letter a capital, wherever it stands behind opening marks.
void capitalize_first(std::u32string& sentence) {
  const auto first = std::find_if(sentence.begin(), sentence.end(), is_word);
  if (first != sentence.end()) *first = to_upper(*first);
}

}  // namespace

std::string_view name_of(Language language) {
  switch (language) {
    case Language::english:
      return "english";
    case Language::french:
      return "french";
    case Language::generic:
      break;
  }
  return "generic";
}

Language language_from_name(std::string_view name) {
  for (const Language language : {Language::english, Language::french, Language::generic}) {
    if (name == name_of(language)) return language;
  }
  throw FormatError(fmt::format("unknown language \"{}\"", name));
}

std::vector<std::string> tokenize(std::string_view text, const TokenizeOptions& options) {
  return Tokenizer(decode_utf8(text), options).run();
}

std::string detokenize(std::span<const std::string> tokens, const DetokenizeOptions& options) {
  std::u32string sentence;
  bool glue = true;
  bool quotation_open = false;
  for (const std::string& text : tokens) {
    std::u32string token = decode_utf8(text);
    if (token.empty()) continue;
    const bool closing_quote = token == U"\"" && quotation_open;
    if (token == U"\"") quotation_open = !quotation_open;
    if (!glue && !closing_quote && !attaches_to_previous(token, options.language)) {
      sentence += U' ';
    }
    if (options.capitalize && options.language == Language::english &&
        (token == U"i" || token.starts_with(U"i'"))) {
      token[0] = U'I';
    }
    sentence += token;
    const bool opening_quote = token == U"\"" && quotation_open;
    glue = opening_quote || attaches_to_next(token, options.language);
  }
  if (options.capitalize) capitalize_first(sentence);
  return encode_utf8(sentence);
}

}  // namespace tensorette::translation
