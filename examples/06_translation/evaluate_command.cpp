#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <tensorette/tensor/parallel.hpp>

#include "chrf.hpp"
#include "commands.hpp"
#include "saved_model.hpp"
#include "support/atomic_file.hpp"

namespace tensorette::translation {
namespace {

void write_translations(const std::string& path, const Evaluation& evaluation) {
  std::string text;
  for (const Translation& translation : evaluation.translations) text += translation.text + "\n";
  pictures::write_file_atomically(path, text);
}

}  // namespace

int evaluate(const EvaluateCommand& command) {
  set_num_threads(command.threads);
  const nn::Checkpoint checkpoint = load_checkpoint(command.checkpoint);
  Translator translator = translator_in(checkpoint, command.checkpoint);
  const bool is_given = !command.pairs.empty() || !command.source.empty();
  DataOptions options =
      naming_file(command.checkpoint, [&] { return Trainer::options_in(checkpoint).data; });
  if (is_given) {
    options = {.pairs = command.pairs,
               .source = command.source,
               .target = command.target,
               .max_tokens = options.max_tokens};
  }
  const TrainingData data = load_data(options, translator.segmenters());
  report_problems(data);
  // Pairs that the user names are measured as they are; else it matters whether they were learned.
  const bool is_training_set = !is_given && data.test_is_train;
  const Evaluation evaluation =
      evaluate(translator, data.test, data.test_references, command.options);
  if (!command.translations.empty()) write_translations(command.translations, evaluation);
  nlohmann::json metrics = to_json(evaluation);
  metrics["chrf_signature"] = chrf_signature();
  metrics["translation_seconds"] = evaluation.translation_seconds;
  // An export keeps no record of its training.
  const auto progress = checkpoint.metadata.find("training_progress");
  if (progress != checkpoint.metadata.end()) {
    metrics["training_seconds"] = nlohmann::json::parse(progress->second).at("seconds");
  }
  metrics["pairs"] = is_training_set ? "training" : is_given ? "given" : "held-out";
  if (command.json) {
    fmt::print("{}\n", metrics.dump(2));
    return 0;
  }
  for (const auto& [name, value] : metrics.items()) {
    fmt::print("{:22} {}\n", name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return 0;
}

}  // namespace tensorette::translation
