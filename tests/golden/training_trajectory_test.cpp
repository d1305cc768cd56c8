// A sequence-to-sequence Transformer through 25 training steps beside libtorch, in f64.
#include <cmath>
#include <memory>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/embedding.hpp>
#include <tensorette/nn/loss.hpp>
#include <tensorette/nn/optim/adam.hpp>
#include <tensorette/nn/optim/sgd.hpp>
#include <tensorette/nn/position.hpp>
#include <tensorette/nn/transformer.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "golden.hpp"
#include "parameter_matches.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using nlohmann::json;

namespace {

constexpr Index words = 11;
constexpr Index dim = 8;

/// The model of the file: both stacks post-norm with a final layer norm, nothing tied.
struct Model {
  Generator generator{};
  Embedding source{{.vocabulary = words, .dim = dim}, generator};
  Embedding target{{.vocabulary = words, .dim = dim}, generator};
  TransformerEncoder encoder{
      1, {.dim = dim, .heads = 2, .hidden = 16, .dropout = 0.0}, true, generator};
  TransformerDecoder decoder{
      1, {.dim = dim, .heads = 2, .hidden = 16, .dropout = 0.0}, true, generator};
  Linear output{{.in = dim, .out = words}, generator};
  SinusoidalPosition position{{.max_length = 5, .dim = dim}};

  Model() {
    for (Module* const part :
         std::initializer_list<Module*>{&source, &target, &encoder, &decoder, &output, &position}) {
      part->to(DType::f64);
    }
  }

  [[nodiscard]] std::vector<Match> matches() const {
    std::vector<Match> all{{source.weight, "src_embed.weight"},
                           {target.weight, "tgt_embed.weight"},
                           {output.weight, "generator.weight"},
                           {output.bias, "generator.bias"}};
    const auto add = [&](const std::string& prefix, std::vector<Match> matches) {
      for (Match& match : matches) {
        match.name.insert(0, "transformer." + prefix);
        all.push_back(std::move(match));
      }
    };
    add("encoder.layers.0.", matches_of(encoder.layers.front()));
    add("encoder.", matches_of(*encoder.norm, "norm"));
    add("decoder.layers.0.", matches_of(decoder.layers.front()));
    add("decoder.", matches_of(*decoder.norm, "norm"));
    return all;
  }

  [[nodiscard]] Variable logits(const Tensor& from, const Tensor& to) const {
    const double scale = std::sqrt(static_cast<double>(dim));
    const auto embed = [&](const Embedding& table, const Tensor& ids) {
      return position.forward(table.forward(ids) * scale);
    };
    const Variable memory = encoder.forward(embed(source, from));
    return output.forward(decoder.forward(embed(target, to), memory));
  }
};

/// Ids [batch, tokens]; there the tokens come first.
Tensor ids(const json& value) {
  return transpose(golden_tensor(value)).contiguous().to(DType::i64);
}

std::unique_ptr<optim::Optimizer> optimizer_of(const std::string& id,
                                               const std::vector<Match>& matches) {
  std::vector<Variable> parameters;
  for (const Match& match : matches) parameters.push_back(match.parameter);
  if (id == "train_seq2seq_sgd_lr0.1") {
    return std::make_unique<optim::SGD>(parameters, optim::SgdOptions{.learning_rate = 0.1});
  }
  REQUIRE(id == "train_seq2seq_adamw_lr0.01_wd0.01");
  // There, everything decays.
  return std::make_unique<optim::AdamW>(
      std::vector<optim::ParameterGroup>{{.parameters = parameters, .weight_decay = 0.01}},
      optim::AdamOptions{.learning_rate = 0.01});
}

}  // namespace

TEST_CASE("training follows libtorch step by step", "[transformer][optim][golden]") {
  const json cases = golden_file("training_trajectories.json");
  REQUIRE(cases.size() == 2);
  for (const json& c : cases) {
    const std::string id = c.at("id");
    INFO(id);
    const Model model;
    const std::vector<Match> matches = model.matches();
    load(matches, c);
    const auto optimizer = optimizer_of(id, matches);
    const Tensor source = ids(c.at("src"));
    const Tensor target = ids(c.at("tgt_in"));
    const Tensor labels = ids(c.at("tgt_out"));
    const auto losses = c.at("losses").get<std::vector<double>>();
    REQUIRE(losses.size() == 25);
    for (std::size_t step = 0; step < losses.size(); ++step) {
      INFO("step " << step);
      optimizer->zero_grad();
      const Variable logits = model.logits(source, target);
      const Variable loss = cross_entropy(logits, labels, {.ignore_index = 0});
      CHECK(loss.item() == Catch::Approx(losses[step]).epsilon(1e-10));
      loss.backward();
      if (step == 0) {
        const Tensor expected = transpose(golden_tensor(c.at("initial_logits")), 0, 1);
        CHECK(distance(logits.value(), expected.contiguous()) < 1e-10);
        for (const Match& match : matches) {
          INFO(match.name << " from row " << match.first);
          CHECK(distance(match.parameter.grad().value(), matching(c, "initial_grad_", match)) <
                1e-10);
        }
      }
      optimizer->step();
    }
    for (const Match& match : matches) {
      INFO(match.name << " from row " << match.first);
      // The bias of the keys shifts all scores of a query alike: its gradient is 0 but for
      // rounding, and Adam divides what is left by its own size.
      const double bound = match.name.ends_with("in_proj_bias") ? 1e-9 : 1e-10;
      CHECK(distance(match.parameter.value(), matching(c, "final_", match)) < bound);
    }
  }
}

TEST_CASE("sinusoidal positions are those of the trajectory", "[position][golden]") {
  const json cases = golden_file("training_trajectories.json");
  const Tensor expected =
      select(golden_tensor(cases.front().at("positional_encoding")), 1, 0).contiguous();
  CHECK(distance(sinusoidal_positions(5, dim, DType::f64), expected) < 1e-12);
}
