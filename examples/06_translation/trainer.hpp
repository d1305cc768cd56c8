/// \file
/// Training with everything that lets a run stop and go on.
/// Before: translator.hpp, training_data.hpp. Next: main.cpp.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <tensorette/nn/optim/adam.hpp>
#include <vector>

#include "guidance.hpp"
#include "training_data.hpp"
#include "translator.hpp"

namespace tensorette::translation {

/// Options of a training run.
struct TrainingOptions {
  DataOptions data{};
  Index epochs = 8;
  Index batch_size = 64;
  double learning_rate = 3e-3;  ///< at the end of the warm-up
  Index warmup = 200;           ///< updates; at most an eighth of all
  double label_smoothing = 0.0;
  double clip_norm = 1.0;
  double guidance = 0.1;   ///< weight of the loss that teaches a head where "it" points; 0: none
  std::uint64_t seed = 1;  ///< of parameters, dropout and the order of the pairs
  /// A decoder of one layer with one head looks at one source word at a time. So "it" must already
  /// be understood in the encoder, and one can watch how.
  nn::TransformerOptions model{
      .heads = 4, .decoder_heads = 1, .encoder_layers = 3, .decoder_layers = 1};
};

/// Passes over a corpus of one's own where none are asked for: as many as it takes to about 1,500
/// updates, 8 to 300.
[[nodiscard]] Index epochs_for(Index pairs, Index batch_size);

[[nodiscard]] nlohmann::json to_json(const TrainingOptions& options);
/// Without the model's options, which the translator keeps.
[[nodiscard]] TrainingOptions training_options_from_json(const nlohmann::json& json);

/// Where a run stands; all that a resumed run has to know besides parameters and moments.
struct TrainingProgress {
  Index epoch = 0;  ///< the present one, from 0
  Index batch = 0;  ///< batches done in it
  Index updates = 0;
  double seconds = 0;
  double epoch_loss_sum = 0;
  Index epoch_tokens = 0;
  std::vector<double> losses{};        ///< cross entropy a token, by update
  std::vector<double> epoch_losses{};  ///< means over finished epochs
  Index skipped_updates = 0;           ///< for a gradient that was not finite
};

/// A training run. Saved and loaded at any update it goes on as if it had never stopped.
class Trainer {
 public:
  /// Begins a run; `data` has been loaded with options.data.
  Trainer(const TrainingOptions& options, const TrainingData& data);
  /// Goes on with a saved one. \throws FormatError
  Trainer(const nn::Checkpoint& checkpoint, const TrainingData& data,
          std::optional<Index> epochs = std::nullopt);
  /// The options inside a checkpoint, for loading the data first. \throws FormatError
  [[nodiscard]] static TrainingOptions options_in(const nn::Checkpoint& checkpoint);

  [[nodiscard]] bool is_finished() const { return progress_.epoch >= options_.epochs; }
  /// One update. Returns the batch's loss a token.
  double step();

  [[nodiscard]] Index updates_in_all() const {
    return options_.epochs * dealer_.batches_per_epoch();
  }
  [[nodiscard]] Index tokens_in_last_batch() const { return last_tokens_; }
  [[nodiscard]] const TrainingProgress& progress() const { return progress_; }
  [[nodiscard]] const TrainingOptions& options() const { return options_; }
  [[nodiscard]] Translator& translator() { return translator_; }

  [[nodiscard]] nn::Checkpoint checkpoint() const;

 private:
  struct Losses {
    Variable translation;  ///< cross entropy a label
    Variable total;        ///< what is minimised
  };
  [[nodiscard]] Losses losses(const Batch& batch) const;
  [[nodiscard]] double learning_rate(Index update) const;

  TrainingOptions options_;
  Translator translator_;
  BatchDealer dealer_;
  Guidance guidance_;
  std::vector<Variable> parameters_;
  optim::Adam optimizer_;
  TrainingProgress progress_;
  Index last_tokens_ = 0;
};

}  // namespace tensorette::translation
