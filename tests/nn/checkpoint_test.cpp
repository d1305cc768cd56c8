#include <tensorette_test.hpp>

#include <filesystem>
#include <temporary_folder.hpp>
#include <tensorette/tensorette.hpp>

using namespace tensorette;
using tensorette::testing::TemporaryFolder;

namespace {

nn::TransformerOptions small_options() {
  nn::TransformerOptions options;
  options.source_vocabulary = 11;
  options.target_vocabulary = 9;
  options.dim = 8;
  options.heads = 2;
  options.hidden = 16;
  options.dropout = 0.2;
  options.attention_dropout = 0.1;
  return options;
}

// A small run with dropout and shuffling: all that a checkpoint has to bring back.
struct Run {
  Generator init;
  nn::Transformer model;
  optim::Adam adam;
  Generator data;

  Run()
      : init(3),
        model(small_options(), init),
        adam(model.parameters(), optim::AdamOptions{.learning_rate = 1e-2}),
        data(5) {}

  double step() {
    const Tensor source = data.integers({3, 4}, 1, 11);
    const Tensor target = data.integers({3, 5}, 1, 9);
    const Variable loss = nn::cross_entropy(model.forward(source, target), target);
    adam.zero_grad();
    loss.backward();
    adam.step();
    return loss.item();
  }
};

}  // namespace

TEST_CASE("save, load, continue is the same as never having stopped",
          "[nn][checkpoint][field][D23]") {
  const TemporaryFolder folder;
  Run straight;
  std::vector<double> losses;
  for (int i = 0; i < 20; ++i) losses.push_back(straight.step());

  Run before;
  for (int i = 0; i < 10; ++i) CHECK(before.step() == losses[static_cast<std::size_t>(i)]);
  nn::Checkpoint saved;
  saved.put(before.model);
  saved.put(before.adam);
  saved.put("data", before.data);
  saved.metadata["note"] = "ten steps";
  saved.save(folder / "run.safetensors");

  Run after;
  for (int i = 0; i < 3; ++i) (void)after.step();  // whatever it did before is overwritten
  const nn::Checkpoint loaded = nn::Checkpoint::load(folder / "run.safetensors");
  CHECK(loaded.at("note") == "ten steps");
  loaded.restore(after.model);
  loaded.restore(after.adam);
  loaded.restore("data", after.data);
  for (int i = 10; i < 20; ++i) CHECK(after.step() == losses[static_cast<std::size_t>(i)]);
  const auto right = straight.model.state_dict();
  for (const auto& [name, value] : after.model.state_dict()) {
    CAPTURE(name);
    CHECK(identical(value, right.at(name)));
  }
}

TEST_CASE("what does not fit is refused and changes nothing", "[nn][checkpoint]") {
  const TemporaryFolder folder;
  Run run;
  nn::Checkpoint saved;
  saved.put(run.model);
  saved.save(folder / "model.safetensors");
  const nn::Checkpoint loaded = nn::Checkpoint::load(folder / "model.safetensors");
  CHECK_THROWS_AS(loaded.restore(run.adam), FormatError);
  CHECK_THROWS_AS(loaded.restore("data", run.data), FormatError);
  CHECK_THROWS_AS(loaded.at("note"), FormatError);

  Generator generator(1);
  nn::Linear other({.in = 2, .out = 2}, generator);
  const Tensor weight = other.weight.value().clone();
  CHECK_THROWS_AS(loaded.restore(other), FormatError);
  CHECK(identical(other.weight.value(), weight));

  CHECK_THROWS_AS(nn::Checkpoint::load(folder / "missing.safetensors"), FormatError);
  save_safetensors(folder / "foreign.safetensors", {.tensors = {{"x", ones({2})}}, .metadata = {}});
  CHECK_THROWS_WITH(nn::Checkpoint::load(folder / "foreign.safetensors"),
                    Catch::Matchers::ContainsSubstring("not a checkpoint"));
  CHECK_THROWS_AS(nn::Checkpoint::load(folder.file("damaged.safetensors", "nonsense")),
                  FormatError);
}

TEST_CASE("an existing checkpoint survives a save that fails", "[nn][checkpoint][field][D31]") {
  const TemporaryFolder folder;
  Run run;
  nn::Checkpoint saved;
  saved.put(run.model);
  // The path is a folder, which no file can replace.
  std::filesystem::create_directory(folder / "taken");
  CHECK_THROWS_AS(saved.save(folder / "taken"), FormatError);
  CHECK_THROWS_AS(saved.save(folder / "no/such/folder.safetensors"), FormatError);
  saved.save(folder / "model.safetensors");
  CHECK(folder.file_count() == 2);
}
