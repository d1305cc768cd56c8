/// \file
/// The four subcommands of the program. Before: demo_report.hpp. Next: command_line.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainer.hpp"

namespace tensorette::translation {

/// What `train` was asked for.
struct TrainCommand {
  TrainingOptions options{};
  /// Folder of checkpoint, report and metrics; not said: that of the run to go on with, else
  /// build/demo.
  std::optional<std::string> output{};
  std::string resume{};           ///< a checkpoint to go on with
  std::optional<Index> epochs{};  ///< said on the command line
  int threads = 0;                ///< 0: as many as there are processors
};
int train(const TrainCommand& command);

/// Says on standard error which lines of the files were left out.
void report_problems(const TrainingData& data);

/// What `translate` was asked for; without lines it reads standard input.
struct TranslateCommand {
  std::string checkpoint = "build/demo/model.safetensors";
  std::vector<std::string> lines{};
  Index beam = 1;
};
int translate(const TranslateCommand& command);

/// What `evaluate` was asked for.
struct EvaluateCommand {
  std::string checkpoint = "build/demo/model.safetensors";
  std::string pairs{};  ///< a table of pairs; empty: the held-out pairs of the training
  bool json = false;
};
int evaluate(const EvaluateCommand& command);

/// What `attention` was asked for.
struct AttentionCommand {
  std::string checkpoint = "build/demo/model.safetensors";
  std::string line = "The animal didn't cross the street because it was too tired.";
  std::string html{};  ///< a page to write instead of printing
  std::string svg{};   ///< a picture to write instead: where `word` looks
  std::string word = "it";
  std::optional<Index> layer{};  ///< from 1; all if not said
  std::optional<Index> head{};   ///< from 1; all if not said
};
int attention(const AttentionCommand& command);

}  // namespace tensorette::translation
