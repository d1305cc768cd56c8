/// \file
/// Training with everything that lets a run stop and go on.
/// Before: translator.hpp, training_options.hpp, training_progress.hpp. Next: training_run.hpp.
#pragma once

#include <optional>
#include <tensorette/nn/optim/adam.hpp>
#include <tensorette/nn/optim/moving_average.hpp>
#include <vector>

#include "batch_prefetcher.hpp"
#include "guidance.hpp"
#include "training_options.hpp"
#include "training_progress.hpp"
#include "translator.hpp"

namespace tensorette::translation {

/// What one update did.
struct UpdateReport {
  double loss = 0;           ///< cross entropy a token
  double learning_rate = 0;  ///< of this update
  double gradient_norm = 0;  ///< before clipping
  Index tokens = 0;          ///< target tokens that counted
  double seconds = 0;
  double products = 0;  ///< multiplications and additions in matrix products; see training_cost.hpp
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
  /// One update. Returns the loss a token.
  double step();
  /// What the latest step() of this object did.
  [[nodiscard]] const UpdateReport& last_update() const { return last_update_; }

  /// Adds what a look at the validation pairs has shown.
  void record(const Validation& validation) { progress_.validations.push_back(validation); }

  [[nodiscard]] Index updates_in_all() const { return options_.epochs * updates_per_epoch(); }
  [[nodiscard]] const TrainingProgress& progress() const { return progress_; }
  [[nodiscard]] const TrainingOptions& options() const { return options_; }
  [[nodiscard]] Translator& translator() { return translator_; }
  /// The moving average of the parameters; null without.
  [[nodiscard]] optim::ExponentialMovingAverage* average() {
    return average_ ? &*average_ : nullptr;
  }

  /// The run as it stands. The model in it has the averaged parameters, if there are any, so that
  /// whoever translates with it uses them.
  [[nodiscard]] nn::Checkpoint checkpoint();

 private:
  struct Losses {
    Variable translation;  ///< cross entropy a label
    Variable total;        ///< what is minimised
  };
  [[nodiscard]] Index updates_per_epoch() const;
  [[nodiscard]] std::vector<Batch> next_batches();
  [[nodiscard]] Losses losses(const Batch& batch) const;
  /// Adds the gradients of a batch, which has this share of the update's labels. Returns its loss.
  [[nodiscard]] double add_gradients(const Batch& batch, double share) const;
  void advance(const UpdateReport& update, Index batches);

  TrainingOptions options_;
  Translator translator_;
  BatchPrefetcher batches_;
  Guidance guidance_;
  std::vector<Variable> parameters_;
  optim::Adam optimizer_;
  std::optional<optim::ExponentialMovingAverage> average_;
  TrainingProgress progress_;
  UpdateReport last_update_;
};

}  // namespace tensorette::translation
