#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "demo_report.hpp"
#include "support/atomic_file.hpp"
#include "support/attention_grid.hpp"
#include "support/heat_map_text.hpp"
#include "support/html.hpp"

namespace tensorette::translation {
namespace {

Translator load_translator(const std::string& path) {
  Translator translator = Translator::from_checkpoint(nn::Checkpoint::load(path));
  translator.model.eval();
  return translator;
}

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
  const nn::Checkpoint checkpoint = nn::Checkpoint::load(command.checkpoint);
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

int attention(const AttentionCommand& command) {
  const Translator translator = load_translator(command.checkpoint);
  const SentencePicture picture = picture_of(translator, command.line);
  const auto& encoder = picture.encoder;
  const auto chosen = [](const std::optional<Index>& said, std::size_t count, const char* what) {
    if (!said) return std::pair<std::size_t, std::size_t>{0, count};
    if (*said < 1 || *said > static_cast<Index>(count)) {
      throw Error(fmt::format("there is no {} {}: the model has {}", what, *said, count));
    }
    return std::pair<std::size_t, std::size_t>{static_cast<std::size_t>(*said) - 1,
                                               static_cast<std::size_t>(*said)};
  };
  const auto [first_layer, last_layer] = chosen(command.layer, encoder.layers, "layer");
  const auto [first_head, last_head] = chosen(command.head, encoder.heads, "head");
  if (!command.html.empty()) {
    const std::string body = pictures::attention_grid_html(
                                 encoder, "encoder", {.layer = first_layer, .head = first_head}) +
                             pictures::attention_grid_html(picture.decoder, "decoder") +
                             pictures::attention_grid_html(picture.cross, "cross");
    pictures::write_file_atomically(command.html,
                                    pictures::html_page({.title = command.line, .body = body}));
    fmt::print("written: {}\n", command.html);
    return 0;
  }
  const pictures::Terminal terminal = pictures::detect_terminal(STDOUT_FILENO);
  for (std::size_t layer = first_layer; layer < last_layer; ++layer) {
    for (std::size_t head = first_head; head < last_head; ++head) {
      fmt::print("{}\n",
                 pictures::heat_map_text(pictures::head_map(encoder, layer, head), terminal));
    }
  }
  fmt::print("→ {}\n", picture.translation.text);
  return 0;
}

}  // namespace tensorette::translation
