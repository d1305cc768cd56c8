#include <tensorette_test.hpp>

#include <tensorette/tensorette.hpp>

using namespace tensorette;

namespace {

// Two layers that share one weight.
class Tied final : public nn::Module {
 public:
  explicit Tied(Generator& generator)
      : first({.in = 2, .out = 2}, generator), second({.in = 2, .out = 2}, generator) {
    second.weight = first.weight;
  }
  [[nodiscard]] std::string type_name() const override { return "Tied"; }

  nn::Linear first;
  nn::Linear second;

 protected:
  void list_parts(nn::Parts& parts) override {
    parts("first", first);
    parts("second", second);
  }
};

}  // namespace

TEST_CASE("parameters are listed by path, tied ones once", "[nn][module]") {
  Generator generator(1);
  Tied model(generator);
  const auto named = model.named_parameters();
  REQUIRE(named.size() == 3);
  CHECK(named[0].name == "first.weight");
  CHECK(named[1].name == "first.bias");
  CHECK(named[2].name == "second.bias");
  CHECK(model.parameter_count() == 8);
  CHECK(model.state_dict().size() == 3);
  CHECK_THAT(model.to_string(), Catch::Matchers::ContainsSubstring("second: Linear"));
}

TEST_CASE("a tied parameter stays tied through conversion and copies", "[nn][module]") {
  Generator generator(1);
  Tied model(generator);
  model.to(DType::f64);
  CHECK(model.first.weight.dtype() == DType::f64);
  CHECK(model.first.weight.node() == model.second.weight.node());
  Tied copy = model;
  CHECK(copy.first.weight.node() == model.first.weight.node());
  copy.clone_parameters();
  CHECK(copy.first.weight.node() == copy.second.weight.node());
  CHECK_FALSE(copy.first.weight.value().shares_storage_with(model.first.weight.value()));
  CHECK(identical(copy.first.weight.value(), model.first.weight.value()));
}

TEST_CASE("a state dict comes back, and a wrong one changes nothing", "[nn][module]") {
  Generator generator(1);
  Tied model(generator);
  Tied other(generator);
  nn::StateDict state;
  for (const auto& [name, value] : model.state_dict()) state[name] = value.clone();
  other.load_state_dict(state);
  CHECK(identical(other.first.weight.value(), model.first.weight.value()));

  const Tensor before = model.first.bias.value().clone();
  state["first.bias"] = ones({3});
  state["unheard"] = ones({1});
  state.erase("second.bias");
  CHECK_THROWS_AS(model.load_state_dict(state), FormatError);
  CHECK_THROWS_WITH(model.load_state_dict(state),
                    Catch::Matchers::ContainsSubstring("missing: second.bias") &&
                        Catch::Matchers::ContainsSubstring("unknown: unheard") &&
                        Catch::Matchers::ContainsSubstring("[3]"));
  CHECK(identical(model.first.bias.value(), before));
}

TEST_CASE("mode changes reach every child", "[nn][module]") {
  Generator generator(1);
  nn::TransformerEncoderLayer layer({.dim = 4, .heads = 2, .hidden = 8, .dropout = 0.9}, generator);
  layer.eval();
  CHECK_FALSE(layer.self_attention.dropout.is_training());
  CHECK_FALSE(layer.feed_forward.dropout.is_training());
  const Tensor x = generator.normal({1, 3, 4});
  CHECK(identical(layer.forward(x).value(), layer.forward(x).value()));
  layer.train();
  CHECK(layer.dropout1.is_training());
  CHECK_FALSE(identical(layer.forward(x).value(), layer.forward(x).value()));
}

TEST_CASE("an error says in which module it happened", "[nn][module][field][F06]") {
  Generator generator(1);
  nn::TransformerEncoder encoder(2, {.dim = 4, .heads = 2, .hidden = 8}, false, generator);
  encoder.layers[1].feed_forward.second.weight = parameter(zeros({4, 9}));
  CHECK_THROWS_AS(encoder.forward(zeros({1, 3, 4})), ShapeError);
  CHECK_THROWS_WITH(encoder.forward(zeros({1, 3, 4})),
                    Catch::Matchers::ContainsSubstring("layers.1.feed_forward.second") &&
                        Catch::Matchers::ContainsSubstring("[1, 3, 8]"));
}

TEST_CASE("sequential applies its modules in order and can be copied", "[nn][module]") {
  Generator generator(1);
  nn::Sequential model(nn::Linear({.in = 2, .out = 3}, generator), nn::ReLU(),
                       nn::Linear({.in = 3, .out = 1}, generator));
  CHECK(model.named_parameters()[2].name == "2.weight");
  const Tensor x = generator.normal({5, 2});
  nn::Sequential copy = model;
  CHECK(identical(copy.forward(x).value(), model.forward(x).value()));
  copy.clone_parameters();
  std::vector<Variable> parameters = copy.parameters();
  fill_(parameters[0].mutable_value(), 0);
  CHECK_FALSE(identical(copy.forward(x).value(), model.forward(x).value()));
}

TEST_CASE("equal seeds make equal modules", "[nn][module][field][D29]") {
  Generator one(7);
  Generator two(7);
  Generator three(8);
  const nn::Linear a({.in = 3, .out = 2}, one);
  const nn::Linear b({.in = 3, .out = 2}, two);
  const nn::Linear c({.in = 3, .out = 2}, three);
  CHECK(identical(a.weight.value(), b.weight.value()));
  CHECK_FALSE(identical(a.weight.value(), c.weight.value()));
  // Dropout draws from a generator of its own: using it shifts nothing.
  nn::Dropout first({.probability = 0.5}, one);
  nn::Dropout second({.probability = 0.5}, two);
  (void)first.forward(ones({100}));
  CHECK(identical(nn::Linear({.in = 3, .out = 2}, one).weight.value(),
                  nn::Linear({.in = 3, .out = 2}, two).weight.value()));
}
