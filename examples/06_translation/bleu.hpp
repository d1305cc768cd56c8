/// \file
/// BLEU: how many word sequences a translation shares with its references.
///
/// Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation" (2002), in the
/// form that Post, "A Call for Clarity in Reporting BLEU Scores" (2018), made comparable: corpus
/// level, sequences of one to four words, the tokenisation part of the metric.
///
///     BLEU = 100 · BP · exp(¼ Σₙ log pₙ),   BP = min(1, exp(1 − r/c))
///
/// with pₙ the share of the hypotheses' n-word sequences found in a reference (each as often as the
/// reference has it at most), c the hypotheses' length and r the references' (the nearest to each).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tensorette::translation {

inline constexpr std::size_t kBleuOrder = 4;

/// How sentences become words before they are compared.
enum class BleuTokenizer {
  v13a,  ///< the tokenisation of the WMT evaluations, mteval version 13a
  none,  ///< text that is tokenised already: split at white space
};

/// What stands for a precision of 0, whose logarithm would make the whole score 0.
enum class BleuSmoothing {
  none,
  exponential,  ///< 1/2, 1/4, ... of a match, halved for each order without one
  floor,        ///< a tenth of a match
  add_one,      ///< one match and one sequence more in every order but the first
};

/// "13a" or "none".
[[nodiscard]] std::string_view name_of(BleuTokenizer tokenizer);
/// "none", "exp", "floor" or "add-k".
[[nodiscard]] std::string_view name_of(BleuSmoothing smoothing);

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::v13a;
  BleuSmoothing smoothing = BleuSmoothing::exponential;
  bool lowercase = false;
};

/// What BLEU counts. Counts of sentences add up to the counts of a corpus.
struct BleuCounts {
  std::array<double, kBleuOrder> matches{};
  std::array<double, kBleuOrder> totals{};
  double hypothesis_length = 0;
  double reference_length = 0;

  BleuCounts& operator+=(const BleuCounts& other);
};

struct BleuScore {
  double score = 0;                             ///< in [0, 100]
  std::array<double, kBleuOrder> precisions{};  ///< in [0, 100], smoothed
  double brevity_penalty = 0;
  BleuCounts counts{};
};

/// The words that BLEU compares. \throws FormatError for text that is not UTF-8, with lowercase
[[nodiscard]] std::vector<std::string> bleu_words(std::string_view line,
                                                  const BleuOptions& options = {});

/// Counts of one sentence against one or more references. \throws Error without a reference
[[nodiscard]] BleuCounts bleu_counts(std::string_view hypothesis,
                                     const std::vector<std::string>& references,
                                     const BleuOptions& options = {});

[[nodiscard]] BleuScore bleu_from_counts(const BleuCounts& counts, BleuSmoothing smoothing);

/// \param references of each sentence: references[sentence][k]
/// \throws Error if there are not as many sentences on both sides, naming both
[[nodiscard]] BleuScore corpus_bleu(const std::vector<std::string>& hypotheses,
                                    const std::vector<std::vector<std::string>>& references,
                                    const BleuOptions& options = {});

/// What has to be said beside a score so that others can repeat it.
[[nodiscard]] std::string bleu_signature(std::size_t references_each,
                                         const BleuOptions& options = {});

}  // namespace tensorette::translation
