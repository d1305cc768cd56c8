/// \file
/// The subcommands of the program. Before: demo_report.hpp. Next: command_line.hpp.
#pragma once

#include <optional>
#include <string>
#include <tensorette/tensor/io/safetensors.hpp>
#include <vector>

#include "bleu.hpp"
#include "bootstrap.hpp"
#include "evaluation.hpp"
#include "training_run.hpp"

namespace tensorette::translation {

/// What `train` was asked for.
struct TrainCommand {
  TrainingOptions options{};
  /// Folder of checkpoint, report and metrics; not said: that of the run to go on with, else
  /// build/demo.
  std::optional<std::string> output{};
  std::string resume{};           ///< a checkpoint to go on with
  std::optional<Index> epochs{};  ///< said on the command line
  RunOptions run{};               ///< but for the folder
  int threads = 0;                ///< 0: as many as there are processors
};
int train(const TrainCommand& command);

/// Says on standard error which lines of the files were left out.
void report_problems(const TrainingData& data);

/// What `translate` was asked for; without lines it reads standard input.
struct TranslateCommand {
  std::string checkpoint = "build/demo/model.safetensors";
  std::vector<std::string> lines{};
  TranslateOptions options{};
  bool scores = false;  ///< print the score before each translation
  bool speed = false;   ///< say how fast it went, however few lines there are
  int threads = 0;
};
int translate(const TranslateCommand& command);

/// What `evaluate` was asked for.
struct EvaluateCommand {
  std::string checkpoint = "build/demo/model.safetensors";
  /// A table of pairs, or two files of lines; all empty: the held-out pairs of the training.
  std::string pairs{};
  std::string source{};
  std::string target{};
  EvaluationOptions options{};
  std::string translations{};  ///< a file to write the translations to, a line each
  bool json = false;
  int threads = 0;
};
int evaluate(const EvaluateCommand& command);

/// What `score` was asked for: files of which line n belongs to line n of the others.
struct ScoreCommand {
  std::string translations{};
  std::vector<std::string> references{};
  BleuOptions bleu{};
  bool json = false;
};
int score(const ScoreCommand& command);

/// What `compare` was asked for.
struct CompareCommand {
  std::string reference{};
  std::string first{};
  std::string second{};
  BleuOptions bleu{};
  BootstrapOptions bootstrap{};
  bool json = false;
};
int compare(const CompareCommand& command);

/// What `export` was asked for.
struct ExportCommand {
  std::string checkpoint = "build/demo/model.safetensors";
  std::string output{};
  StoredType type = StoredType::f32;
};
int export_weights(const ExportCommand& command);

/// What `attention` was asked for.
struct AttentionCommand {
  std::string checkpoint = "build/demo/model.safetensors";
  std::string line = "The animal didn't cross the street because it was too tired.";
  std::string html{};  ///< a page to write instead of printing
  std::string svg{};   ///< a picture to write instead: where `word` looks
  std::string grid{};  ///< a picture to write instead: all heads beside each other
  std::string word = "it";
  std::optional<Index> layer{};  ///< from 1; all if not said
  std::optional<Index> head{};   ///< from 1; all if not said
  bool rollout = false;          ///< what came through all layers instead of single heads
  bool untrained = false;        ///< with the first values of the parameters
};
int attention(const AttentionCommand& command);

/// What a line of a training's log may hold.
enum class LoggedValue {
  loss,
  learning_rate,
  gradient_norm,
  speed,
  validation_loss,
  validation_bleu
};

/// What `curve` was asked for.
struct CurveCommand {
  std::vector<std::string> logs{"build/demo/log.jsonl"};
  LoggedValue value = LoggedValue::loss;
  bool by_update = false;  ///< along the updates, not the minutes
  std::string svg{};       ///< a picture to write instead of printing
};
int curve(const CurveCommand& command);

/// Reads the command line and runs what it asks for (command_line.cpp); gives the exit code.
int run_command_line(int argc, char** argv);

}  // namespace tensorette::translation
