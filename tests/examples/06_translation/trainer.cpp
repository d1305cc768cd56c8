// A training run: stopped and resumed, on numbers that are not finite, on corpora of any size.
#include "06_translation/trainer.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "06_translation/training_cost.hpp"
#include "small_training.hpp"
#include "temporary_folder.hpp"
#include "tensorette_test.hpp"

using namespace tensorette::translation;
using tensorette::Index;
using tensorette::Tensor;
using tensorette::testing::TemporaryFolder;
namespace nn = tensorette::nn;
namespace optim = tensorette::optim;

namespace {

const TrainingOptions options = testing::small_training();

/// What a saved run becomes when it is read again.
nn::Checkpoint through_a_file(Trainer& trainer) {
  const TemporaryFolder folder;
  trainer.checkpoint().save(folder / "model.safetensors");
  return nn::Checkpoint::load(folder / "model.safetensors");
}

bool same_parameters(Trainer& a, Trainer& b) {
  const auto left = a.translator().model.state_dict();
  const auto right = b.translator().model.state_dict();
  for (const auto& [name, value] : left) {
    if (value.to_vector<float>() != right.at(name).to_vector<float>()) return false;
  }
  return left.size() == right.size();
}

}  // namespace

TEST_CASE("guidance changes what is learned, not the loss that is shown", "[translation]") {
  const TrainingData data = load_data(options.data);
  TrainingOptions free = options;
  free.guidance = 0;
  TrainingOptions guided = options;
  guided.guidance = 1;
  Trainer left(free, data);
  Trainer right(guided, data);
  CHECK(left.step() == right.step());
  CHECK_FALSE(same_parameters(left, right));
}

TEST_CASE("a resumed run is the run that never stopped", "[translation][field][D23]") {
  const TrainingData data = load_data(options.data);
  TrainingOptions each = options;
  SECTION("plain") {}
  SECTION("with averages, accumulation, batches of tokens and another schedule") {
    each.average_decay = 0.9;
    each.accumulate = 2;
    each.batch_tokens = 64;
    each.schedule = RateSchedule::inverse_square_root;
    each.label_smoothing = 0.1;
    each.model.tied = nn::TiedEmbeddings::none;
    each.model.norm_first = false;
    each.model.attention_dropout = 0.1;
    each.model.activation_dropout = 0.1;
  }
  Trainer straight(each, data);
  Trainer before(each, data);
  for (int i = 0; i < 7; ++i) CHECK(before.step() == straight.step());
  Trainer after(through_a_file(before), data);
  while (!straight.is_finished()) {
    REQUIRE_FALSE(after.is_finished());
    CHECK(after.step() == straight.step());
  }
  CHECK(after.is_finished());
  CHECK(same_parameters(straight, after));
  const optim::AverageInPlace left(straight.average());
  const optim::AverageInPlace right(after.average());
  CHECK(same_parameters(straight, after));
  CHECK(after.progress().losses == straight.progress().losses);
  CHECK(after.progress().epoch_losses == straight.progress().epoch_losses);
}

TEST_CASE("a step that is not finite changes no parameter, and the run can be resumed",
          "[translation][field][D27]") {
  const TrainingData data = load_data(options.data);
  Trainer trainer(options, data);
  (void)trainer.step();
  Tensor bias = trainer.translator().model.output.bias.value();
  const float good = bias.data<float>()[0];
  bias.mutable_data<float>()[0] = std::numeric_limits<float>::infinity();
  Trainer untouched(through_a_file(trainer), data);
  CHECK_FALSE(std::isfinite(trainer.step()));
  CHECK(trainer.progress().skipped_updates == 1);
  CHECK(same_parameters(trainer, untouched));

  Trainer resumed(through_a_file(trainer), data);
  REQUIRE(resumed.progress().losses.size() == 2);
  CHECK(std::isnan(resumed.progress().losses.back()));
  CHECK(resumed.progress().skipped_updates == 1);
  Tensor mended = resumed.translator().model.output.bias.value();
  mended.mutable_data<float>()[0] = good;
  while (!resumed.is_finished()) CHECK(std::isfinite(resumed.step()));
  for (const double loss : resumed.progress().epoch_losses) CHECK(std::isfinite(loss));
}

TEST_CASE("accumulated batches make the update of one batch with all their pairs",
          "[translation]") {
  const TrainingData data = load_data(options.data);
  TrainingOptions whole = options;
  whole.guidance = 0;
  whole.model.dropout = 0;
  whole.batch_size = 40;
  TrainingOptions parts = whole;
  parts.batch_size = 8;
  parts.accumulate = 10;  // more than an epoch has: the update takes what is left
  Trainer left(whole, data);
  Trainer right(parts, data);
  CHECK(right.updates_in_all() == left.updates_in_all());
  for (int i = 0; i < 3; ++i) {
    const double loss = left.step();
    CHECK(right.step() == Approx(loss).epsilon(1e-5));
    CHECK(right.last_update().gradient_norm ==
          Approx(left.last_update().gradient_norm).epsilon(1e-4));
    CHECK(right.last_update().tokens == left.last_update().tokens);
    CHECK(right.progress().epoch == i + 1);
  }
}

TEST_CASE("a saved run has the averaged parameters where it is used", "[translation]") {
  const TrainingData data = load_data(options.data);
  TrainingOptions averaging = options;
  averaging.average_decay = 0.9;
  Trainer trainer(averaging, data);
  for (int i = 0; i < 4; ++i) (void)trainer.step();
  const nn::Checkpoint saved = through_a_file(trainer);
  Trainer resumed(saved, data);
  CHECK(same_parameters(trainer, resumed));
  const Translator used = Translator::from_checkpoint(saved);
  const auto weight = [](const Translator& translator) {
    return translator.model.output.weight.value().to_vector<float>();
  };
  CHECK(weight(used) != weight(trainer.translator()));
  const optim::AverageInPlace averaged(trainer.average());
  CHECK(weight(used) == weight(trainer.translator()));
}

TEST_CASE("the learning rate rises, then falls as its schedule says", "[translation]") {
  TrainingOptions o{.learning_rate = 0.01, .warmup = 100};
  CHECK(learning_rate(o, 1, 2000) == Approx(0.0001));
  CHECK(learning_rate(o, 100, 2000) == Approx(0.01));
  CHECK(learning_rate(o, 1050, 2000) == Approx((0.01 + 0.0001) / 2));
  CHECK(learning_rate(o, 2000, 2000) == Approx(0.0001));
  CHECK(learning_rate(o, 50, 400) == Approx(0.01));  // an eighth of all
  o.schedule = RateSchedule::inverse_square_root;
  CHECK(learning_rate(o, 1, 2000) == Approx(0.0001));
  CHECK(learning_rate(o, 100, 2000) == Approx(0.01));
  CHECK(learning_rate(o, 400, 2000) == Approx(0.005));
  CHECK(learning_rate(o, 1600, 2000) == Approx(0.0025));
  o.warmup = 0;
  CHECK(learning_rate(o, 4, 2000) == Approx(0.005));
  o.schedule = RateSchedule::constant;
  CHECK(learning_rate(o, 1, 2000) == Approx(0.01));
  o.warmup = 100;
  CHECK(learning_rate(o, 50, 2000) == Approx(0.005));
  CHECK(learning_rate(o, 1600, 2000) == Approx(0.01));
}

TEST_CASE("the options of a run are read as they were written, older ones with defaults",
          "[translation]") {
  TrainingOptions o;
  o.batch_tokens = 2048;
  o.accumulate = 3;
  o.schedule = GENERATE(RateSchedule::inverse_square_root, RateSchedule::constant);
  o.average_decay = 0.999;
  o.label_smoothing = 0.1;
  o.validation = {.every = 50, .bleu = false, .patience = 4};
  const nlohmann::json json = to_json(o);
  CHECK(to_json(training_options_from_json(json)) == json);
  nlohmann::json older = to_json(TrainingOptions{});
  for (const char* name : {"batch_tokens", "accumulate", "schedule", "average_decay", "validation"})
    older.erase(name);
  CHECK(to_json(training_options_from_json(older)) == to_json(TrainingOptions{}));
  older["schedule"] = "sideways";
  CHECK_THROWS_WITH(training_options_from_json(older),
                    Catch::Matchers::ContainsSubstring("\"sideways\""));
}

TEST_CASE("the best validation has the highest BLEU, without BLEU the lowest loss",
          "[translation]") {
  TrainingProgress progress;
  CHECK_FALSE(progress.best());
  CHECK(progress.validations_without_gain() == 0);
  progress.validations = {
      {.update = 1, .loss = 3}, {.update = 2, .loss = 1}, {.update = 3, .loss = 1}};
  CHECK(progress.best()->update == 2);
  CHECK(progress.validations_without_gain() == 1);
  progress.validations = {{.update = 1, .loss = 1, .bleu = 10},
                          {.update = 2, .loss = 2, .bleu = 30},
                          {.update = 3, .loss = 3, .bleu = 20},
                          {.update = 4, .loss = std::nan(""), .bleu = 25}};
  CHECK(progress.best()->update == 2);
  CHECK(progress.validations_without_gain() == 2);
  CHECK(is_better({.loss = 1}, {.loss = std::nan("")}));
  CHECK_FALSE(is_better({.loss = std::nan("")}, {.loss = 1}));
  const nlohmann::json json = to_json(progress);
  CHECK(to_json(progress_from_json(json)) == json);
}

TEST_CASE("the products of an update are those of its matrices", "[translation]") {
  const nn::TransformerOptions model{
      .target_vocabulary = 7, .dim = 4, .encoder_layers = 2, .decoder_layers = 1, .hidden = 6};
  const Batch batch = make_batch({{.source = {4, 5, 6}, .target = {4}}}, {0});
  // A source of 3 tokens, a target of 2 with its end. Multiplications forward:
  const double encoder = 2 * (3 * (4 * 16 + 2 * 24) + 2 * 9 * 4);
  const double decoder = 2 * (6 * 16 + 2 * 24) + 3 * 2 * 16 + 4 * 4 + 2 * 6 * 4;
  const double output = 2 * 4 * 7;
  CHECK(training_products(model, batch) == Approx(6 * (encoder + decoder + output)));
  CHECK(sgemm_rate() > 1e8);
}

TEST_CASE("small corpora get more epochs", "[translation]") {
  CHECK(epochs_for(38, 64) == 300);
  CHECK(epochs_for(1'000, 64) == 94);
  CHECK(epochs_for(5'000, 64) == 19);
  CHECK(epochs_for(1'000'000, 64) == 8);
  CHECK(epochs_for(1, 1) == 300);
}
