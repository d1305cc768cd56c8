// The moving average of parameters: its arithmetic, its place in a training, its state.
#include <tensorette_test.hpp>

#include <algorithm>
#include <temporary_folder.hpp>
#include <tensorette/tensorette.hpp>

using namespace tensorette;
using Catch::Matchers::ContainsSubstring;
using optim::AverageInPlace;
using optim::ExponentialMovingAverage;
using tensorette::testing::TemporaryFolder;

namespace {

Variable two_numbers(double first, double second) {
  return parameter(from_vector(std::vector<double>{first, second}));
}

std::vector<double> numbers(const Variable& x) {
  return x.value().to_vector<double>();
}

void set(Variable& x, double first, double second) {
  double* const data = x.mutable_value().mutable_data<double>();
  data[0] = first;
  data[1] = second;
}

}  // namespace

TEST_CASE("a moving average follows its recurrence", "[nn][optim]") {
  Variable x = two_numbers(1, -4);
  ExponentialMovingAverage average({x}, {.decay = 0.5});
  double expected[] = {1, -4};
  for (int n = 1; n <= 20; ++n) {
    set(x, 1 + n, -4 + 2 * n);
    average.update();
    // The decay rises with (1 + n)/(10 + n) until it is 0.5, at n = 8.
    const double decay = std::min(0.5, (1.0 + n) / (10.0 + n));
    expected[0] = decay * expected[0] + (1 - decay) * (1 + n);
    expected[1] = decay * expected[1] + (1 - decay) * (-4 + 2 * n);
  }
  CHECK(average.updates() == 20);
  CHECK(numbers(x) == std::vector<double>{21, 36});
  average.swap();
  CHECK(average.is_swapped());
  CHECK(numbers(x)[0] == Approx(expected[0]).epsilon(1e-14));
  CHECK(numbers(x)[1] == Approx(expected[1]).epsilon(1e-14));
  CHECK_THROWS_WITH(average.update(), ContainsSubstring("swapped"));
  average.swap();
  CHECK(numbers(x) == std::vector<double>{21, 36});
}

TEST_CASE("a moving average of a share of the run weighs updates by a power of their number",
          "[nn][optim]") {
  Variable x = two_numbers(0, 0);
  // With d = (1 + n)/(4 + n) update k of N has the weight 3 (k + 2)(k + 3)/A where
  // A = (N + 2)(N + 3)(N + 4), by induction; what x was before the first has the rest.
  ExponentialMovingAverage average({x}, {.decay = 0.9999, .share = 1.0 / 3});
  const int updates = 50;
  double expected = 0;
  for (int k = 1; k <= updates; ++k) {
    set(x, k * k, 1);
    average.update();
    expected += 3.0 * (k + 2) * (k + 3) * k * k;
  }
  const double all = (updates + 2.0) * (updates + 3.0) * (updates + 4.0);
  average.swap();
  CHECK(numbers(x)[0] == Approx(expected / all));
  CHECK(numbers(x)[1] == Approx(1 - 2.0 * 3 * 4 / all));
}

TEST_CASE("averages are in place for as long as their scope lives", "[nn][optim]") {
  Variable x = two_numbers(0, 0);
  ExponentialMovingAverage average({x, x}, {.decay = 0.0});  // tied: counts once
  set(x, 3, 5);
  {
    const AverageInPlace scope(&average);
    CHECK(numbers(x) == std::vector<double>{0, 0});
  }
  CHECK(numbers(x) == std::vector<double>{3, 5});
  average.update();  // without decay the average is the latest
  set(x, 7, 7);
  {
    const AverageInPlace scope(&average);
    CHECK(numbers(x) == std::vector<double>{3, 5});
  }
  const AverageInPlace nothing(nullptr);
  CHECK(numbers(x) == std::vector<double>{7, 7});
}

TEST_CASE("a moving average refuses what it can't average", "[nn][optim]") {
  const Variable x = two_numbers(1, 2);
  CHECK_THROWS_WITH(ExponentialMovingAverage({x}, {.decay = 1.0}),
                    ContainsSubstring("must be in [0, 1)"));
  CHECK_THROWS_AS(ExponentialMovingAverage({x}, {.decay = -0.1}), Error);
  CHECK_THROWS_WITH(ExponentialMovingAverage({x}, {.share = 0}),
                    ContainsSubstring("share is 0, it must be in (0, 1]"));
  CHECK_THROWS_AS(ExponentialMovingAverage({x}, {.share = 1.5}), Error);
  CHECK_THROWS_WITH(ExponentialMovingAverage({}), ContainsSubstring("no parameters"));
  ExponentialMovingAverage average({x}, {.decay = 0.9});
  auto state = average.state_dict();
  state.erase("values.0");
  CHECK_THROWS_AS(average.load_state_dict(state), FormatError);
  state["values.0"] = zeros({3}, DType::f64);
  CHECK_THROWS_WITH(average.load_state_dict(state), ContainsSubstring("[3]"));
  state["values.0"] = zeros({2}, DType::f64);
  state["updates"] = scalar(-9, DType::i64);
  CHECK_THROWS_WITH(average.load_state_dict(state), ContainsSubstring("-9 updates"));
  state.erase("updates");
  CHECK_THROWS_WITH(average.load_state_dict(state), ContainsSubstring("\"updates\""));
  average.swap();
  CHECK(numbers(x) == std::vector<double>{1, 2});
}

TEST_CASE("a checkpoint saved with averages in place is used with them and trained on without",
          "[nn][optim][checkpoint]") {
  const TemporaryFolder folder;
  Generator generator(1);
  nn::Linear model({.in = 2, .out = 3}, generator);
  ExponentialMovingAverage average(model.parameters(), {.decay = 0.9});
  const std::vector<float> trained(6, 4.0F);
  copy_(model.weight.mutable_value(), full({3, 2}, 4.0));
  average.update();
  std::vector<float> averaged;
  {
    const AverageInPlace scope(&average);
    averaged = model.weight.value().to_vector<float>();
    nn::Checkpoint checkpoint;
    checkpoint.put(model);
    checkpoint.put(average);
    checkpoint.save(folder / "run.safetensors");
  }
  CHECK(averaged != trained);

  const nn::Checkpoint loaded = nn::Checkpoint::load(folder / "run.safetensors");
  nn::Linear other({.in = 2, .out = 3}, generator);
  ExponentialMovingAverage other_average(other.parameters(), {.decay = 0.9});
  loaded.restore(other);
  CHECK(other.weight.value().to_vector<float>() == averaged);
  loaded.restore(other_average);
  REQUIRE(other_average.is_swapped());
  other_average.swap();
  CHECK(other.weight.value().to_vector<float>() == trained);
  CHECK(other_average.updates() == 1);
  for (ExponentialMovingAverage* each : {&average, &other_average}) {
    each->update();
    each->swap();
  }
  CHECK(other.weight.value().to_vector<float>() == model.weight.value().to_vector<float>());

  nn::Checkpoint without;
  without.put(model);
  CHECK_THROWS_WITH(without.restore(average), ContainsSubstring("no moving average"));
}

TEST_CASE("the mean of checkpoints is the mean of their parameters", "[nn][checkpoint]") {
  Generator generator(1);
  nn::Linear model({.in = 1, .out = 2}, generator);
  std::vector<nn::Checkpoint> checkpoints;
  for (const double value : {1.0, 2.0, 6.0}) {
    copy_(model.weight.mutable_value(), full({2, 1}, value));
    nn::Checkpoint checkpoint;
    checkpoint.put(model);
    checkpoint.metadata["value"] = std::to_string(static_cast<int>(value));
    checkpoints.push_back(checkpoint.clone());
    // What the copy holds is its own.
    copy_(model.weight.mutable_value(), full({2, 1}, 100.0));
  }
  const nn::Checkpoint mean = nn::Checkpoint::average(checkpoints);
  mean.restore(model);
  CHECK(model.weight.value().to_vector<float>() == std::vector<float>{3, 3});
  CHECK(mean.at("value") == "6");

  CHECK_THROWS_WITH(nn::Checkpoint::average({}), ContainsSubstring("no checkpoints"));
  nn::Linear wider({.in = 3, .out = 2}, generator);
  nn::Checkpoint& last = checkpoints.emplace_back();
  last.put(wider);
  CHECK_THROWS_AS(nn::Checkpoint::average(checkpoints), FormatError);
  nn::Linear without_bias({.in = 1, .out = 2, .bias = false}, generator);
  last.put(without_bias);
  CHECK_THROWS_WITH(nn::Checkpoint::average(checkpoints), ContainsSubstring("other parameters"));
}
