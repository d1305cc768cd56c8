/// \file
/// How good a translator is on pairs whose translations are known.
/// Before: translator.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "batches.hpp"
#include "bleu.hpp"
#include "training_data.hpp"
#include "translator.hpp"

namespace tensorette::translation {

/// What evaluate() measures. Shares are in [0, 1]; NaN where there is nothing to measure.
struct Evaluation {
  double exact_match = 0;       ///< sentences translated word for word as the reference
  double token_accuracy = 0;    ///< right next tokens, the reference's tokens before given
  double loss = 0;              ///< cross entropy a token
  double pronoun_accuracy = 0;  ///< sentences with "it" whose translation has the right pronoun
  /// Sentences with "it" in which one encoder head, the best one, looks from "it" at the right
  /// noun more than at the others.
  double antecedent_attention = 0;
  Index antecedent_layer = 0;  ///< that head
  Index antecedent_head = 0;
  double bleu = 0;               ///< BLEU of the written sentences, in [0, 100]
  double chrf = 0;               ///< chrF of them, in [0, 100]
  std::string bleu_signature{};  ///< how it was counted
  Index sentences = 0;
  double translation_seconds = 0;
  std::vector<Translation> translations{};
};

/// The pairs in batches, from the shortest to the longest, so that little is padding.
[[nodiscard]] BatchDealer batches_by_length(const Translator& translator,
                                            const std::vector<SentencePair>& pairs);

struct EvaluationOptions {
  TranslateOptions translation{};
  BleuOptions bleu{};
};

/// Translates all pairs and measures. The model is in evaluation mode afterwards.
/// \param references the lines that BLEU and chrF compare with, one for each pair; empty: the
/// targets' tokens put together
/// \throws Error if there are not as many references as pairs
[[nodiscard]] Evaluation evaluate(Translator& translator, const std::vector<SentencePair>& pairs,
                                  const std::vector<std::string>& references = {},
                                  const EvaluationOptions& options = {});

/// The numbers by name, as in metrics.json.
[[nodiscard]] nlohmann::json to_json(const Evaluation& evaluation);

}  // namespace tensorette::translation
