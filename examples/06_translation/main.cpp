// 06: translation. A Transformer learns English to French, and shows what it looks at.
//
// Run     bin/06_translation train                      the built-in corpus, about a minute
//         bin/06_translation translate "they stoned the witch"
//         bin/06_translation evaluate --json
//         bin/06_translation attention
// Leaves  build/demo/model.safetensors, report.html and metrics.json
#include <fmt/format.h>

#include <string>

#include "command_line.hpp"
#include "support/program.hpp"

namespace {

using namespace tensorette::translation;

// "train, translate or evaluate"
std::string names_of_subcommands(const CLI::App& app) {
  std::string names;
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) names += i + 1 == all.size() ? " or " : ", ";
    names += all[i]->get_name();
  }
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Translation with a small Transformer: train it, use it, look inside.");
  app.require_subcommand(0, 1);  // so that one which does not exist is named
  Request request;
  add_train(app, request);
  add_average(app, request);
  add_others(app, request);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help is no error; anything else is a wrong use of the program.
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!request) {
    fmt::print(stderr, "A subcommand is required: {}. Run with --help for more information.\n",
               names_of_subcommands(app));
    return 2;
  }
  return tensorette::pictures::run_program("06_translation", request);
}
