// Trainings as a user runs them: learned, interrupted, resumed, without room, diverged.
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/io/safetensors.hpp>

#include "tensorette_test.hpp"
#include "translation_program.hpp"

using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a small corpus is learned with the default number of epochs", "[translation]") {
  const TemporaryFolder folder;
  const std::string output = folder / "run";
  const Outcome outcome = run(training(corpus, output));
  INFO(outcome.errors);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("38 training pairs"));
  const auto metrics = nlohmann::json::parse(read_bytes(output + "/metrics.json"));
  CHECK(metrics.at("token_accuracy").get<double>() >= 0.95);
  CHECK(metrics.at("sentences") == 38);
  CHECK(metrics.at("pairs") == "training");
  const Outcome translated =
      run(command({"translate", "--checkpoint", output + "/model.safetensors"}),
          {.input = "the cat sleeps\n"});
  CHECK(translated.output == "Le chat dort\n");
}

TEST_CASE("a full disk is reported and the last checkpoint kept", "[translation][field][D31]") {
  const Trained trained;
  const std::string before = read_bytes(trained.checkpoint);
  const Outcome outcome = run(training(corpus, trained.output, {"--epochs", "1", "--seed", "2"}),
                              {.largest_file = before.size() / 2});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.errors, ContainsSubstring("can't write"));
  CHECK(read_bytes(trained.checkpoint) == before);
  for (const auto& entry : std::filesystem::directory_iterator(trained.output)) {
    const std::string name = entry.path().filename().string();
    CHECK((name == "model.safetensors" || name == "report.html" || name == "metrics.json" ||
           name == "log.jsonl"));
  }
}

TEST_CASE("an interrupt saves and stops, and the run goes on from there", "[translation]") {
  const TemporaryFolder folder;
  const std::string output = folder / "run";
  const std::string checkpoint = output + "/model.safetensors";
  Program program(training(corpus, output, {"--epochs", "1000000"}));
  REQUIRE(appears(checkpoint));
  program.send(SIGINT);
  const Outcome stopped = program.wait();
  CHECK(stopped.exit_code == 130);
  CHECK_THAT(stopped.output, ContainsSubstring("stopped after update") &&
                                 ContainsSubstring("--resume " + checkpoint));
  // There is one batch an epoch.
  const std::size_t number = stopped.output.find("stopped after update ") + 21;
  const int updates = std::stoi(stopped.output.substr(number));
  REQUIRE(updates > 0);
  const Outcome resumed = run(command({"train", "--resume", checkpoint, "--epochs",
                                       std::to_string(updates + 1), "--output", output}));
  INFO(resumed.errors);
  CHECK(resumed.exit_code == 0);
  CHECK_THAT(resumed.output, ContainsSubstring("38 training pairs"));
  CHECK(std::filesystem::exists(output + "/report.html"));
}

TEST_CASE("a resumed run stays in its folder and counts the epochs it has done", "[translation]") {
  const TemporaryFolder folder;
  const std::string output = folder / "run";
  const std::string checkpoint = output + "/model.safetensors";
  REQUIRE(run(training(corpus, output, {"--epochs", "2"})).exit_code == 0);
  const std::string before = read_bytes(checkpoint);
  check_refusal(command({"train", "--resume", checkpoint, "--epochs", "1"}),
                "2 epochs already: --epochs must be at least that, got 1");
  CHECK(read_bytes(checkpoint) == before);
  const Outcome resumed = run(command({"train", "--resume", checkpoint, "--epochs", "3"}));
  CHECK(resumed.exit_code == 0);
  CHECK_THAT(resumed.output, ContainsSubstring("written: " + checkpoint));
  CHECK(read_bytes(checkpoint) != before);
}

TEST_CASE("a training that diverges says so", "[translation]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(training(corpus, folder / "run", {"--epochs", "500", "--learning-rate", "1e30"}));
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.errors, ContainsSubstring("--learning-rate"));
}

TEST_CASE("a run is not resumed with other data", "[translation]") {
  const TemporaryFolder folder;
  const std::string pairs = folder.file("corpus.tsv", "go\tva\nstop\tarrête\n");
  const std::string output = folder / "run";
  // Pieces stay those of the run; what differs is what they are joined to.
  const std::string kind = GENERATE("words", "bpe");
  std::vector<std::string> more{"--epochs", "1", "--tokenizer", kind};
  if (kind == "bpe") more.insert(more.end(), {"--vocabulary-size", "16"});
  REQUIRE(run(training(pairs, output, more)).exit_code == 0);
  (void)folder.file("corpus.tsv",
                    kind == "bpe" ? "stop\tva\ngo\tarrête\n" : "go\tva\nrun\tcours\n");
  check_refusal(command({"train", "--resume", output + "/model.safetensors", "--epochs", "2",
                         "--output", output}),
                "other training data");
}

TEST_CASE("a model without sound numbers is neither used nor left behind", "[translation]") {
  const Trained trained;
  const std::string sound = read_bytes(trained.checkpoint);
  const Outcome diverged = run(training(corpus, trained.output, {"--learning-rate", "1e300"}));
  CHECK(diverged.exit_code == 1);
  CHECK_THAT(diverged.errors, ContainsSubstring("the training has diverged"));
  CHECK(read_bytes(trained.checkpoint) == sound);

  tensorette::Safetensors file = tensorette::load_safetensors(trained.checkpoint);
  tensorette::Tensor weight = file.tensors.at("model.output.bias");
  tensorette::fill_(weight, std::nan(""));
  tensorette::save_safetensors(trained.checkpoint, file);
  check_refusal(trained.with_checkpoint({"translate", "the cat"}),
                trained.checkpoint + ": parameter \"output.bias\" has numbers that are");
}
