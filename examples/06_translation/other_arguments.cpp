#include <memory>

#include "command_line.hpp"

namespace tensorette::translation {
namespace {

void add_translate(CLI::App& app, Request& request) {
  const auto command = std::make_shared<TranslateCommand>();
  CLI::App* translate =
      app.add_subcommand("translate", "Translate arguments, or standard input line by line");
  translate->add_option("lines", command->lines, "Sentences");
  translate->add_option("--checkpoint", command->checkpoint, "Trained model")
      ->capture_default_str();
  translate->add_option("--beam", command->beam, "Hypotheses kept; 1 is greedy")
      ->check(positive())
      ->capture_default_str();
  translate->callback([command, &request] {
    request = [command] { return tensorette::translation::translate(*command); };
  });
}

void add_evaluate(CLI::App& app, Request& request) {
  const auto command = std::make_shared<EvaluateCommand>();
  CLI::App* evaluate = app.add_subcommand("evaluate", "Measure a trained model on held-out pairs");
  evaluate->add_option("--checkpoint", command->checkpoint, "Trained model")->capture_default_str();
  evaluate->add_option("--pairs", command->pairs, "Other pairs than those held out in training")
      ->option_text("FILE.tsv");
  evaluate->add_flag("--json", command->json, "Print the numbers as JSON");
  evaluate->callback([command, &request] {
    request = [command] { return tensorette::translation::evaluate(*command); };
  });
}

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
  attention->callback([command, &request] {
    request = [command] { return tensorette::translation::attention(*command); };
  });
}

}  // namespace

void add_others(CLI::App& app, Request& request) {
  add_translate(app, request);
  add_evaluate(app, request);
  add_attention(app, request);
}

}  // namespace tensorette::translation
