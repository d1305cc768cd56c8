// The loop around a trainer: validations, files, the log, and reasons to end.
#include "06_translation/training_run.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include <tensorette/nn/loss.hpp>
#include <tensorette/tensor/create.hpp>

#include "06_translation/run_log.hpp"
#include "06_translation/validation.hpp"
#include "small_training.hpp"
#include "temporary_folder.hpp"
#include "tensorette_test.hpp"

using namespace tensorette::translation;
using tensorette::Index;
using tensorette::testing::read_bytes;
using tensorette::testing::TemporaryFolder;
namespace nn = tensorette::nn;
namespace optim = tensorette::optim;

namespace {

const TrainingOptions options = [] {
  TrainingOptions small = testing::small_training();
  small.data.test_size = 12;
  small.average_decay = 0.5;
  return small;
}();

/// The built-in corpus, its test pairs for validation.
TrainingData watched_data() {
  TrainingData data = load_data(options.data);
  data.valid = data.test;
  data.valid_references = data.test_references;
  return data;
}

std::vector<nlohmann::json> lines_of(const std::string& path) {
  std::istringstream text(read_bytes(path));
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

std::vector<float> output_weight(const nn::Transformer& model) {
  return model.output.weight.value().to_vector<float>();
}

}  // namespace

TEST_CASE("a validation measures the averaged model and changes nothing", "[translation]") {
  const TrainingData data = watched_data();
  Trainer watched(options, data);
  Trainer alone(options, data);
  for (int i = 0; i < 6; ++i) {
    const Validation validation = validate(watched, data);
    CHECK(validation.update == i);
    CHECK(std::isfinite(validation.loss));
    CHECK(validation.bleu >= 0);
    CHECK(watched.step() == alone.step());
  }
  // Against the loss of each pair by itself, from all logits.
  const optim::AverageInPlace averaged(alone.average());
  const Translator& translator = alone.translator();
  alone.translator().model.eval();
  double sum = 0;
  Index tokens = 0;
  for (const SentencePair& pair : data.valid) {
    const Batch batch = make_batch({translator.encode(pair.source, pair.target)}, {0});
    const auto ids = [](const std::vector<Index>& values) {
      return tensorette::from_vector(values, {1, static_cast<Index>(values.size())});
    };
    const auto logits = translator.model.forward(ids(batch.source), ids(batch.decoder_input));
    sum += nn::cross_entropy(logits, ids(batch.labels), {.reduction = nn::Reduction::sum}).item();
    tokens += batch.label_count;
  }
  CHECK(validate(watched, data).loss == Approx(sum / static_cast<double>(tokens)).epsilon(1e-5));
}

TEST_CASE("a run leaves its log, its best parameters and those of its last epochs",
          "[translation]") {
  const TemporaryFolder folder;
  const TrainingData data = watched_data();
  Trainer trainer(options, data);
  const RunResult result =
      run(trainer, data, {.folder = folder.path(), .log_every = 2, .keep_epochs = 2});
  CHECK(result.end == RunEnd::finished);
  CHECK(result.speed.seconds > 0);
  CHECK(result.speed.products > 0);
  const RunPaths paths(folder.path());
  for (Index epoch = 1; epoch <= 4; ++epoch) {
    CHECK(std::filesystem::exists(paths.epoch(epoch)) == (epoch > 2));
  }
  REQUIRE(trainer.progress().validations.size() == 4);

  const std::vector<nlohmann::json> lines = lines_of(paths.log());
  std::size_t validations = 0;
  for (const nlohmann::json& line : lines) {
    if (line.contains("validation_loss")) {
      CHECK(line.at("update") == trainer.progress().validations.at(validations++).update);
      CHECK(line.contains("validation_bleu"));
    } else {
      const Index update = line.at("update");
      CHECK(update % 2 == 0);
      const auto at = static_cast<std::size_t>(update);
      const std::vector<double>& losses = trainer.progress().losses;
      const double least = std::min(losses[at - 1], losses[at - 2]);
      const double most = std::max(losses[at - 1], losses[at - 2]);
      CHECK(line.at("loss") >= least);
      CHECK(line.at("loss") <= most);
      CHECK(line.at("learning_rate") == learning_rate(options, update, 20));
      CHECK(line.at("tokens_per_second") > 0);
      CHECK(line.at("gradient_norm") > 0);
    }
  }
  CHECK(validations == 4);
  CHECK(lines.size() == 14);

  const auto best = Translator::from_checkpoint(nn::Checkpoint::load(paths.best()));
  const Index last = trainer.progress().updates;
  if (trainer.progress().best()->update == last) {
    const optim::AverageInPlace averaged(trainer.average());
    CHECK(output_weight(best.model) == output_weight(trainer.translator().model));
  }
}

TEST_CASE("a run without a gain ends, and so does one without time", "[translation]") {
  const TemporaryFolder folder;
  const TrainingData data = watched_data();
  TrainingOptions patient = options;
  patient.epochs = 1000;
  patient.learning_rate = 1e-30;  // nothing is learned: the first validation stays the best
  patient.validation = {.every = 2, .bleu = false, .patience = 3};
  Trainer trainer(patient, data);
  CHECK(run(trainer, data, {.folder = folder.path()}).end == RunEnd::no_gain);
  CHECK(trainer.progress().updates == 8);
  CHECK(std::isnan(trainer.progress().validations.front().bleu));
  // Resumed, it ends at once.
  Trainer resumed(nn::Checkpoint::load(RunPaths(folder.path()).model()), data);
  CHECK(run(resumed, data, {.folder = folder.path()}).end == RunEnd::no_gain);
  CHECK(resumed.progress().updates == 8);

  patient.validation = {};
  Trainer hurried(patient, data);
  CHECK(run(hurried, data, {.folder = folder.path(), .minutes = 1e-9}).end == RunEnd::out_of_time);
  CHECK(hurried.progress().updates <= 1);
}

TEST_CASE("the log of a run that goes on forgets what had not been saved", "[translation]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("log.jsonl",
                                       "{\"update\":2,\"loss\":3.0}\n"
                                       "{\"update\":4,\"loss\":2.0}\n"
                                       "{\"update\":4,\"validation_loss\":2.0}\n"
                                       "{\"update\":6,\"loss\":1.0}\n"
                                       "{\"update\":8,\"lo");
  {
    RunLog log(path, 4, 1);
    log.add(UpdateReport{.loss = 1.5, .tokens = 10, .seconds = 2}, TrainingProgress{.updates = 5});
    log.add(Validation{.update = 5, .loss = std::nan("")});
  }
  const std::vector<nlohmann::json> lines = lines_of(path);
  REQUIRE(lines.size() == 5);
  CHECK(lines[2].at("validation_loss") == 2.0);
  CHECK(lines[3].at("update") == 5);
  CHECK(lines[3].at("tokens_per_second") == 5.0);
  CHECK(lines[4].at("validation_loss").is_null());
  CHECK_FALSE(lines[4].contains("validation_bleu"));
  const RunLog anew(path, 0, 1);
  CHECK(read_bytes(path).empty());
  CHECK_THROWS_WITH(RunLog(folder / "none" + "/log.jsonl", 0, 1),
                    Catch::Matchers::ContainsSubstring("log.jsonl"));
}
