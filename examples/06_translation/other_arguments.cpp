#include <memory>

#include "command_line.hpp"

namespace tensorette::translation {
namespace {

void add_attention(CLI::App& app, Request& request) {
  const auto command = std::make_shared<AttentionCommand>();
  CLI::App* attention =
      app.add_subcommand("attention", "Show what each head of the encoder looks at");
  attention->add_option("line", command->line, "Sentence")->capture_default_str();
  attention->add_option("--checkpoint", command->checkpoint, "Trained model")
      ->capture_default_str();
  attention->add_option("--layer", command->layer, "One layer, counted from 1");
  attention->add_option("--head", command->head, "One head, counted from 1");
  auto* html =
      attention->add_option("--html", command->html, "Write a page with all attentions instead")
          ->option_text("FILE");
  attention
      ->add_option("--svg", command->svg,
                   "Draw what one word looks at in one head instead; without --layer and --head in "
                   "the last layer's head that is surest")
      ->option_text("FILE")
      ->excludes(html);
  attention->add_option("--word", command->word, "The word for --svg")->capture_default_str();
  attention->add_option("--grid", command->grid, "Draw all heads beside each other as one picture")
      ->option_text("FILE")
      ->excludes(html)
      ->excludes(attention->get_option("--svg"));
  attention
      ->add_flag("--rollout", command->rollout,
                 "Show what has come through all layers, instead of single heads")
      ->excludes(html)
      ->excludes(attention->get_option("--svg"))
      ->excludes(attention->get_option("--grid"));
  attention->add_flag("--untrained", command->untrained,
                      "With the parameters as they were before the training");
  attention->callback([command, &request] {
    request = [command] { return tensorette::translation::attention(*command); };
  });
}

void add_export(CLI::App& app, Request& request) {
  const auto command = std::make_shared<ExportCommand>();
  CLI::App* sub = app.add_subcommand(
      "export", "Write the weights alone, as a smaller file that translate reads");
  sub->add_option("--checkpoint", command->checkpoint, "Trained model")->capture_default_str();
  sub->add_option("--output", command->output, "File to write")
      ->option_text("FILE.safetensors")
      ->required();
  add_choice<StoredType>(
      *sub, "--type", command->type, "How numbers are stored: f32, or half as wide f16 or bf16",
      {{"f32", StoredType::f32}, {"f16", StoredType::f16}, {"bf16", StoredType::bf16}});
  sub->callback([command, &request] { request = [command] { return export_weights(*command); }; });
}

void add_curve(CLI::App& app, Request& request) {
  const auto command = std::make_shared<CurveCommand>();
  CLI::App* sub = app.add_subcommand("curve", "Draw how a training went, or several beside it");
  sub->add_option("logs", command->logs, "log.jsonl of each training")->capture_default_str();
  add_choice<LoggedValue>(*sub, "--of", command->value, "What is drawn",
                          {{"loss", LoggedValue::loss},
                           {"learning-rate", LoggedValue::learning_rate},
                           {"gradient-norm", LoggedValue::gradient_norm},
                           {"speed", LoggedValue::speed},
                           {"validation-loss", LoggedValue::validation_loss},
                           {"validation-bleu", LoggedValue::validation_bleu}});
  sub->add_flag("--by-update", command->by_update, "Along the updates instead of the minutes");
  sub->add_option("--svg", command->svg, "Write a picture instead of printing")
      ->option_text("FILE");
  sub->callback([command, &request] {
    request = [command] { return tensorette::translation::curve(*command); };
  });
}

}  // namespace

void add_others(CLI::App& app, Request& request) {
  add_translate(app, request);
  add_evaluate(app, request);
  add_score(app, request);
  add_compare(app, request);
  add_attention(app, request);
  add_export(app, request);
  add_curve(app, request);
}

}  // namespace tensorette::translation
