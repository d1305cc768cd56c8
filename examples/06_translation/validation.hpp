/// \file
/// A short look at how a training goes, on pairs that it does not see. Before: trainer.hpp.
/// Next: training_run.hpp.
#pragma once

#include "bleu.hpp"
#include "trainer.hpp"

namespace tensorette::translation {

/// BLEU as it suits the data: at white space where the text was tokenized before, else 13a.
[[nodiscard]] BleuOptions bleu_options_for(const TrainingData& data);

/// Measures the present model, with averaged parameters if there are any, on the validation pairs:
/// the loss a token without label smoothing, and BLEU of greedy translations if the options ask for
/// it. Training goes on from the same state afterwards.
[[nodiscard]] Validation validate(Trainer& trainer, const TrainingData& data);

}  // namespace tensorette::translation
