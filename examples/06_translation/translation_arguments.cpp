#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "command_line.hpp"

namespace tensorette::translation {
namespace {

// A wider beam finds nothing more and takes all the memory there is.
constexpr double widest_beam = 1'000;

CLI::Validator narrow_enough() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        const bool is_too_wide = std::strtod(text.c_str(), nullptr) > widest_beam;
        return is_too_wide ? fmt::format("must be at most {}, got {}", widest_beam, text) : "";
      },
      "");
}

void add_search_arguments(CLI::App& command, TranslateOptions& options) {
  command.add_option("--beam", options.beam, "Hypotheses kept; 1 is greedy")
      ->check(positive())
      ->check(narrow_enough())
      ->capture_default_str();
  command
      .add_option("--length-penalty", options.length_penalty,
                  "Exponent that favours longer translations; 0: none")
      ->capture_default_str();
  command
      .add_option("--max-length", options.max_length,
                  "Most tokens of a translation; 0: twice the sentence's and ten more")
      ->check(not_negative())
      ->capture_default_str();
  command.add_option("--batch-size", options.batch_size, "Sentences translated at once")
      ->check(positive())
      ->capture_default_str();
}

void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "Threads; 0: as many as there are processors")
      ->check(not_negative())
      ->capture_default_str();
}

void add_bleu_arguments(CLI::App& command, BleuOptions& options) {
  add_choice<BleuTokenizer>(command, "--bleu-tokenizer", options.tokenizer,
                            "How BLEU finds words: 13a, or none for text that is tokenized already",
                            {{"13a", BleuTokenizer::v13a}, {"none", BleuTokenizer::none}});
  add_choice<BleuSmoothing>(command, "--bleu-smoothing", options.smoothing,
                            "What BLEU takes for an order without a match",
                            {{"none", BleuSmoothing::none},
                             {"exp", BleuSmoothing::exponential},
                             {"floor", BleuSmoothing::floor},
                             {"add-k", BleuSmoothing::add_one}});
  command.add_flag("--bleu-lower-case", options.lowercase, "Let BLEU pass over capitals");
}

}  // namespace

void add_translate(CLI::App& app, Request& request) {
  const auto command = std::make_shared<TranslateCommand>();
  CLI::App* translate =
      app.add_subcommand("translate", "Translate arguments, or standard input line by line");
  translate->add_option("lines", command->lines, "Sentences");
  translate->add_option("--checkpoint", command->checkpoint, "Trained model")
      ->capture_default_str();
  add_search_arguments(*translate, command->options);
  translate
      ->add_option("--n-best", command->options.best,
                   "Translations of each line, at most --beam; above 1 the number of the line and "
                   "a tab stand before each")
      ->check(positive())
      ->capture_default_str();
  translate->add_flag("--scores", command->scores,
                      "Write the score and a tab before each translation: log probability divided "
                      "by the length penalty");
  translate->add_flag("--speed", command->speed,
                      "Say on standard error how fast it went; many lines always do");
  add_threads(*translate, command->threads);
  translate->footer(
      "Lines from standard input are translated together with others of like length, and written "
      "in their order; --batch-size 1 answers each at once.");
  translate->callback([command, &request] {
    if (command->options.best > command->options.beam) {
      throw CLI::ValidationError("--n-best",
                                 fmt::format("must be at most --beam, which is {}, got {}",
                                             command->options.beam, command->options.best));
    }
    request = [command] { return tensorette::translation::translate(*command); };
  });
}

void add_evaluate(CLI::App& app, Request& request) {
  const auto command = std::make_shared<EvaluateCommand>();
  CLI::App* evaluate = app.add_subcommand("evaluate", "Measure a trained model on held-out pairs");
  evaluate->add_option("--checkpoint", command->checkpoint, "Trained model")->capture_default_str();
  auto* pairs = evaluate
                    ->add_option("--pairs", command->pairs,
                                 "Other pairs than those held out in training, a table")
                    ->option_text("FILE.tsv");
  auto* source =
      evaluate->add_option("--source", command->source, "Or source sentences, one a line")
          ->option_text("FILE")
          ->excludes(pairs);
  auto* target = evaluate->add_option("--target", command->target, "and their translations")
                     ->option_text("FILE")
                     ->needs(source);
  source->needs(target);
  add_search_arguments(*evaluate, command->options.translation);
  add_bleu_arguments(*evaluate, command->options.bleu);
  evaluate
      ->add_option("--translations", command->translations, "Write the translations, one a line")
      ->option_text("FILE");
  evaluate->add_flag("--json", command->json, "Print the numbers as JSON");
  add_threads(*evaluate, command->threads);
  evaluate->callback([command, &request] {
    request = [command] { return tensorette::translation::evaluate(*command); };
  });
}

void add_score(CLI::App& app, Request& request) {
  const auto command = std::make_shared<ScoreCommand>();
  CLI::App* score = app.add_subcommand("score", "Measure a file of translations: BLEU and chrF");
  score->add_option("translations", command->translations, "Translations, one a line")
      ->option_text("FILE")
      ->required();
  score
      ->add_option("references", command->references,
                   "What they should be, line by line; several files: any of them will do")
      ->option_text("FILE ...")
      ->required();
  add_bleu_arguments(*score, command->bleu);
  score->add_flag("--json", command->json, "Print the numbers as JSON");
  score->callback([command, &request] {
    request = [command] { return tensorette::translation::score(*command); };
  });
}

void add_compare(CLI::App& app, Request& request) {
  const auto command = std::make_shared<CompareCommand>();
  CLI::App* compare = app.add_subcommand(
      "compare", "Tell whether one file of translations is better than another, or was lucky");
  compare->add_option("reference", command->reference, "What the translations should be")
      ->option_text("FILE")
      ->required();
  compare->add_option("first", command->first, "Translations of one system, line by line")
      ->option_text("FILE")
      ->required();
  compare->add_option("second", command->second, "Those of another")
      ->option_text("FILE")
      ->required();
  add_bleu_arguments(*compare, command->bleu);
  compare->add_option("--samples", command->bootstrap.samples, "Test sets drawn")
      ->check(positive())
      ->capture_default_str();
  compare->add_option("--seed", command->bootstrap.seed, "Seed of the draws")
      ->check(not_negative())
      ->capture_default_str();
  compare
      ->add_option("--confidence", command->bootstrap.confidence,
                   "Share of them that an interval holds")
      ->check(positive())
      ->capture_default_str();
  compare->add_flag("--json", command->json, "Print the numbers as JSON");
  compare->footer(
      "Test sets as large as the given one are drawn from it with repetition, and both systems "
      "scored on each. p is the share of them in which chance alone sets the systems as far apart "
      "as measured.");
  compare->callback([command, &request] {
    request = [command] { return tensorette::translation::compare(*command); };
  });
}

}  // namespace tensorette::translation
