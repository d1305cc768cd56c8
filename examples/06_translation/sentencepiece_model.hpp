/// \file
/// Words in pieces: models of SentencePiece (Kudo and Richardson, "SentencePiece: a simple and
/// language independent subword tokenizer", 2018), learned from text or read from a file.
/// Next: segmenter.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensorette::translation {

/// How the pieces are found: by joining what stands together most often (byte pair encoding,
/// Sennrich et al. 2016), or by the most probable split (unigram language model, Kudo 2018).
enum class PieceMethod { bpe, unigram };

struct PieceOptions {
  PieceMethod method = PieceMethod::bpe;
  /// How many there shall be, the four special tokens included. A small text may have fewer.
  std::int64_t count = 8'000;
};

/// Cuts lines into pieces and puts them together again. A space is part of the piece that follows
/// it, written ▁ (U+2581): "Hello world" may become ▁Hel lo ▁world.
///
/// A value: copies are cheap and share what was learned. Its const functions may be called from
/// several threads.
class SentencePieceModel {
 public:
  /// Learns pieces; a function of `lines` and `options` alone. Every character of the lines is one.
  /// Throws Error if there are no lines or more characters than pieces asked for.
  [[nodiscard]] static SentencePieceModel train(std::span<const std::string> lines,
                                                const PieceOptions& options = {});
  /// Reads the file that a trainer of SentencePiece wrote. Throws Error if it cannot be read and
  /// FormatError if it is something else.
  [[nodiscard]] static SentencePieceModel load(const std::string& path);
  /// The model whose bytes() these are. Throws FormatError for anything else.
  [[nodiscard]] static SentencePieceModel from_bytes(std::string bytes);

  /// What the model's file holds.
  [[nodiscard]] const std::string& bytes() const;
  /// Every piece but the special tokens, in the order of the model.
  [[nodiscard]] std::vector<std::string> pieces() const;

  /// Before it is cut, text is normalised: Unicode's NFKC, no space at either end and none twice.
  /// A run of characters that no piece has becomes a token of its own. Throws FormatError if `line`
  /// is not UTF-8.
  [[nodiscard]] std::vector<std::string> encode(std::string_view line) const;
  /// The line of these pieces.
  [[nodiscard]] std::string decode(std::span<const std::string> pieces) const;

  friend bool operator==(const SentencePieceModel& a, const SentencePieceModel& b) {
    return a.bytes() == b.bytes();
  }

 private:
  struct Loaded;
  explicit SentencePieceModel(std::shared_ptr<const Loaded> loaded) : loaded_(std::move(loaded)) {}
  std::shared_ptr<const Loaded> loaded_;  ///< never null
};

}  // namespace tensorette::translation
