/// \file
/// What a training run is told to do. Before: training_data.hpp. Next: trainer.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <tensorette/nn/transformer.hpp>

#include "training_data.hpp"

namespace tensorette::translation {

using tensorette::Index;

/// How the learning rate goes on once it has risen to its highest.
enum class RateSchedule {
  cosine,               ///< along half a cosine to a hundredth at the end of the last epoch
  inverse_square_root,  ///< with the root of the updates: a run may stop and go on at any time
  constant,             ///< not at all
};

/// "cosine", "inverse-sqrt" or "constant".
[[nodiscard]] std::string_view name_of(RateSchedule schedule);

/// How a run watches itself on pairs that it is not trained on. Nothing happens without such pairs.
struct ValidationOptions {
  Index every = 0;     ///< updates; 0: at the end of each epoch
  bool bleu = true;    ///< translate the pairs too, which takes longer than their loss
  Index patience = 0;  ///< stop after so many validations without a better one; 0: never
};

/// Options of a training run. All of them are saved with it.
struct TrainingOptions {
  DataOptions data{};
  Index epochs = 8;
  Index batch_size = 64;  ///< pairs a batch
  Index batch_tokens =
      0;                 ///< instead: most tokens of the longer side, padding included; 0: no limit
  Index accumulate = 1;  ///< batches whose gradients make one update
  double learning_rate = 3e-3;  ///< at the end of the warm-up
  double beta2 = 0.98;          ///< of Adam: decay of the mean squared gradient
  Index warmup = 200;           ///< updates; at most an eighth of all
  RateSchedule schedule = RateSchedule::cosine;
  double label_smoothing = 0.0;
  double clip_norm = 1.0;
  double average_decay = 0.0;        ///< of the moving average of the parameters; 0: none
  double average_share = 1.0 / 9.0;  ///< of the updates so far that it reaches back over at most
  double guidance = 0.1;   ///< weight of the loss that teaches a head where "it" points; 0: none
  std::uint64_t seed = 1;  ///< of parameters, dropout and the order of the pairs
  ValidationOptions validation{};
  /// A decoder of one layer with one head looks at one source word at a time. So "it" must already
  /// be understood in the encoder, and one can watch how.
  nn::TransformerOptions model{
      .heads = 4, .decoder_heads = 1, .encoder_layers = 3, .decoder_layers = 1};
};

/// Passes over a corpus of one's own where none are asked for: as many as it takes to about 1,500
/// updates, 8 to 300.
[[nodiscard]] Index epochs_for(Index pairs, Index batch_size);

/// The learning rate of an update, counted from 1, of `updates` in all.
[[nodiscard]] double learning_rate(const TrainingOptions& options, Index update, Index updates);

[[nodiscard]] nlohmann::json to_json(const TrainingOptions& options);
/// Without the model's options, which the translator keeps. What older options lack has its
/// default. \throws nlohmann::json::exception
[[nodiscard]] TrainingOptions training_options_from_json(const nlohmann::json& json);

}  // namespace tensorette::translation
