/// \file
/// The loop around a trainer: when to look, when to save, when to stop.
/// Before: trainer.hpp, validation.hpp, run_log.hpp. Next: commands.hpp.
#pragma once

#include <string>

#include "trainer.hpp"

namespace tensorette::translation {

/// What holds for one process only; a run that goes on may have others.
struct RunOptions {
  std::string folder{};
  double minutes = 0;  ///< of wall-clock time, after which the run is saved and left; 0: no end
  double save_every = 300;  ///< seconds between saves within an epoch; 0: after each update
  Index log_every = 50;     ///< updates a line of the log
  Index keep_epochs = 0;    ///< latest epochs whose parameters stay as files of their own
};

/// What a training that came to nothing is told with.
inline constexpr const char* diverged =
    "the training has diverged: its loss is not finite; try a lower --learning-rate";

/// Why a run ended.
enum class RunEnd {
  finished,     ///< all epochs are done
  no_gain,      ///< validations have not become better for as long as the options allow
  interrupted,  ///< by Ctrl-C
  out_of_time,
};

/// What a run leaves in its folder:
///   model.safetensors        the run as it stands, to go on with or to translate with
///   best.safetensors         the parameters of the best validation, if there are validations
///   epoch-012.safetensors    those after an epoch, for keep_epochs
///   log.jsonl                RunLog
struct RunPaths {
  explicit RunPaths(const std::string& run_folder) : folder(run_folder + "/") {}
  [[nodiscard]] std::string model() const { return folder + "model.safetensors"; }
  [[nodiscard]] std::string best() const { return folder + "best.safetensors"; }
  [[nodiscard]] std::string epoch(Index number) const;
  [[nodiscard]] std::string log() const { return folder + "log.jsonl"; }

  std::string folder;
};

/// How fast the updates of a process were.
struct RunSpeed {
  double seconds = 0;
  double products = 0;  ///< see training_products()
  Index tokens = 0;     ///< target tokens
};

struct RunResult {
  RunEnd end = RunEnd::finished;
  RunSpeed speed{};
};

/// Trains until something ends the run, and saves it.
/// \throws Error if the loss stays not finite, or a file can't be written
RunResult run(Trainer& trainer, const TrainingData& data, const RunOptions& options);

}  // namespace tensorette::translation
