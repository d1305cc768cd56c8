#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tensorette/tensor/parallel.hpp>

#include "commands.hpp"
#include "demo_report.hpp"
#include "saved_model.hpp"
#include "support/atomic_file.hpp"
#include "training_cost.hpp"
#include "training_run.hpp"
#include "validation.hpp"

namespace tensorette::translation {
namespace {

const std::vector<std::string> showcase{
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.", "They stoned the witch.",
    "This guy got completely stoned."};

/// What a shell reports of a program that Ctrl-C has ended, so that a script does not go on.
constexpr int ended_by_interrupt = 128 + 2;

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

// On average.
Index pairs_per_batch(const TrainingOptions& options, const TrainingData& data) {
  if (options.batch_tokens == 0) return options.batch_size;
  std::size_t tokens = 0;
  for (const SentencePair& pair : data.train) {
    tokens += std::max(pair.source.size(), pair.target.size() + 1);
  }
  const auto mean = static_cast<Index>(tokens / data.train.size());
  return std::max<Index>(options.batch_tokens / mean, 1);
}

// The run can then be resumed and evaluated from any folder.
void name_from_anywhere(DataOptions& data) {
  for (std::string* path : {&data.pairs, &data.source, &data.target, &data.valid_pairs,
                            &data.valid_source, &data.valid_target, &data.test_pairs,
                            &data.test_source, &data.test_target, &data.pieces_model}) {
    if (!path->empty()) *path = std::filesystem::absolute(*path).lexically_normal().string();
  }
}

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

// How fast the updates of this process were, beside what the machine can do.
struct Rates {
  double tokens = 0;    ///< target tokens a second
  double products = 0;  ///< training_products() a second
  double sgemm = 0;     ///< sgemm_rate()
};

// Nothing for a run so short that the rate would say little.
std::optional<Rates> rates_of(const RunSpeed& speed) {
  constexpr double enough = 5;  // seconds
  if (speed.seconds < enough) return std::nullopt;
  return Rates{.tokens = static_cast<double>(speed.tokens) / speed.seconds,
               .products = speed.products / speed.seconds,
               .sgemm = sgemm_rate()};
}

void print(const Rates& rates) {
  fmt::print("  target tokens         {:6.0f} a second\n", rates.tokens);
  fmt::print("  matrix products       {:6.1f} GFLOP/s, {:.0f} % of plain sgemm's {:.1f}\n",
             rates.products / 1e9, 100 * rates.products / rates.sgemm, rates.sgemm / 1e9);
}

// The training is over and saved: gives its model the parameters to use, those of the best
// validation or the averaged ones.
void take_best_parameters(Trainer& trainer, const std::string& best_path) {
  const std::optional<Validation> best = trainer.progress().best();
  if (best && std::filesystem::exists(best_path)) {
    fmt::print("using the parameters of the best validation, after update {}\n", best->update);
    nn::Checkpoint::load(best_path).restore(trainer.translator().model);
  } else if (trainer.average() != nullptr) {
    trainer.average()->swap();
  }
}

void print_evaluation(const Evaluation& e, const TrainingData& data, double seconds) {
  fmt::print("{} {} pairs\n", e.sentences, data.test_is_train ? "training" : "held-out");
  fmt::print("  exact match           {:6.2f} %\n", 100 * e.exact_match);
  fmt::print("  token accuracy        {:6.2f} %\n", 100 * e.token_accuracy);
  fmt::print("  loss                  {:8.4f}\n", e.loss);
  fmt::print("  BLEU, chrF            {:6.2f}, {:.2f}  ({})\n", e.bleu, e.chrf, e.bleu_signature);
  if (e.pronoun_accuracy == e.pronoun_accuracy) {
    fmt::print("  \"it\" as il or elle    {:6.2f} %\n", 100 * e.pronoun_accuracy);
    fmt::print("  \"it\" at its noun      {:6.2f} %  (layer {}, head {})\n",
               100 * e.antecedent_attention, e.antecedent_layer + 1, e.antecedent_head + 1);
  }
  fmt::print("  training time         {:6.1f} s\n", seconds);
}

void write_results(const std::string& folder, Trainer& trainer, const TrainingData& data,
                   const Evaluation& evaluation, const std::optional<Rates>& rates) {
  nlohmann::json metrics = to_json(evaluation);
  metrics["training_seconds"] = trainer.progress().seconds;
  metrics["pairs"] = data.test_is_train ? "training" : "held-out";
  if (rates) {
    metrics["target_tokens_per_second"] = rates->tokens;
    metrics["product_flops_per_second"] = rates->products;
    metrics["sgemm_flops_per_second"] = rates->sgemm;
  }
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
  RunOptions run_options = command.run;
  run_options.folder = output_folder(command);
  const RunPaths paths(run_options.folder);
  std::optional<nn::Checkpoint> resumed;
  TrainingOptions options = command.options;
  if (!command.resume.empty()) {
    resumed = nn::Checkpoint::load(command.resume);
    if (!resumed->metadata.contains("training_progress")) {
      throw FormatError(command.resume +
                        ": these are weights alone: a training can't go on from them");
    }
    options = naming_file(command.resume, [&] { return Trainer::options_in(*resumed); });
  } else {
    name_from_anywhere(options.data);
  }
  if (command.epochs) options.epochs = *command.epochs;
  std::optional<Segmenters> segmenters;
  if (resumed) {
    segmenters = naming_file(command.resume, [&] { return Translator::segmenters_in(*resumed); });
  }
  const TrainingData data = load_data(options.data, segmenters);
  report_problems(data);
  if (!resumed && !command.epochs && !options.data.is_built_in()) {
    options.epochs =
        epochs_for(static_cast<Index>(data.train.size()), pairs_per_batch(options, data));
  }
  Trainer trainer =
      resumed ? naming_file(command.resume, [&] { return Trainer(*resumed, data, command.epochs); })
              : Trainer(options, data);
  make_folder(run_options.folder);
  if (!resumed && std::filesystem::exists(paths.model())) {
    fmt::print(stderr, "{} is replaced by a run of its own; --resume goes on with it\n",
               paths.model());
  }
  fmt::print("{} training pairs, {} and {} words, {} parameters\n", data.train.size(),
             trainer.translator().source_vocabulary.size(),
             trainer.translator().target_vocabulary.size(),
             trainer.translator().model.parameter_count());
  std::fflush(stdout);
  const RunResult result = run(trainer, data, run_options);
  if (trainer.progress().skipped_updates > 0) {
    fmt::print(stderr, "{} updates were skipped: their gradients were not finite\n",
               trainer.progress().skipped_updates);
    if (2 * trainer.progress().skipped_updates > trainer.progress().updates) {
      throw Error(diverged);
    }
  }
  const std::optional<Rates> rates = rates_of(result.speed);
  if (result.end == RunEnd::interrupted || result.end == RunEnd::out_of_time) {
    fmt::print("stopped after update {}; go on with --resume {}\n", trainer.progress().updates,
               paths.model());
    if (rates) print(*rates);
    return result.end == RunEnd::interrupted ? ended_by_interrupt : 0;
  }
  if (result.end == RunEnd::no_gain) {
    fmt::print("stopped after update {}: {} validations without a better one\n",
               trainer.progress().updates, trainer.options().validation.patience);
  }
  take_best_parameters(trainer, paths.best());
  const Evaluation evaluation = evaluate(trainer.translator(), data.test, data.test_references,
                                         {.bleu = bleu_options_for(data)});
  print_evaluation(evaluation, data, trainer.progress().seconds);
  if (rates) print(*rates);
  if (!std::isfinite(evaluation.loss)) throw Error(diverged);
  write_results(run_options.folder, trainer, data, evaluation, rates);
  fmt::print("\nwritten: {0}/model.safetensors, {0}/report.html, {0}/metrics.json, {0}/log.jsonl\n",
             run_options.folder);
  return 0;
}

}  // namespace tensorette::translation
