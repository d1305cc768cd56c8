/// \file
/// Lines to tokens and back, whatever a token is: a word, a piece of one, or what stands between
/// two spaces. Before: tokenizer.hpp, sentencepiece_model.hpp. Next: vocabulary.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sentencepiece_model.hpp"
#include "tokenizer.hpp"

namespace tensorette::translation {

/// What a token is.
enum class TokenizerKind {
  words,    ///< a word or a mark, by the rules of a language: tokenize()
  bpe,      ///< a piece of a word, found by byte pair encoding
  unigram,  ///< a piece of a word, found by a unigram language model
  none,     ///< what stands between spaces: the text has been tokenized already
};

/// "words", "bpe", "unigram" or "none".
[[nodiscard]] std::string_view name_of(TokenizerKind kind);
/// \throws FormatError
[[nodiscard]] TokenizerKind tokenizer_from_name(std::string_view name);

/// Whether tokens of this kind are pieces that a SentencePieceModel gives.
[[nodiscard]] constexpr bool has_pieces(TokenizerKind kind) {
  return kind == TokenizerKind::bpe || kind == TokenizerKind::unigram;
}

struct SegmenterOptions {
  TokenizerKind tokenizer = TokenizerKind::words;
  Language language = Language::generic;  ///< whose rules words follow; no other tokens have any
  /// Capitals are small letters before a line is cut. Words get their first capital back in text().
  bool lower_case = true;
  /// For `none`: "@@" at the end of a token joins it to the next one in text(), as in files to
  /// which byte pair encoding was applied.
  bool join_bpe = false;

  friend bool operator==(const SegmenterOptions&, const SegmenterOptions&) = default;
};

/// Cuts lines into tokens and makes lines of tokens. A value; its const functions may be called
/// from several threads.
///
///     const Segmenter words({.language = Language::french});
///     words.tokens("L'animal dort.");                // l' animal dort .
///     words.text(words.tokens("L'animal dort."));    // L'animal dort.
class Segmenter {
 public:
  /// For words and none. Throws Error for the other kinds, which need a model, and where an option
  /// belongs to another kind.
  explicit Segmenter(const SegmenterOptions& options = {});
  /// For bpe and unigram. Throws Error for the other kinds.
  Segmenter(const SegmenterOptions& options, SentencePieceModel pieces);

  [[nodiscard]] const SegmenterOptions& options() const { return options_; }
  /// The model of the pieces, if tokens are pieces.
  [[nodiscard]] const std::optional<SentencePieceModel>& pieces() const { return pieces_; }

  /// Throws FormatError if `line` is not UTF-8.
  [[nodiscard]] std::vector<std::string> tokens(std::string_view line) const;
  /// The line of these tokens. text(tokens(line)) is `line` up to spaces, and up to capitals if
  /// they became small letters; pieces are normalised besides (Unicode's NFKC).
  [[nodiscard]] std::string text(std::span<const std::string> tokens) const;

  friend bool operator==(const Segmenter&, const Segmenter&) = default;

 private:
  SegmenterOptions options_;
  std::optional<SentencePieceModel> pieces_;
};

/// How the two languages are cut into tokens: two segmenters, or twice the same.
struct Segmenters {
  Segmenter source;
  Segmenter target;
};

/// Everything that a segmenter is, the model of its pieces included.
[[nodiscard]] nlohmann::json to_json(const Segmenter& segmenter);
/// \throws FormatError, nlohmann::json::exception
[[nodiscard]] Segmenter segmenter_from_json(const nlohmann::json& json);

}  // namespace tensorette::translation
