/// \file
/// A training of the built-in corpus that takes a moment.
#pragma once

#include "06_translation/training_options.hpp"

namespace tensorette::translation::testing {

/// Four epochs of 40 pairs, five to measure on, with a small model that has dropout.
inline TrainingOptions small_training() {
  return {.data = {.train_pairs = 40, .test_size = 5},
          .epochs = 4,
          .batch_size = 8,
          .model = {.dim = 16,
                    .heads = 2,
                    .encoder_layers = 1,
                    .decoder_layers = 1,
                    .hidden = 16,
                    .dropout = 0.2}};
}

}  // namespace tensorette::translation::testing
