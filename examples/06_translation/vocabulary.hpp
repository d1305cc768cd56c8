/// \file
/// Tokens and their numbers. Before: segmenter.hpp.  Next: batches.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tensorette::translation {

inline constexpr std::int64_t kPad = 0;      ///< fills a short sentence up
inline constexpr std::int64_t kBegin = 1;    ///< stands before the first token of a target
inline constexpr std::int64_t kEnd = 2;      ///< follows the last token of a target
inline constexpr std::int64_t kUnknown = 3;  ///< any token the vocabulary lacks
inline constexpr std::int64_t kSpecialTokens = 4;

/// How often each token occurs, e.g. in the training sentences of one language.
class TokenCounts {
 public:
  void add(std::span<const std::string> tokens);
  [[nodiscard]] const std::map<std::string, std::int64_t>& counts() const { return counts_; }

 private:
  std::map<std::string, std::int64_t> counts_;
};

/// A two-way table between tokens and ids 0, 1, 2, ...
///
/// Ids 0 to 3 are the special ones above. They are ids, not spellings: text that happens to contain
/// "<eos>" never becomes the end token.
class Vocabulary {
 public:
  /// Just the special tokens.
  Vocabulary();

  /// The tokens that occur at least `min_frequency` times, the most frequent first, equally
  /// frequent ones in the order of their bytes. Throws Error if `min_frequency` is less than 1.
  static Vocabulary build(const TokenCounts& counts, std::int64_t min_frequency = 1);

  /// The special tokens, then `ordinary` ones in their order. Throws FormatError as from_tokens().
  static Vocabulary with_special_tokens(std::vector<std::string> ordinary);

  /// The vocabulary whose tokens() are these. Throws FormatError if the four special tokens do not
  /// come first, or if a token comes twice or is not UTF-8.
  static Vocabulary from_tokens(std::vector<std::string> tokens);

  /// Every token by id, beginning with "<pad>", "<bos>", "<eos>", "<unk>".
  [[nodiscard]] const std::vector<std::string>& tokens() const { return tokens_; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }

  /// The id of a token; kUnknown if the vocabulary lacks it.
  [[nodiscard]] std::int64_t id(std::string_view token) const;
  /// The token of an id. Throws IndexError if there is none.
  [[nodiscard]] const std::string& token(std::int64_t id) const;

  /// One id per token; start and end tokens are not added.
  [[nodiscard]] std::vector<std::int64_t> encode(std::span<const std::string> tokens) const;
  /// The tokens up to the first kEnd; kPad and kBegin are left out, kUnknown reads "<unk>".
  /// Throws IndexError for an id outside the vocabulary.
  [[nodiscard]] std::vector<std::string> decode(std::span<const std::int64_t> ids) const;

  /// Text with one token a line, in which a backslash, line breaks and other control characters
  /// inside a token are written \\, \n, \r, \xHH. Every vocabulary comes back from it unchanged.
  [[nodiscard]] std::string serialize() const;
  /// The vocabulary that serialize() wrote. Throws FormatError, naming the line, for anything else.
  static Vocabulary deserialize(std::string_view text);

  friend bool operator==(const Vocabulary& a, const Vocabulary& b) {
    return a.tokens_ == b.tokens_;
  }

 private:
  explicit Vocabulary(std::vector<std::string> tokens);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::vector<std::string> tokens_;
  /// Ordinary tokens only: no spelling leads to a special id.
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> ids_;
};

/// Throws FormatError unless `vocabulary` has one token for each of the `rows` of the table that it
/// belongs to: `vocabulary_name` and `table_name` say which, e.g. "target vocabulary" and
/// "target_embedding.weight".
void require_vocabulary_size(const Vocabulary& vocabulary, std::int64_t rows,
                             std::string_view vocabulary_name, std::string_view table_name);

}  // namespace tensorette::translation
