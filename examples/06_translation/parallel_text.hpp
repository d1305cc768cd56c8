/// \file
/// Reading sentence pairs from files: a table of pairs, or two files with a sentence a line each.
/// Next: tokenizer.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tensorette::translation {

struct TextPair {
  std::string source;
  std::string target;
  std::int64_t line = 0;  ///< counted from 1
};

/// A line that was left out, and why. Leaving it out never shifts the others.
struct LineProblem {
  std::string path;
  std::int64_t line = 0;
  std::string reason;
};

/// "corpus.tsv:7: no tab"
[[nodiscard]] std::string to_string(const LineProblem& problem);

struct ParallelText {
  std::vector<TextPair> pairs;        ///< at least one
  std::vector<LineProblem> problems;  ///< the lines left out, in order
  std::int64_t lines = 0;             ///< lines read, a header not counted
  std::int64_t attributed_lines = 0;  ///< lines whose third column named the authors
};

struct PairColumns {
  /// Which columns hold the two sides: a name from the file's header, or a number from 1. Where
  /// one is set, further columns are no mistake. Empty: the first and the second.
  std::string source = {};
  std::string target = {};
};

/// Reads a table of sentence pairs, a pair a line, its columns separated by tabs.
///
/// How many columns a line must have:
/// - two, if nothing else is said; a third is accepted only if it is the attribution that exports
///   of Tatoeba carry ("CC-BY 2.0 (France) Attribution: ..."), any other is reported;
/// - as many as the header, if the first line is one: "# English<tab>French<tab>author ...";
/// - at least as many as `columns` points at, if that is set.
///
/// The text must be UTF-8. Only LF and CRLF end a line (U+2028 and a lone CR do not); a byte order
/// mark is dropped. A line with the wrong number of columns, an empty side, a NUL, or bytes that
/// are not UTF-8 is left out and reported.
///
/// Throws Error if the file cannot be read, naming the path and the system's reason, and
/// FormatError if it is empty, holds no usable pair, or lacks the columns asked for.
[[nodiscard]] ParallelText read_pairs(const std::string& path, const PairColumns& columns = {});

/// Reads two files of which line n of one is the translation of line n of the other. Rules and
/// errors as above; lines of which either side is bad are left out on both sides, and a different
/// number of lines throws FormatError.
[[nodiscard]] ParallelText read_aligned(const std::string& source_path,
                                        const std::string& target_path);

}  // namespace tensorette::translation
