/// \file
/// The HTML report of a training run. Before: evaluation.hpp, trainer.hpp.
#pragma once

#include <string>
#include <vector>

#include "evaluation.hpp"
#include "support/attention_scores.hpp"
#include "support/report.hpp"
#include "trainer.hpp"

namespace tensorette::translation {

/// The attention scores of one sentence and the model's own translation of it, for pictures.
struct SentencePicture {
  Translation translation;
  pictures::AttentionScores encoder;  ///< [layers, heads, source, source]
  pictures::AttentionScores decoder;  ///< [layers, heads, target, target]
  pictures::AttentionScores cross;    ///< [layers, heads, target, source]
};
[[nodiscard]] SentencePicture picture_of(const Translator& translator, const std::string& line);

/// The whole report; `lines` are the sentences whose attention is shown.
[[nodiscard]] pictures::Report training_report(Trainer& trainer, const TrainingData& data,
                                               const Evaluation& evaluation,
                                               const std::vector<std::string>& lines);

}  // namespace tensorette::translation
