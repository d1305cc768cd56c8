#include <fmt/format.h>

#include <string>

#include "command_line.hpp"
#include "support/program.hpp"

namespace tensorette::translation {
namespace {

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

int run_command_line(int argc, char** argv) {
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
  return pictures::run_program("06_translation", request);
}

}  // namespace tensorette::translation
