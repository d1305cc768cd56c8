#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "evaluation.hpp"
#include "saved_model.hpp"
#include "trainer.hpp"

namespace tensorette::translation {
namespace {

// One output line for each input line, whatever it holds.
std::string translated(const Translator& translator, const std::string& line, Index beam,
                       Index number) {
  try {
    const Translation result = translator.translate({line}, beam).front();
    if (result.is_cut_off) {
      fmt::print(stderr, "line {}: the translation was cut off after {} tokens\n", number,
                 result.tokens.size());
    }
    return result.text;
  } catch (const Error& error) {
    fmt::print(stderr, "line {}: {}\n", number, error.what());
    return "";
  }
}

}  // namespace

int translate(const TranslateCommand& command) {
  const Translator translator = load_translator(command.checkpoint);
  Index number = 0;
  const auto print = [&](const std::string& line) {
    fmt::print("{}\n", translated(translator, line, command.beam, ++number));
    std::fflush(stdout);
  };
  for (const std::string& line : command.lines) print(line);
  if (!command.lines.empty()) return 0;
  for (std::string line; std::getline(std::cin, line);) {
    if (number == 0 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // byte order mark
    if (!line.empty() && line.back() == '\r') line.pop_back();
    print(line);
  }
  return 0;
}

int evaluate(const EvaluateCommand& command) {
  const nn::Checkpoint checkpoint = load_checkpoint(command.checkpoint);
  Translator translator = Translator::from_checkpoint(checkpoint);
  DataOptions options = Trainer::options_in(checkpoint).data;
  if (!command.pairs.empty()) {
    options = {.pairs = command.pairs, .max_tokens = options.max_tokens};
  }
  const TrainingData data = load_data(options);
  report_problems(data);
  // Pairs that the user names are measured as they are; else it matters whether they were learned.
  const bool is_training_set = command.pairs.empty() && data.test_is_train;
  const Evaluation evaluation = evaluate(translator, data.test);
  nlohmann::json metrics = to_json(evaluation);
  const auto progress = nlohmann::json::parse(checkpoint.at("training_progress"));
  metrics["training_seconds"] = progress.at("seconds");
  metrics["pairs"] = is_training_set ? "training" : command.pairs.empty() ? "held-out" : "given";
  if (command.json) {
    fmt::print("{}\n", metrics.dump(2));
    return 0;
  }
  for (const auto& [name, value] : metrics.items()) fmt::print("{:22} {}\n", name, value.dump());
  return 0;
}

}  // namespace tensorette::translation
