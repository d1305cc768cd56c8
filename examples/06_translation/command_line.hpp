/// \file
/// What may stand on the command line: the options of each subcommand in a file of their own.
/// Before: commands.hpp. Next: command_line.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"

namespace tensorette::translation {

/// What the command line asked for; gives the exit code. Empty: no subcommand was named.
using Request = std::function<int()>;

/// The subcommand `train` (train_arguments.cpp). As the others below it fills `request` once its
/// arguments have been read.
void add_train(CLI::App& app, Request& request);
/// Where the sentences of a training come from, and how they are cut (data_arguments.cpp).
void add_data_arguments(CLI::App& train, DataOptions& data);

/// The subcommand `average` (average_command.cpp).
void add_average(CLI::App& app, Request& request);

/// The subcommands for a trained model and for what it wrote (other_arguments.cpp).
void add_others(CLI::App& app, Request& request);
/// Translating, and measuring how well (translation_arguments.cpp).
void add_translate(CLI::App& app, Request& request);
void add_evaluate(CLI::App& app, Request& request);
void add_score(CLI::App& app, Request& request);
void add_compare(CLI::App& app, Request& request);

/// An option that takes one of these names: help shows them and which holds, and where another was
/// given it says which there are.
template <class Value>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Value& value,
                        const std::string& description,
                        const std::vector<std::pair<std::string, Value>>& choices) {
  std::string names;
  std::string now;
  for (const auto& [choice, chosen] : choices) {
    names += (names.empty() ? "" : ", ") + choice;
    if (chosen == value) now = choice;
  }
  const auto choose = [name, &value, choices, names](const std::string& given) {
    for (const auto& [choice, chosen] : choices) {
      if (choice == given) {
        value = chosen;
        return;
      }
    }
    throw CLI::ValidationError(name, "must be one of " + names + ", got " + given);
  };
  return command.add_option_function<std::string>(name, choose, description)
      ->option_text("{" + names + "} [" + now + "]");
}

/// Accepts numbers above 0, and says so where one is not.
[[nodiscard]] const CLI::Validator& positive();
/// Accepts 0 and above.
[[nodiscard]] const CLI::Validator& not_negative();
/// Accepts 0 to 1.
[[nodiscard]] const CLI::Validator& probability();
/// Of an exponential average: the part of it that an update keeps.
[[nodiscard]] const CLI::Validator& decay();
[[nodiscard]] const CLI::Validator& share();

}  // namespace tensorette::translation
