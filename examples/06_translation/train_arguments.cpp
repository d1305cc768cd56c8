#include <fmt/format.h>

#include <memory>
#include <set>

#include "command_line.hpp"

namespace tensorette::translation {
namespace {

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

}  // namespace

void add_train(CLI::App& app, Request& request) {
  CLI::App* train = app.add_subcommand("train", "Train a translator, evaluate it, write a report");
  const auto command = std::make_shared<TrainCommand>();
  TrainingOptions& o = command->options;
  add_data_arguments(*train, o.data);
  train
      ->add_option("--epochs", command->epochs,
                   fmt::format("Passes over the pairs [{}; more for a small corpus]", o.epochs))
      ->check(positive());
  train->add_option("--batch-size", o.batch_size, "Pairs a batch")
      ->check(positive())
      ->capture_default_str();
  train->add_option("--learning-rate", o.learning_rate, "Highest learning rate")
      ->check(positive())
      ->capture_default_str();
  train->add_option("--warmup", o.warmup, "Updates until then")
      ->check(not_negative())
      ->capture_default_str();
  train->add_option("--dim", o.model.dim, "Width of a token vector")
      ->check(positive())
      ->capture_default_str();
  train->add_option("--heads", o.model.heads, "Attention heads of a layer")
      ->check(positive())
      ->capture_default_str();
  train->add_option("--decoder-heads", o.model.decoder_heads, "Those of the decoder; 0: as many")
      ->check(not_negative())
      ->capture_default_str();
  train->add_option("--encoder-layers", o.model.encoder_layers, "Layers of the encoder")
      ->check(positive())
      ->capture_default_str();
  train->add_option("--decoder-layers", o.model.decoder_layers, "Layers of the decoder")
      ->check(positive())
      ->capture_default_str();
  train->add_option("--hidden", o.model.hidden, "Width inside the feed-forward networks")
      ->check(positive())
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
      ->check(not_negative())
      ->capture_default_str();
  train->add_option("--seed", o.seed, "Seed of parameters, dropout and order")
      ->check(not_negative())
      ->capture_default_str();
  train->add_option("--threads", command->threads, "Threads; 0: as many as there are processors")
      ->check(not_negative())
      ->capture_default_str();
  train->add_option("--output", command->output,
                    "Folder for checkpoint, report and metrics [build/demo; with --resume the "
                    "checkpoint's folder]");
  train->add_option("--resume", command->resume, "Go on with a saved run; only --epochs may differ")
      ->option_text("CHECKPOINT");
  train->callback([train, command, &request] {
    refuse_beside_resume(*train);
    request = [command] { return tensorette::translation::train(*command); };
  });
}

}  // namespace tensorette::translation
