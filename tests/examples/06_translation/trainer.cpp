// A training run: stopped and resumed, on numbers that are not finite, on corpora of any size.
#include "06_translation/trainer.hpp"

#include <cmath>
#include <limits>

#include "temporary_folder.hpp"
#include "tensorette_test.hpp"

using namespace tensorette::translation;
using tensorette::Index;
using tensorette::Tensor;
using tensorette::testing::TemporaryFolder;
namespace nn = tensorette::nn;

namespace {

const TrainingOptions options{.data = {.train_pairs = 40, .test_size = 5},
                              .epochs = 4,
                              .batch_size = 8,
                              .model = {.dim = 16,
                                        .heads = 2,
                                        .encoder_layers = 1,
                                        .decoder_layers = 1,
                                        .hidden = 16,
                                        .dropout = 0.2}};

/// What a saved run becomes when it is read again.
nn::Checkpoint through_a_file(const Trainer& trainer) {
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
  Trainer straight(options, data);
  Trainer before(options, data);
  for (int i = 0; i < 7; ++i) CHECK(before.step() == straight.step());
  Trainer after(through_a_file(before), data);
  while (!straight.is_finished()) {
    REQUIRE_FALSE(after.is_finished());
    CHECK(after.step() == straight.step());
  }
  CHECK(after.is_finished());
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

TEST_CASE("small corpora get more epochs", "[translation]") {
  CHECK(epochs_for(38, 64) == 300);
  CHECK(epochs_for(1'000, 64) == 94);
  CHECK(epochs_for(5'000, 64) == 19);
  CHECK(epochs_for(1'000'000, 64) == 8);
  CHECK(epochs_for(1, 1) == 300);
}
