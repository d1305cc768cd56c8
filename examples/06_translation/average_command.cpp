#include <fmt/format.h>

#include <memory>
#include <tensorette/nn/checkpoint.hpp>

#include "command_line.hpp"

namespace tensorette::translation {
namespace {

int average(const std::vector<std::string>& paths, const std::string& output) {
  std::vector<nn::Checkpoint> checkpoints;
  for (const std::string& path : paths) checkpoints.push_back(nn::Checkpoint::load(path));
  nn::Checkpoint mean = nn::Checkpoint::average(checkpoints);
  mean.drop_training_state();
  mean.save(output);
  fmt::print("written: {}, the mean of {} models\n", output, paths.size());
  return 0;
}

}  // namespace

void add_average(CLI::App& app, Request& request) {
  struct Command {
    std::vector<std::string> checkpoints{};
    std::string output{};
  };
  const auto command = std::make_shared<Command>();
  CLI::App* average = app.add_subcommand(
      "average", "Make one model of several of a run, such as those of its last epochs");
  average->add_option("checkpoints", command->checkpoints, "Models; the last one gives the rest")
      ->required();
  average->add_option("--output", command->output, "The mean of their parameters")
      ->option_text("FILE")
      ->required();
  average->callback([command, &request] {
    request = [command] {
      return tensorette::translation::average(command->checkpoints, command->output);
    };
  });
}

}  // namespace tensorette::translation
