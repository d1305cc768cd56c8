#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tensorette/tensor/parallel.hpp>

#include "bleu.hpp"
#include "commands.hpp"
#include "demo_report.hpp"
#include "support/atomic_file.hpp"
#include "support/progress_bar.hpp"

namespace tensorette::translation {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// Ctrl-C asks for an end after the present update; a second one ends at once.
class InterruptScope {
 public:
  InterruptScope() : previous_(std::signal(SIGINT, handle)) {}
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  ~InterruptScope() { std::signal(SIGINT, previous_); }

 private:
  static void handle(int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
  }
  void (*previous_)(int);
};

const std::vector<std::string> showcase{
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.", "They stoned the witch.",
    "This guy got completely stoned."};

}  // namespace

void report_problems(const TrainingData& data) {
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < std::min(most, data.problems.size()); ++i) {
    fmt::print(stderr, "left out: {}\n", to_string(data.problems[i]));
  }
  if (data.problems.size() > most) {
    fmt::print(stderr, "left out: {} more lines\n", data.problems.size() - most);
  }
  if (data.too_long > 0)
    fmt::print(stderr, "left out: {} pairs that are too long\n", data.too_long);
}

namespace {

const char* const diverged =
    "the training has diverged: its loss is not finite; try a lower --learning-rate";

// Of a new run, or of the one to go on with.
std::string output_folder(const TrainCommand& command) {
  if (command.output) return *command.output;
  if (command.resume.empty()) return "build/demo";
  const std::string folder = std::filesystem::path(command.resume).parent_path().string();
  return folder.empty() ? "." : folder;
}

void make_folder(const std::string& folder) {
  std::error_code reason;
  std::filesystem::create_directories(folder, reason);
  if (reason) {
    throw Error(fmt::format("can't make the folder {}: {}", folder, reason.message()));
  }
}

// False if the run was interrupted.
bool run(Trainer& trainer, const std::string& checkpoint_path) {
  const InterruptScope scope;
  pictures::ProgressBar bar({.label = "training",
                             .total = trainer.updates_in_all(),
                             .first = trainer.progress().updates});
  constexpr int patience = 20;  // updates in a row whose loss is not finite
  int lost = 0;
  Index tokens = 0;
  double smoothed = 0;
  while (!trainer.is_finished() && interrupted == 0) {
    const Index epoch = trainer.progress().epoch;
    const double loss = trainer.step();
    lost = std::isfinite(loss) ? 0 : lost + 1;
    if (lost == patience) throw Error(diverged);
    tokens += trainer.tokens_in_last_batch();
    if (std::isfinite(loss)) smoothed = smoothed == 0 ? loss : 0.95 * smoothed + 0.05 * loss;
    bar.update(trainer.progress().updates, {.loss = smoothed, .tokens = tokens});
    if (trainer.progress().epoch != epoch) {
      bar.relabel(
          fmt::format("epoch {}/{}", trainer.progress().epoch + 1, trainer.options().epochs));
      if (lost == 0) trainer.checkpoint().save(checkpoint_path);
    }
  }
  bar.finish();
  if (lost == 0) trainer.checkpoint().save(checkpoint_path);
  return interrupted == 0;
}

void print_evaluation(const Evaluation& e, const TrainingData& data, double seconds) {
  fmt::print("{} {} pairs\n", e.sentences, data.test_is_train ? "training" : "held-out");
  fmt::print("  exact match           {:6.2f} %\n", 100 * e.exact_match);
  fmt::print("  token accuracy        {:6.2f} %\n", 100 * e.token_accuracy);
  fmt::print("  loss                  {:8.4f}\n", e.loss);
  fmt::print("  BLEU, chrF            {:6.2f}, {:.2f}  ({})\n", e.bleu, e.chrf, bleu_signature(1));
  if (e.pronoun_accuracy == e.pronoun_accuracy) {
    fmt::print("  \"it\" as il or elle    {:6.2f} %\n", 100 * e.pronoun_accuracy);
    fmt::print("  \"it\" at its noun      {:6.2f} %  (layer {}, head {})\n",
               100 * e.antecedent_attention, e.antecedent_layer + 1, e.antecedent_head + 1);
  }
  fmt::print("  training time         {:6.1f} s\n", seconds);
}

void write_results(const std::string& folder, Trainer& trainer, const TrainingData& data,
                   const Evaluation& evaluation) {
  nlohmann::json metrics = to_json(evaluation);
  metrics["training_seconds"] = trainer.progress().seconds;
  metrics["pairs"] = data.test_is_train ? "training" : "held-out";
  pictures::write_file_atomically(folder + "/metrics.json", metrics.dump(2) + "\n");
  std::vector<std::string> lines;
  if (data.train.empty() || trainer.options().data.is_built_in()) {
    lines = showcase;
  } else {
    for (std::size_t i = 0; i < std::min<std::size_t>(4, data.test.size()); ++i) {
      lines.push_back(data.source_segmenter.text(data.test[i].source));
    }
  }
  fmt::print("\n");
  for (const Translation& translation : trainer.translator().translate(lines)) {
    fmt::print("  {}\n    → {}\n", data.source_segmenter.text(translation.source_tokens),
               translation.text);
  }
  pictures::write_report(folder + "/report.html",
                         training_report(trainer, data, evaluation, lines));
}

}  // namespace

int train(const TrainCommand& command) {
  set_num_threads(command.threads);
  const std::string output = output_folder(command);
  const std::string checkpoint_path = output + "/model.safetensors";
  std::optional<nn::Checkpoint> resumed;
  TrainingOptions options = command.options;
  if (!command.resume.empty()) {
    resumed = nn::Checkpoint::load(command.resume);
    options = Trainer::options_in(*resumed);
  }
  if (command.epochs) options.epochs = *command.epochs;
  std::optional<Segmenters> segmenters;
  if (resumed) segmenters = Translator::segmenters_in(*resumed);
  const TrainingData data = load_data(options.data, segmenters);
  report_problems(data);
  if (!resumed && !command.epochs && !options.data.is_built_in()) {
    options.epochs = epochs_for(static_cast<Index>(data.train.size()), options.batch_size);
  }
  Trainer trainer = resumed ? Trainer(*resumed, data, command.epochs) : Trainer(options, data);
  make_folder(output);
  fmt::print("{} training pairs, {} and {} words, {} parameters\n", data.train.size(),
             trainer.translator().source_vocabulary.size(),
             trainer.translator().target_vocabulary.size(),
             trainer.translator().model.parameter_count());
  std::fflush(stdout);
  if (!run(trainer, checkpoint_path)) {
    fmt::print("stopped after update {}; go on with --resume {}\n", trainer.progress().updates,
               checkpoint_path);
    return 0;
  }
  if (trainer.progress().skipped_updates > 0) {
    fmt::print(stderr, "{} updates were skipped: their gradients were not finite\n",
               trainer.progress().skipped_updates);
  }
  const Evaluation evaluation = evaluate(trainer.translator(), data.test);
  print_evaluation(evaluation, data, trainer.progress().seconds);
  if (!std::isfinite(evaluation.loss)) {
    throw Error(diverged);
  }
  write_results(output, trainer, data, evaluation);
  fmt::print("\nwritten: {0}/model.safetensors, {0}/report.html, {0}/metrics.json\n", output);
  return 0;
}

}  // namespace tensorette::translation
