// 06: translation. A Transformer learns English to French, and shows what it looks at.
//
// Run     bin/06_translation train                      the built-in corpus, about a minute
//         bin/06_translation translate "they stoned the witch"
//         bin/06_translation evaluate --json
//         bin/06_translation attention
// Leaves  build/demo/model.safetensors, report.html and metrics.json
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <new>
#include <set>
#include <tensorette/tensor/parallel.hpp>

#include "commands.hpp"

namespace {

using namespace tensorette::translation;

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

const CLI::Validator positive = number("positive", [](double value) { return value > 0; });
const CLI::Validator not_negative =
    number("0 or positive", [](double value) { return value >= 0; });

void add_train(CLI::App& app, TrainCommand& command, int& threads) {
  CLI::App* train = app.add_subcommand("train", "Train a translator, evaluate it, write a report");
  TrainingOptions& o = command.options;
  auto* pairs =
      train->add_option("--pairs", o.data.pairs, "Table of pairs, a pair a line, tab between")
          ->option_text("FILE.tsv");
  auto* source = train->add_option("--source", o.data.source, "Source sentences, one a line")
                     ->option_text("FILE")
                     ->excludes(pairs);
  train->add_option("--target", o.data.target, "Their translations, line by line")
      ->option_text("FILE")
      ->needs(source);
  source->needs(train->get_option("--target"));
  train
      ->add_option("--test-pairs", o.data.test_pairs,
                   "Held-out pairs to evaluate on, not the training pairs")
      ->option_text("FILE.tsv");
  train->add_option("--min-frequency", o.data.min_frequency, "Rarer words are unknown")
      ->check(positive)
      ->capture_default_str();
  train->add_option("--train-pairs", o.data.train_pairs, "Pairs of the built-in corpus")
      ->check(positive)
      ->capture_default_str();
  train->add_option("--test-size", o.data.test_size, "Held-out pairs of the built-in corpus")
      ->check(positive)
      ->capture_default_str();
  train
      ->add_option("--epochs", command.epochs,
                   fmt::format("Passes over the pairs [{}; more for a small corpus]", o.epochs))
      ->check(positive);
  train->add_option("--batch-size", o.batch_size, "Pairs a batch")
      ->check(positive)
      ->capture_default_str();
  train->add_option("--learning-rate", o.learning_rate, "Highest learning rate")
      ->check(positive)
      ->capture_default_str();
  train->add_option("--warmup", o.warmup, "Updates until then")
      ->check(not_negative)
      ->capture_default_str();
  train->add_option("--dim", o.model.dim, "Width of a token vector")
      ->check(positive)
      ->capture_default_str();
  train->add_option("--heads", o.model.heads, "Attention heads of a layer")
      ->check(positive)
      ->capture_default_str();
  train->add_option("--decoder-heads", o.model.decoder_heads, "Those of the decoder; 0: as many")
      ->check(not_negative)
      ->capture_default_str();
  train->add_option("--encoder-layers", o.model.encoder_layers, "Layers of the encoder")
      ->check(positive)
      ->capture_default_str();
  train->add_option("--decoder-layers", o.model.decoder_layers, "Layers of the decoder")
      ->check(positive)
      ->capture_default_str();
  train->add_option("--hidden", o.model.hidden, "Width inside the feed-forward networks")
      ->check(positive)
      ->capture_default_str();
  train->add_option("--dropout", o.model.dropout, "Probability of dropping a number")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  train
      ->add_option("--attention-dropout", o.model.attention_dropout,
                   "Probability of dropping an attention score")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  train
      ->add_option(
          "--guidance", o.guidance,
          "Weight of teaching one head where \"it\" points (built-in corpus); 0: no teaching")
      ->check(not_negative)
      ->capture_default_str();
  train->add_option("--seed", o.seed, "Seed of parameters, dropout and order")
      ->check(not_negative)
      ->capture_default_str();
  train->add_option("--threads", threads, "Threads; 0: as many as there are processors")
      ->check(not_negative)
      ->capture_default_str();
  train->add_option("--output", command.output,
                    "Folder for checkpoint, report and metrics [build/demo; with --resume the "
                    "checkpoint's folder]");
  train->add_option("--resume", command.resume, "Go on with a saved run; only --epochs may differ")
      ->option_text("CHECKPOINT");
}

// What a saved run has fixed: said beside --resume it would be passed over in silence.
void refuse_beside_resume(const CLI::App& train) {
  if (train.get_option("--resume")->count() == 0) return;
  const std::set<std::string> free{"--help", "--resume", "--epochs", "--output", "--threads"};
  for (const CLI::Option* option : train.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0 && !free.contains(name)) {
      throw CLI::ValidationError(name, "can't be changed with --resume: the saved run has its own");
    }
  }
}

void add_translate(CLI::App& app, TranslateCommand& command) {
  CLI::App* translate =
      app.add_subcommand("translate", "Translate arguments, or standard input line by line");
  translate->add_option("lines", command.lines, "Sentences");
  translate->add_option("--checkpoint", command.checkpoint, "Trained model")->capture_default_str();
  translate->add_option("--beam", command.beam, "Hypotheses kept; 1 is greedy")
      ->check(positive)
      ->capture_default_str();
}

void add_evaluate(CLI::App& app, EvaluateCommand& command) {
  CLI::App* evaluate = app.add_subcommand("evaluate", "Measure a trained model on held-out pairs");
  evaluate->add_option("--checkpoint", command.checkpoint, "Trained model")->capture_default_str();
  evaluate->add_option("--pairs", command.pairs, "Other pairs than those held out in training")
      ->option_text("FILE.tsv");
  evaluate->add_flag("--json", command.json, "Print the numbers as JSON");
}

void add_attention(CLI::App& app, AttentionCommand& command) {
  CLI::App* attention =
      app.add_subcommand("attention", "Show what each head of the encoder looks at");
  attention->add_option("line", command.line, "Sentence")->capture_default_str();
  attention->add_option("--checkpoint", command.checkpoint, "Trained model")->capture_default_str();
  attention->add_option("--layer", command.layer, "One layer, counted from 1");
  attention->add_option("--head", command.head, "One head, counted from 1");
  auto* html =
      attention->add_option("--html", command.html, "Write a page with all attentions instead")
          ->option_text("FILE");
  attention
      ->add_option("--svg", command.svg,
                   "Draw what one word looks at in one head instead; without --layer and --head in "
                   "the last layer's head that is surest")
      ->option_text("FILE")
      ->excludes(html);
  attention->add_option("--word", command.word, "The word for --svg")->capture_default_str();
}

int run(const CLI::App& app, TrainCommand& training, const TranslateCommand& translation,
        const EvaluateCommand& evaluation, const AttentionCommand& look, int threads) {
  tensorette::set_num_threads(threads);
  if (app.got_subcommand("translate")) return translate(translation);
  if (app.got_subcommand("evaluate")) return evaluate(evaluation);
  if (app.got_subcommand("attention")) return attention(look);
  if (training.epochs) training.options.epochs = *training.epochs;
  return train(training);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Translation with a small Transformer: train it, use it, look inside.");
  app.require_subcommand(0, 1);  // so that one which does not exist is named
  TrainCommand training;
  TranslateCommand translation;
  EvaluateCommand evaluation;
  AttentionCommand look;
  int threads = 0;
  add_train(app, training, threads);
  add_translate(app, translation);
  add_evaluate(app, evaluation);
  add_attention(app, look);
  try {
    app.parse(argc, argv);
    if (app.got_subcommand("train")) refuse_beside_resume(*app.get_subcommand("train"));
  } catch (const CLI::ParseError& error) {
    // Help is no error; anything else is a wrong use of the program.
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (app.get_subcommands().empty()) {
    fmt::print(stderr,
               "A subcommand is required: train, translate, evaluate or attention. "
               "Run with --help for more information.\n");
    return 2;
  }
  try {
    return run(app, training, translation, evaluation, look, threads);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "06_translation: there is not enough memory for a model of this size\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "06_translation: {}\n", error.what());
  }
  return 1;
}
