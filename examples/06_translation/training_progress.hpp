/// \file
/// How far a training run has come. Before: training_options.hpp. Next: trainer.hpp.
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <tensorette/tensor/shape.hpp>
#include <vector>

namespace tensorette::translation {

using tensorette::Index;

/// What one look at the validation pairs has shown.
struct Validation {
  Index update = 0;
  Index epoch = 0;     ///< epochs done
  double seconds = 0;  ///< of training until then
  double loss = 0;     ///< cross entropy a token, without label smoothing
  double bleu = std::numeric_limits<double>::quiet_NaN();  ///< in [0, 100]; NaN: not measured
};

/// By BLEU where both have one, else by loss.
[[nodiscard]] bool is_better(const Validation& a, const Validation& b);

/// Where a run stands; all that a resumed run has to know besides parameters and moments.
struct TrainingProgress {
  Index epoch = 0;  ///< the present one, from 0
  Index batch = 0;  ///< batches done in it
  Index updates = 0;
  double seconds = 0;  ///< in updates: neither in validations nor in saving
  double epoch_loss_sum = 0;
  Index epoch_tokens = 0;
  std::vector<double> losses{};        ///< cross entropy a token, by update
  std::vector<double> epoch_losses{};  ///< means over finished epochs
  Index skipped_updates = 0;           ///< for a gradient that was not finite
  std::vector<Validation> validations{};

  /// The best validation so far, the first among equals.
  [[nodiscard]] std::optional<Validation> best() const;
  /// Validations since the best one.
  [[nodiscard]] Index validations_without_gain() const;
};

[[nodiscard]] nlohmann::json to_json(const TrainingProgress& progress);
/// \throws nlohmann::json::exception
[[nodiscard]] TrainingProgress progress_from_json(const nlohmann::json& json);

}  // namespace tensorette::translation
