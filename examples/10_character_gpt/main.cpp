// 10: a character-level GPT. A small Transformer reads a text, learns which character comes next,
// and then writes on its own, a character at a time.
//
// Nobody tells it what a word is. It finds out in this order: how often each character occurs,
// which follow each other, words, and which words follow each other.
//
// Run     bin/10_character_gpt                                   (half a minute)
//         bin/10_character_gpt --prompt "The wolf " --temperature 1
//         bin/10_character_gpt --text FILE --steps 3000 --dim 128 --save FILE
//         bin/10_character_gpt --load FILE                       write on, without training
// Shows   MultiHeadSelfAttention with a causal mask, LearnedPosition, AdamW, schedules, clipping,
//         key/value caches, sampling with temperature and top-k, checkpoints
// Read    text.hpp, gpt.hpp, trainer.hpp, sampling.hpp
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <support/program.hpp>
#include <support/progress_bar.hpp>
#include <tensorette/nn/checkpoint.hpp>

#include "gpt.hpp"
#include "sampling.hpp"
#include "text.hpp"
#include "trainer.hpp"

namespace {

using namespace tensorette::character_gpt;
namespace nn = tensorette::nn;
using tensorette::Generator;
using tensorette::Index;

struct Command {
  std::string text{};
  std::string load{};
  std::string save{};
  std::string prompt{};
  Index length = 600;
  GptOptions model{};
  TrainingOptions training{};
  SamplingOptions sampling{};
};

// A model and the characters it knows.
struct Writer {
  Alphabet alphabet;
  Gpt model;
};

Writer load_writer(const std::string& path) {
  const nn::Checkpoint checkpoint = nn::Checkpoint::load(path);
  const Alphabet alphabet(checkpoint.at("characters"));
  GptOptions options{.characters = alphabet.size()};
  try {
    const auto json = nlohmann::json::parse(checkpoint.at("model"));
    json.at("context").get_to(options.context);
    json.at("dim").get_to(options.dim);
    json.at("heads").get_to(options.heads);
    json.at("blocks").get_to(options.blocks);
  } catch (const nlohmann::json::exception& error) {
    throw tensorette::FormatError(
        fmt::format("{}: its sizes can't be read: {}", path, error.what()));
  }
  Generator generator;
  Writer writer{alphabet, Gpt(options, generator)};
  checkpoint.restore(writer.model);
  writer.model.eval();
  return writer;
}

void save_writer(const Writer& writer, const std::string& path) {
  const GptOptions& o = writer.model.options();
  nn::Checkpoint checkpoint;
  checkpoint.put(writer.model);
  checkpoint.metadata["characters"] = writer.alphabet.characters();
  checkpoint.metadata["model"] = nlohmann::json{
      {"context", o.context},
      {"dim", o.dim},
      {"heads", o.heads},
      {"blocks", o.blocks}}.dump();
  checkpoint.save(path);
  fmt::print("written: {}\n", path);
}

void print_losses(const std::vector<Losses>& records, Index characters) {
  fmt::print("\nloss per character, in nats; {:.2f} would be guessing without a clue\n",
             std::log(static_cast<double>(characters)));
  fmt::print("  update   training   held out\n");
  for (const Losses& losses : records) {
    const std::string training = losses.step == 0 ? "" : fmt::format("{:.3f}", losses.training);
    fmt::print("  {:6} {:>10} {:10.3f}\n", losses.step, training, losses.held_out);
  }
}

Writer train_writer(const Command& command, const std::string& text) {
  const Alphabet alphabet(text);
  const SplitText split = split_text(alphabet.encode(text), command.model.context);
  GptOptions options = command.model;
  options.characters = alphabet.size();
  Generator generator(command.training.seed);
  Writer writer{alphabet, Gpt(options, generator)};
  fmt::print("{} characters, {} different ones, the last {} held out; {} parameters\n",
             split.training.size() + split.held_out.size(), alphabet.size(), split.held_out.size(),
             writer.model.parameter_count());
  std::fflush(stdout);

  tensorette::pictures::ProgressBar bar({.label = "training", .total = command.training.steps});
  const Index characters = command.training.batch * options.context;
  const auto records = train(writer.model, split, command.training,
                             [&](Index step, double loss, const Losses& latest) {
                               bar.relabel(fmt::format("held out {:.3f}", latest.held_out));
                               bar.update(step, {.loss = loss, .tokens = step * characters});
                             });
  bar.finish();
  print_losses(records, alphabet.size());
  return writer;
}

// Without a prompt, the beginning of a line.
std::vector<Index> beginning(const Command& command, const Alphabet& alphabet) {
  if (!command.prompt.empty()) return alphabet.encode(command.prompt);
  const bool has_lines = alphabet.characters().find('\n') != std::string::npos;
  return has_lines ? alphabet.encode("\n") : std::vector<Index>{0};
}

std::string print_writing(const Command& command, const Writer& writer) {
  Generator generator(command.training.seed, 2);
  fmt::print("\n{}", command.prompt);
  const std::vector<Index> written =
      write_on(writer.model, beginning(command, writer.alphabet), command.length, command.sampling,
               generator, [&](Index character) {
                 fmt::print("{}", writer.alphabet.decode({character}));
                 std::fflush(stdout);
               });
  fmt::print("\n");
  return command.prompt + writer.alphabet.decode(written);
}

void run(const Command& command) {
  if (!command.load.empty()) {
    print_writing(command, load_writer(command.load));
    return;
  }
  const std::string text = command.text.empty() ? fables() : read_text(command.text);
  static_cast<void>(beginning(command, Alphabet(text)));  // a bad prompt is known before training
  const Writer writer = train_writer(command, text);
  const std::string writing = print_writing(command, writer);
  const KnownWords words = known_words(writing, text);
  fmt::print("\n{} of its {} words are words of the text\n", words.known, words.all);
  if (!command.save.empty()) save_writer(writer, command.save);
}

// Says what is wanted; CLI11's own check of a sign names the largest number there is.
CLI::Validator number(const char* wanted, bool (*fits)(double)) {
  return CLI::Validator(
      [wanted, fits](std::string& text) -> std::string {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (end != text.c_str() && *end == '\0' && fits(value)) return "";
        return fmt::format("must be {}, got {}", wanted, text);
      },
      "");
}

void add_options(CLI::App& app, Command& command) {
  const auto positive = number("positive", [](double v) { return v > 0 && std::isfinite(v); });
  const auto not_negative =
      number("0 or positive", [](double v) { return v >= 0 && std::isfinite(v); });
  const auto probability = number("in [0, 1)", [](double v) { return v >= 0 && v < 1; });
  const auto add = [&](const char* name, auto& value, const char* text, const CLI::Validator& is) {
    return app.add_option(name, value, text)->check(is)->capture_default_str();
  };
  auto* load =
      app.add_option("--load", command.load, "Write on with a saved model")->option_text("FILE");
  app.add_option("--text", command.text, "The text to learn, UTF-8 [fourteen fables]")
      ->option_text("FILE")
      ->excludes(load);
  app.add_option("--save", command.save, "Keep the model")->option_text("FILE")->excludes(load);
  app.add_option("--prompt", command.prompt, "What to write on behind [a new line]");
  add("--length", command.length, "Characters to write", not_negative);
  add("--temperature", command.sampling.temperature,
      "Below 1 surer, above 1 bolder; 0: always the most probable character", not_negative);
  add("--top-k", command.sampling.top_k, "Draw from the k most probable characters; 0: from all",
      not_negative);
  add("--seed", command.training.seed, "Of parameters, windows and drawn characters", not_negative);
  const auto of_training = [&](CLI::Option* option) { option->excludes(load); };
  of_training(add("--steps", command.training.steps, "Updates", positive));
  of_training(add("--batch", command.training.batch, "Windows of text an update", positive));
  of_training(add("--learning-rate", command.training.learning_rate, "Highest", positive));
  of_training(add("--context", command.model.context, "Characters that are looked at", positive));
  of_training(add("--dim", command.model.dim, "Width of a character's vector", positive));
  of_training(add("--heads", command.model.heads, "Attention heads of a block", positive));
  of_training(add("--blocks", command.model.blocks, "Transformer blocks", positive));
  of_training(add("--dropout", command.model.dropout, "Probability of dropping", probability));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A small GPT: learns a text character by character, and writes on.");
  Command command;
  add_options(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help is no error; anything else is a wrong use of the program.
    return app.exit(error) == 0 ? 0 : 2;
  }
  return tensorette::pictures::run_program("10_character_gpt", [&command] {
    run(command);
    return 0;
  });
}

// Output (what is drawn differs from machine to machine; long lines are broken here)
//
//     6647 characters, 45 different ones, the last 664 held out; 155053 parameters
//
//     loss per character, in nats; 3.81 would be guessing without a clue
//       update   training   held out
//            0                 4.483
//          150      2.776      2.344
//          300      2.060      1.952
//          450      1.741      1.792
//          600      1.485      1.753
//          750      1.289      1.736
//          900      1.132      1.772
//         1050      1.011      1.734
//         1200      0.909      1.712
//         1350      0.829      1.751
//         1500      0.793      1.750
//
//     The wolf!" The wolf!" said the ant. "The tortoise are sat had a no goose, and no golden egg
//     her and said: "There is," said the mouse and all summer
//     Iee could not reach them. The wint
//     water a to the came, and he wind, he little frog the and took a stone, and the mouse
//     ouse and the birds. "Am I as large as as hung, and the mouse ran in the water.
//
//     The wind the crow cate was lat the harg. The ran is no wolf, and he looked after have his
//     bidge. The wanted to eat it, and he tortoise and the cricket. The wanted to eat, and he
//     large hed a tortoise.
//
//     The wants tiful you are," said the ant. "What day I
//
//     118 of its 127 words are words of the text
