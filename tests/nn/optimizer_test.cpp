#include <tensorette_test.hpp>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tensorette/tensorette.hpp>

using namespace tensorette;

namespace {

nlohmann::json trajectories() {
  std::ifstream file(std::string(TENSORETTE_GOLDEN_DIR) + "/optimizer_trajectories.json");
  return nlohmann::json::parse(file);
}

std::vector<double> numbers(const nlohmann::json& json) {
  return json.get<std::vector<double>>();
}

// The net of the trajectories: two sigmoid layers, f64, loss = sum of the outputs.
struct Net {
  std::vector<Variable> parameters;

  explicit Net(const nlohmann::json& initial) {
    parameters = {parameter(from_vector(numbers(initial.at("0.weight [3,2] row-major")), {3, 2})),
                  parameter(from_vector(numbers(initial.at("0.bias [3]")), {3})),
                  parameter(from_vector(numbers(initial.at("2.weight [1,3]")), {1, 3})),
                  parameter(from_vector(numbers(initial.at("2.bias [1]")), {1}))};
  }
  [[nodiscard]] Variable loss(const Tensor& input) const {
    const Variable hidden = sigmoid(linear(input, parameters[0], parameters[1]));
    return sum(sigmoid(linear(hidden, parameters[2], parameters[3])));
  }
};

std::unique_ptr<optim::Optimizer> make_optimizer(const nlohmann::json& config,
                                                 const std::vector<Variable>& parameters) {
  const auto number = [&](const char* name, double fallback) {
    return config.value(name, fallback);
  };
  const std::string algorithm = config.at("alg");
  const double rate = config.at("lr");
  const std::vector<optim::ParameterGroup> groups{
      {.parameters = parameters, .weight_decay = number("weight_decay", 0.0)}};
  if (algorithm == "Adam")
    return std::make_unique<optim::Adam>(groups, optim::AdamOptions{.learning_rate = rate});
  if (algorithm == "AdamW")
    return std::make_unique<optim::AdamW>(groups, optim::AdamOptions{.learning_rate = rate});
  if (algorithm == "RMSprop") {
    return std::make_unique<optim::RMSprop>(
        groups, optim::RmspropOptions{.learning_rate = rate,
                                      .momentum = number("momentum", 0.0),
                                      .centered = config.value("centered", false)});
  }
  return std::make_unique<optim::SGD>(
      groups, optim::SgdOptions{.learning_rate = rate,
                                .momentum = number("momentum", 0.0),
                                .nesterov = config.value("nesterov", false)});
}

Variable scalar_parameter(double value) {
  return parameter(scalar(value, DType::f64));
}

void give_gradient(const Variable& parameter, double gradient) {
  parameter.set_grad(full(parameter.shape(), gradient, parameter.dtype()));
}

}  // namespace

TEST_CASE("optimisers follow the trajectories of another library", "[nn][optim][golden]") {
  const nlohmann::json golden = trajectories();
  std::vector<double> input;
  for (const auto& row : golden.at("input")) {
    for (const double value : row) input.push_back(value);
  }
  const Tensor x = from_vector(input, {3, 2});
  int compared = 0;
  for (const auto& [name, entry] : golden.at("optimizers").items()) {
    CAPTURE(name);
    const Net net(golden.at("initial_parameters"));
    const auto optimizer = make_optimizer(entry.at("config"), net.parameters);
    const auto& samples = entry.at("samples");
    for (std::size_t step = 0; step <= 100 * (samples.size() - 1); ++step) {
      optimizer->zero_grad();
      net.loss(x).backward();
      optimizer->step();
      if (step % 100 != 0) continue;
      for (std::size_t i = 0; i < net.parameters.size(); ++i) {
        const auto right = numbers(samples[step / 100][i]);
        const auto got = net.parameters[i].value().to_vector<double>();
        REQUIRE(got.size() == right.size());
        for (std::size_t k = 0; k < got.size(); ++k) {
          CAPTURE(step, i, k);
          CHECK(std::abs(got[k] - right[k]) <= 5e-4 + 1e-3 * std::abs(right[k]));
          ++compared;
        }
      }
    }
  }
  CHECK(compared == 6 * 4 * 13);
}

TEST_CASE("Adam makes the published updates", "[nn][optim][field][D21]") {
  const Variable p = scalar_parameter(1.0);
  optim::Adam adam({p}, {.learning_rate = 0.1});
  const double gradients[] = {1, 2, -1, 0.5};
  const double right[] = {0.9000000, 0.8034818, 0.7614729, 0.7161246};
  for (int i = 0; i < 4; ++i) {
    give_gradient(p, gradients[i]);
    adam.step();
    CHECK(p.item() == Catch::Approx(right[i]).margin(1e-7));
  }
}

TEST_CASE("decay groups spare biases and norm gains", "[nn][optim][field][D25]") {
  Generator generator(1);
  nn::Sequential model(nn::Linear({.in = 3, .out = 3}, generator), nn::LayerNorm({.dim = 3}));
  std::vector<Tensor> before;
  for (const Variable& p : model.parameters()) {
    before.push_back(p.value().clone());
    p.set_grad(zeros(p.shape()));
  }
  optim::AdamW adam(optim::decay_groups(model, 0.5), {.learning_rate = 0.1});
  adam.step();
  const auto after = model.parameters();
  for (std::size_t i = 0; i < after.size(); ++i) {
    CAPTURE(i);
    if (after[i].rank() >= 2) {
      CHECK(all_close(after[i].value(), before[i] * 0.95));
    } else {
      CHECK(identical(after[i].value(), before[i]));
    }
  }
}

TEST_CASE("parameters without a gradient stay", "[nn][optim]") {
  const Variable moved = scalar_parameter(1.0);
  const Variable left = scalar_parameter(1.0);
  optim::AdamW adam({{.parameters = {moved, left}, .weight_decay = 0.1}}, {.learning_rate = 0.1});
  give_gradient(moved, 1.0);
  adam.step();
  CHECK(moved.item() < 1.0);
  CHECK(left.item() == 1.0);
}

TEST_CASE("a tied parameter is stepped once", "[nn][optim]") {
  const Variable p = scalar_parameter(1.0);
  optim::SGD sgd({p, p}, {.learning_rate = 0.5});
  give_gradient(p, 1.0);
  sgd.step();
  CHECK(p.item() == 0.5);
  CHECK(sgd.parameters().size() == 1);
}

TEST_CASE("groups may have learning rates of their own", "[nn][optim]") {
  const Variable a = scalar_parameter(1.0);
  const Variable b = scalar_parameter(1.0);
  optim::SGD sgd({{.parameters = {a}}, {.parameters = {b}, .learning_rate_factor = 0.1}},
                 {.learning_rate = 1.0});
  give_gradient(a, 0.5);
  give_gradient(b, 0.5);
  sgd.step();
  CHECK(a.item() == 0.5);
  CHECK(b.item() == Catch::Approx(0.95));
}

TEST_CASE("optimisers refuse what makes no sense", "[nn][optim][field][F06]") {
  const Variable p = scalar_parameter(1.0);
  CHECK_THROWS_WITH(optim::SGD(std::vector<Variable>{}, {}),
                    Catch::Matchers::ContainsSubstring("no parameters"));
  CHECK_THROWS_AS(optim::SGD({Variable(scalar(1.0))}, {}), GraphError);
  CHECK_THROWS_AS(optim::SGD({p}, {.learning_rate = -1}), Error);
  CHECK_THROWS_AS(optim::SGD({p}, {.nesterov = true}), Error);
  CHECK_THROWS_AS(optim::Adam({p}, {.beta1 = 1.0}), Error);
}

TEST_CASE("an optimiser continues from its saved state bit by bit", "[nn][optim]") {
  const auto run = [](int steps, optim::Optimizer& optimizer, const Variable& p, int first) {
    for (int i = first; i < first + steps; ++i) {
      give_gradient(p, std::sin(i));
      optimizer.step();
    }
  };
  const Variable straight = parameter(scalar(1.0));
  optim::Adam whole({straight}, {.learning_rate = 0.01});
  run(20, whole, straight, 0);

  const Variable first = parameter(scalar(1.0));
  optim::Adam before({first}, {.learning_rate = 0.01});
  run(10, before, first, 0);
  const Variable second = parameter(first.value().clone());
  optim::Adam after({second}, {.learning_rate = 0.5});
  after.load_state_dict(before.state_dict());
  CHECK(after.steps() == 10);
  run(10, after, second, 10);
  CHECK(identical(second.value(), straight.value()));

  auto state = before.state_dict();
  state.emplace("velocity.0", scalar(1.0));
  CHECK_THROWS_AS(after.load_state_dict(state), FormatError);
  CHECK(after.steps() == 20);
}

TEST_CASE("clipping scales to the norm and reports the one before", "[nn][optim]") {
  const Variable a = parameter(zeros({2}));
  const Variable b = parameter(zeros({1}));
  a.set_grad(tensor({3, 0}));
  b.set_grad(tensor({4}));
  const std::vector<Variable> both{a, b};
  CHECK(optim::clip_gradient_norm(both, 10.0) == Catch::Approx(5.0));
  CHECK(a.grad().value().at<float>(0) == 3.0F);
  CHECK(optim::clip_gradient_norm(both, 1.0) == Catch::Approx(5.0));
  CHECK(a.grad().value().at<float>(0) == Catch::Approx(0.6));
  CHECK(b.grad().value().at<float>(0) == Catch::Approx(0.8));
  CHECK_THROWS_AS(optim::clip_gradient_norm(both, 0.0), Error);

  optim::clip_gradient_value(both, 0.7);
  CHECK(a.grad().value().at<float>(0) == Catch::Approx(0.6));
  CHECK(b.grad().value().at<float>(0) == Catch::Approx(0.7));
}

TEST_CASE("a norm that is not finite is reported and changes nothing", "[nn][optim][field][D27]") {
  const Variable a = parameter(zeros({2}));
  a.set_grad(tensor({std::numeric_limits<double>::infinity(), 1}));
  const std::vector<Variable> list{a};
  CHECK(std::isinf(optim::clip_gradient_norm(list, 1.0)));
  CHECK(a.grad().value().at<float>(1) == 1.0F);
}
