#include <fmt/format.h>

#include <memory>
#include <set>

#include "command_line.hpp"

namespace tensorette::translation {
namespace {

// What a saved run has fixed: said beside --resume it would be passed over in silence.
void refuse_beside_resume(const CLI::App& train) {
  const std::set<std::string> free{"--help",       "--resume",    "--epochs",
                                   "--output",     "--threads",   "--minutes",
                                   "--save-every", "--log-every", "--keep-epochs"};
  for (const CLI::Option* option : train.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0 && !free.contains(name)) {
      throw CLI::ValidationError(name, "can't be changed with --resume: the saved run has its own");
    }
  }
}

// What only pairs of one's own have, and what only the built-in corpus has, said beside the other.
void refuse_for_other_data(const CLI::App& train) {
  const auto count = [&train](const char* name) { return train.get_option(name)->count(); };
  const bool has_files = count("--pairs") + count("--source") > 0;
  if (has_files) {
    for (const char* name : {"--train-pairs", "--test-size", "--guidance"}) {
      if (count(name) > 0) throw CLI::ValidationError(name, "is for the built-in corpus alone");
    }
    return;
  }
  for (const char* name : {"--valid-pairs", "--valid-source", "--test-pairs", "--test-source"}) {
    if (count(name) > 0) {
      throw CLI::ValidationError(name, "needs training pairs: --pairs, or --source and --target");
    }
  }
}

// What another option makes meaningless.
void refuse_without_effect(const CLI::App& train, const TrainingOptions& o) {
  const auto count = [&train](const char* name) { return train.get_option(name)->count(); };
  const bool has_pieces =
      o.data.tokenizer == TokenizerKind::bpe || o.data.tokenizer == TokenizerKind::unigram;
  if (count("--vocabulary-size") > 0 && !has_pieces) {
    throw CLI::ValidationError("--vocabulary-size", "is for --tokenizer bpe or unigram");
  }
  if (count("--batch-size") > 0 && o.batch_tokens > 0) {
    throw CLI::ValidationError("--batch-size", "has no effect beside --batch-tokens");
  }
  if (count("--valid-pairs") + count("--valid-source") > 0) return;
  for (const char* name : {"--validate-every", "--patience"}) {
    if (count(name) > 0) throw CLI::ValidationError(name, "needs validation pairs");
  }
}

void refuse_heads_that_do_not_divide(const nn::TransformerOptions& model) {
  const auto check = [&](const char* name, Index heads) {
    if (heads != 0 && model.dim % heads != 0) {
      throw CLI::ValidationError(name,
                                 fmt::format("{} heads do not divide --dim {}", heads, model.dim));
    }
  };
  check("--heads", model.heads);
  check("--decoder-heads", model.decoder_heads);
}

void add_model_arguments(CLI::App& train, nn::TransformerOptions& model) {
  train.add_option("--dim", model.dim, "Width of a token vector")
      ->check(positive())
      ->capture_default_str();
  train.add_option("--heads", model.heads, "Attention heads of a layer")
      ->check(positive())
      ->capture_default_str();
  train.add_option("--decoder-heads", model.decoder_heads, "Those of the decoder; 0: as many")
      ->check(not_negative())
      ->capture_default_str();
  train.add_option("--encoder-layers", model.encoder_layers, "Layers of the encoder")
      ->check(positive())
      ->capture_default_str();
  train.add_option("--decoder-layers", model.decoder_layers, "Layers of the decoder")
      ->check(positive())
      ->capture_default_str();
  train.add_option("--hidden", model.hidden, "Width inside the feed-forward networks")
      ->check(positive())
      ->capture_default_str();
  add_choice(train, "--activation", model.activation,
             "What stands between the two maps of a feed-forward network",
             {{"relu", nn::Activation::relu},
              {"gelu", nn::Activation::gelu},
              {"silu", nn::Activation::silu}});
  train.add_option("--dropout", model.dropout, "Probability of dropping a number")
      ->check(probability())
      ->capture_default_str();
  train
      .add_option("--attention-dropout", model.attention_dropout,
                  "Probability of dropping an attention score")
      ->check(probability())
      ->capture_default_str();
  train
      .add_option("--activation-dropout", model.activation_dropout,
                  "Probability of dropping a number inside the feed-forward networks")
      ->check(probability())
      ->capture_default_str();
  add_choice(train, "--positions", model.positions,
             "How a token's place is told: by fixed sines, or by vectors that are learned",
             {{"sinusoidal", nn::Positions::sinusoidal}, {"learned", nn::Positions::learned}});
  add_choice(train, "--norm", model.norm_first,
             "Layer norm before each part of a layer or behind it",
             {{"pre", true}, {"post", false}});
  train
      .add_option("--residual-gain", model.residual_gain,
                  "Initial size of the weights that write to the residual stream, as a part of "
                  "Xavier's; 1/sqrt(parts of a stack) learns faster at the beginning")
      ->check(not_negative())
      ->capture_default_str();
  add_choice(train, "--tied", model.tied,
             "Embeddings that are one matrix: the target's and the output's, or the source's too, "
             "which takes a joint vocabulary",
             {{"none", nn::TiedEmbeddings::none},
              {"output", nn::TiedEmbeddings::output},
              {"all", nn::TiedEmbeddings::all}});
}

void add_optimizer_arguments(CLI::App& train, TrainingOptions& o) {
  train.add_option("--learning-rate", o.learning_rate, "Highest learning rate")
      ->check(positive())
      ->capture_default_str();
  train.add_option("--beta2", o.beta2, "Adam's decay of the mean squared gradient")
      ->check(decay())
      ->capture_default_str();
  train.add_option("--warmup", o.warmup, "Updates until then; at most an eighth of all")
      ->check(not_negative())
      ->capture_default_str();
  add_choice(
      train, "--schedule", o.schedule,
      "How the learning rate falls: to almost nothing at the last epoch, with the root of the "
      "updates, or not at all",
      {{"cosine", RateSchedule::cosine},
       {"inverse-sqrt", RateSchedule::inverse_square_root},
       {"constant", RateSchedule::constant}});
  train
      .add_option("--label-smoothing", o.label_smoothing,
                  "Share of each label that is spread over all words")
      ->check(probability())
      ->capture_default_str();
  train.add_option("--clip-norm", o.clip_norm, "Largest norm of the gradients of an update")
      ->check(positive())
      ->capture_default_str();
  CLI::Option* const average =
      train
          .add_option("--average", o.average_decay,
                      "Decay of a moving average of the parameters, such as 0.999: it is what is "
                      "validated and used; 0: none")
          ->check(decay())
          ->capture_default_str();
  train
      .add_option("--average-share", o.average_share,
                  "Share of the updates so far that the moving average reaches back over at most")
      ->check(share())
      ->needs(average)
      ->capture_default_str();
  train
      .add_option(
          "--guidance", o.guidance,
          "Weight of teaching one head where \"it\" points (built-in corpus); 0: no teaching")
      ->check(not_negative())
      ->capture_default_str();
  train.add_option("--seed", o.seed, "Seed of parameters, dropout and order")
      ->check(not_negative())
      ->capture_default_str();
}

void add_validation_arguments(CLI::App& train, ValidationOptions& validation) {
  train
      .add_option("--validate-every", validation.every,
                  "Updates between looks at the validation pairs; 0: an epoch")
      ->check(not_negative())
      ->capture_default_str();
  train.add_flag("--validation-bleu,!--no-validation-bleu", validation.bleu,
                 "Translate the validation pairs too, and choose the best by BLEU [yes]");
  train
      .add_option("--patience", validation.patience,
                  "Stop after so many validations without a better one; 0: never")
      ->check(not_negative())
      ->capture_default_str();
}

void add_run_arguments(CLI::App& train, TrainCommand& command) {
  train.add_option("--threads", command.threads, "Threads; 0: as many as there are processors")
      ->check(not_negative())
      ->capture_default_str();
  train
      .add_option("--minutes", command.run.minutes,
                  "Save and stop after so long; 0: when all epochs are done")
      ->check(not_negative())
      ->capture_default_str();
  train.add_option("--save-every", command.run.save_every, "Seconds between saves within an epoch")
      ->check(not_negative())
      ->capture_default_str();
  train.add_option("--log-every", command.run.log_every, "Updates a line of log.jsonl sums up")
      ->check(positive())
      ->capture_default_str();
  train
      .add_option("--keep-epochs", command.run.keep_epochs,
                  "Latest epochs whose parameters stay as files, for the command average")
      ->check(not_negative())
      ->capture_default_str();
  train.add_option("--output", command.output,
                   "Folder for checkpoints, log, report and metrics [build/demo; with --resume the "
                   "checkpoint's folder]");
  train
      .add_option("--resume", command.resume,
                  "Go on with a saved run, whose options hold; only --epochs and those from "
                  "--threads to here may differ")
      ->option_text("CHECKPOINT");
}

}  // namespace

void add_train(CLI::App& app, Request& request) {
  const auto command = std::make_shared<TrainCommand>();
  CLI::App* train = app.add_subcommand("train", "Train a translator, evaluate it, write a report");
  TrainingOptions& o = command->options;
  add_data_arguments(*train, o.data);
  train
      ->add_option("--epochs", command->epochs,
                   fmt::format("Passes over the pairs [{}; more for a small corpus]", o.epochs))
      ->check(positive())
      ->check(CLI::Range(1, 1'000'000));
  train->add_option("--batch-size", o.batch_size, "Pairs a batch")
      ->check(positive())
      ->capture_default_str();
  train
      ->add_option(
          "--batch-tokens", o.batch_tokens,
          "Instead of so many pairs as many as fit into so many tokens of the longer side, "
          "padding included; 0: by pairs")
      ->check(not_negative())
      ->capture_default_str();
  train->add_option("--accumulate", o.accumulate, "Batches an update")
      ->check(positive())
      ->capture_default_str();
  add_model_arguments(*train, o.model);
  add_optimizer_arguments(*train, o);
  add_validation_arguments(*train, o.validation);
  add_run_arguments(*train, *command);
  app.set_config("--config", "",
                 "Read options from FILE: a section [train], then lines of key = value")
      ->option_text("FILE");
  app.allow_config_extras(CLI::config_extras_mode::error);
  train->fallthrough();  // so that --config may stand behind the subcommand's name too
  train->footer(
      "With --config FILE options are read from a file: a line [train], then lines of "
      "key = value. What is said on the command line comes first.");
  train->callback([train, command, &request] {
    if (train->get_option("--resume")->count() > 0) {
      refuse_beside_resume(*train);
    } else {
      refuse_for_other_data(*train);
      refuse_without_effect(*train, command->options);
      refuse_heads_that_do_not_divide(command->options.model);
    }
    request = [command] { return tensorette::translation::train(*command); };
  });
}

}  // namespace tensorette::translation
