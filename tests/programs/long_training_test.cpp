// Long trainings as a user runs them: killed and resumed, out of time, from a file of options.
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tensorette_test.hpp"
#include "translation_program.hpp"

using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

/// `train` with all that a resumed run has to bring back.
std::vector<std::string> long_training(const std::string& output,
                                       const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"--valid-pairs",
                                     corpus,
                                     "--batch-tokens",
                                     "40",
                                     "--accumulate",
                                     "2",
                                     "--average",
                                     "0.9",
                                     "--dropout",
                                     "0.2",
                                     "--attention-dropout",
                                     "0.1",
                                     "--label-smoothing",
                                     "0.1",
                                     "--validate-every",
                                     "7",
                                     "--no-validation-bleu",
                                     "--log-every",
                                     "1",
                                     "--save-every",
                                     "0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return training(corpus, output, arguments);
}

/// A safetensors file without its metadata, which holds how long the training took.
std::string tensors_of(const std::string& path) {
  const std::string bytes = read_bytes(path);
  std::uint64_t header = 0;
  for (int i = 7; i >= 0; --i) {
    header = header * 256 + static_cast<unsigned char>(bytes.at(static_cast<std::size_t>(i)));
  }
  auto json = nlohmann::json::parse(bytes.substr(8, header));
  json.erase("__metadata__");
  return json.dump() + bytes.substr(8 + header);
}

/// The log without what a clock has measured.
std::string log_without_times(const std::string& path) {
  std::istringstream text(read_bytes(path));
  std::string kept;
  for (std::string line; std::getline(text, line);) {
    auto json = nlohmann::json::parse(line);
    json.erase("seconds");
    json.erase("tokens_per_second");
    kept += json.dump() + "\n";
  }
  return kept;
}

}  // namespace

TEST_CASE("a run killed at any moment and resumed ends as the run that was left alone",
          "[translation][slow]") {
  const TemporaryFolder folder;
  const std::string whole = folder / "whole";
  const std::string killed = folder / "killed";
  const std::string checkpoint = killed + "/model.safetensors";
  const auto began = std::chrono::steady_clock::now();
  REQUIRE(run(long_training(whole, {"--epochs", "12"})).exit_code == 0);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;

  int kills = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const bool is_begun = std::filesystem::exists(checkpoint);
    const Program program(is_begun ? command({"train", "--resume", checkpoint, "--threads", "1",
                                              "--save-every", "0", "--log-every", "1"})
                                   : long_training(killed, {"--epochs", "12"}));
    // Somewhere in the run: a different place each time, whatever the machine's speed.
    std::this_thread::sleep_for(time * (0.07 + 0.06 * attempt));
    program.send(SIGKILL);
    ++kills;
  }
  CHECK(kills == 5);
  REQUIRE(std::filesystem::exists(checkpoint));
  const Outcome last = run(command({"train", "--resume", checkpoint, "--threads", "1",
                                    "--save-every", "0", "--log-every", "1"}));
  INFO(last.errors);
  REQUIRE(last.exit_code == 0);
  CHECK(tensors_of(checkpoint) == tensors_of(whole + "/model.safetensors"));
  CHECK(tensors_of(killed + "/best.safetensors") == tensors_of(whole + "/best.safetensors"));
  CHECK(log_without_times(killed + "/log.jsonl") == log_without_times(whole + "/log.jsonl"));
}

TEST_CASE("a run that is out of time is saved, and goes on with what belongs to a process changed",
          "[translation]") {
  const TemporaryFolder folder;
  const std::string output = folder / "run";
  const Outcome stopped = run(long_training(output, {"--epochs", "100000", "--minutes", "0.005"}));
  CHECK(stopped.exit_code == 0);
  CHECK_THAT(stopped.output, ContainsSubstring("stopped after update"));
  const Outcome refused =
      run(command({"train", "--resume", output + "/model.safetensors", "--average", "0.5"}));
  CHECK(refused.exit_code == 2);
  const Outcome resumed = run(command({"train", "--resume", output + "/model.safetensors",
                                       "--minutes", "0.005", "--keep-epochs", "2"}));
  CHECK(resumed.exit_code == 0);
  CHECK_THAT(resumed.output, ContainsSubstring("stopped after update"));
}

TEST_CASE("options are read from a file, those of the command line first", "[translation]") {
  const TemporaryFolder folder;
  const std::string config = folder.file("options.cfg",
                                         "# a comment\n"
                                         "[train]\n"
                                         "epochs = 3\n"
                                         "tied = none\n"
                                         "positions = learned\n"
                                         "validation-bleu = true\n"
                                         "label-smoothing = 0.2\n");
  const std::string output = folder / "run";
  std::vector<std::string> arguments{
      "train", "--config",      config, "--pairs",          corpus, "--output", output, "--dim",
      "16",    "--heads",       "2",    "--encoder-layers", "1",    "--hidden", "16",   "--epochs",
      "2",     "--keep-epochs", "2"};
  const Outcome outcome = run(command(arguments));
  INFO(outcome.errors);
  REQUIRE(outcome.exit_code == 0);
  const std::string bytes = read_bytes(output + "/model.safetensors");
  CHECK_THAT(bytes.substr(0, 20'000), ContainsSubstring("\\\"label_smoothing\\\":0.2") &&
                                          ContainsSubstring("\\\"positions\\\":1"));
  CHECK_FALSE(std::filesystem::exists(output + "/epoch-003.safetensors"));

  const std::string mean = folder / "mean.safetensors";
  const Outcome averaged = run(command({"average", output + "/epoch-001.safetensors",
                                        output + "/epoch-002.safetensors", "--output", mean}));
  INFO(averaged.errors);
  CHECK(averaged.exit_code == 0);
  CHECK(run(command({"translate", "--checkpoint", mean, "the cat sleeps"})).exit_code == 0);
  CHECK(run(command({"average", output + "/epoch-001.safetensors"})).exit_code == 2);
  CHECK(run(command({"average", folder / "none", "--output", mean})).exit_code == 1);

  const auto refused = [&](const std::string& text) {
    return run(command({"train", "--config", folder.file("wrong.cfg", text)})).exit_code;
  };
  CHECK(refused("[train]\ncolour = red\n") == 2);
  CHECK(refused("[train]\nepochs = none\n") == 2);
  CHECK(run(command({"train", "--config", folder / "none"})).exit_code == 2);
}
