/// \file
/// Learning to say what comes next. Before: gpt.hpp. Next: sampling.hpp.
#pragma once

#include <functional>
#include <vector>

#include "gpt.hpp"

namespace tensorette::character_gpt {

/// A text as ids, its end held out: what was not learned by heart shows there.
struct SplitText {
  std::vector<Index> training{};
  std::vector<Index> held_out{};  ///< the last tenth, at most 50 000 characters
};
/// \throws Error if what is left to train on is not longer than the context
[[nodiscard]] SplitText split_text(const std::vector<Index>& ids, Index context);

struct TrainingOptions {
  Index steps = 1500;           ///< updates
  Index batch = 8;              ///< windows of text an update
  double learning_rate = 3e-3;  ///< highest; it rises over the first tenth, then falls
  double weight_decay = 0.1;    ///< of matrices
  double clip_norm = 1.0;       ///< highest norm of a gradient
  std::uint64_t seed = 1;       ///< of the windows
};

/// Cross entropies per character, in nats.
struct Losses {
  Index step = 0;
  double training = 0;  ///< mean of the updates since the record before; NaN before the first
  double held_out = 0;
};

/// Called behind every update with its loss; `latest` are the last losses measured.
using OnUpdate = std::function<void(Index step, double loss, const Losses& latest)>;

/// Trains and leaves the model in evaluation mode. Measures before the first update and then ten
/// times. \throws Error if a loss is not finite
[[nodiscard]] std::vector<Losses> train(Gpt& model, const SplitText& text,
                                        const TrainingOptions& options, const OnUpdate& on_update);

/// The mean cross entropy of all characters but the first, each predicted from those before it in
/// its window. Puts the model into evaluation mode.
[[nodiscard]] double measure(Gpt& model, const std::vector<Index>& ids);

}  // namespace tensorette::character_gpt
