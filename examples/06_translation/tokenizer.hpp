/// \file
/// Words in, words out: splitting a sentence into word tokens, and putting tokens back into a
/// sentence. Next: segmenter.hpp, of which this is one kind.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensorette::translation {

/// Whose rules for apostrophes and hyphens hold. `generic` has none and suits any other language
/// that puts spaces between words.
enum class Language { generic, english, french };

/// "english", "french" or "generic".
[[nodiscard]] std::string_view name_of(Language language);
/// \throws FormatError
[[nodiscard]] Language language_from_name(std::string_view name);

struct TokenizeOptions {
  Language language = Language::generic;
  bool lower_case = true;
};

/// Splits `text` into tokens.
///
/// - Punctuation marks and symbols are tokens of their own; a run of dots ("...") is one token.
///   Marks inside numbers and abbreviations stay (3.14, 10:30, a.m), hyphens inside words too.
/// - The typographic apostrophe ’ becomes the plain one.
/// - English: "didn't" is one token, as the negation is one meaning; 's 're 've 'll 'd 'm are split
///   off (tom 's).
/// - French: elided words are tokens that keep their apostrophe (l' animal, n' a, s' est; but
///   aujourd'hui), and the pronouns of a question keep their hyphens (a -t-il).
/// - Letters become small ones, also É, Œ, Ç (see to_lower()), unless asked otherwise.
///
/// Tokenizing the tokens joined by spaces gives the same tokens again.
/// Throws FormatError if `text` is not UTF-8.
///
///     tokenize("L’animal n'a pas traversé.", {.language = Language::french});
///     // l' animal n' a pas traversé .
[[nodiscard]] std::vector<std::string> tokenize(std::string_view text,
                                                const TokenizeOptions& options = {});

struct DetokenizeOptions {
  Language language = Language::generic;
  bool capitalize = true;  ///< first letter of the sentence; in English also "i" and "i'm"
};

/// Joins tokens into a sentence, with spaces where the language has them: none before a full stop
/// or after l'; French has one before ! ? : ; and inside « ».
/// Throws FormatError if a token is not UTF-8.
[[nodiscard]] std::string detokenize(std::span<const std::string> tokens,
                                     const DetokenizeOptions& options = {});

}  // namespace tensorette::translation
