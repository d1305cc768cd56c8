// The checks of models: on every attention and Transformer module, and on models with each fault.
#include <tensorette_test.hpp>

#include <cmath>
#include <compare.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/check.hpp>
#include <tensorette/nn/loss.hpp>
#include <tensorette/nn/sequential.hpp>
#include <tensorette/nn/transformer.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette::testing {
namespace {

namespace check = nn::check;
using Catch::Matchers::ContainsSubstring;
using nn::AttentionMask;

constexpr Index batch = 3;
constexpr Index tokens = 5;
constexpr Index width = 8;

Tensor vectors(std::uint64_t seed = 1) {
  return Generator(seed).normal({batch, tokens, width});
}
Tensor some_valid() {
  return tensor({{1, 1, 1, 1, 1}, {1, 1, 1, 0, 0}, {1, 1, 0, 1, 0}}, DType::boolean);
}
// Ids without the padding token 0, which stands where a token is not valid.
Tensor ids_with_padding() {
  return from_vector(std::vector<Index>{3, 1, 4, 1, 5, 2, 2, 5, 0, 0, 4, 3, 1, 5, 0},
                     {batch, tokens});
}

void passes(const check::Report& report) {
  INFO(report.message);
  CHECK(report.ok);
  CHECK(static_cast<bool>(report));
  CHECK_FALSE(report.message.empty());
  CHECK(report.where.empty());
}
void fails(const check::Report& report, const std::string& text) {
  CHECK_FALSE(report.ok);
  CHECK_THAT(report.message, ContainsSubstring(text));
}

nn::TransformerLayerOptions layer_options(bool norm_first) {
  return {.dim = width, .heads = 2, .hidden = 16, .dropout = 0.1, .norm_first = norm_first};
}

// All that is to be said of a part that maps [batch, tokens, width] to itself under a mask.
template <class Part>
void check_masked_part(Part& part) {
  part.eval();
  const Tensor x = vectors();
  const Tensor valid = some_valid();
  passes(
      check::causal([&](const Tensor& v) { return part.forward(v, AttentionMask::causal()); }, x));
  passes(check::ignores_padding(
      [&](const Tensor& v, const Tensor& real) {
        return part.forward(v, AttentionMask::key_validity(real));
      },
      x, valid));
  passes(check::batch_independent([&](const Tensor& v) { return part.forward(v); }, x));
  passes(check::batch_independent(
      [&](const Tensor& v, const Tensor& real) {
        return part.forward(v, AttentionMask::key_validity(real));
      },
      x, valid));
  passes(check::deterministic([&] { return part.forward(x); }, part.parameters()));
  fails(check::causal([&](const Tensor& v) { return part.forward(v); }, x), "not causal: token 0");
  fails(check::ignores_padding([&](const Tensor& v, const Tensor&) { return part.forward(v); }, x,
                               valid),
        "does not ignore padding: sample ");
}

TEST_CASE("self-attention passes every check", "[nn][check]") {
  Generator generator(1);
  nn::MultiHeadSelfAttention part({.embedding_dim = width, .heads = 2, .dropout = 0.1}, generator);
  check_masked_part(part);
}

TEST_CASE("encoder layers and encoders pass every check", "[nn][check]") {
  for (const bool norm_first : {false, true}) {
    Generator generator(2);
    nn::TransformerEncoderLayer layer(layer_options(norm_first), generator);
    check_masked_part(layer);
    nn::TransformerEncoder encoder(2, layer_options(norm_first), norm_first, generator);
    check_masked_part(encoder);
  }
}

TEST_CASE("cross-attention passes every check", "[nn][check]") {
  Generator generator(3);
  nn::MultiHeadAttention part({.embedding_dim = width, .heads = 2, .dropout = 0.1}, generator);
  part.eval();
  const Tensor memory = vectors(2);
  // As self-attention: causal where the mask says so.
  passes(check::causal(
      [&](const Tensor& v) { return part.forward(v, v, v, AttentionMask::causal()); }, vectors()));
  // Padding of the memory: it changes no output.
  const Tensor query = narrow(vectors(), 1, 0, 2);
  passes(check::ignores_padding(
      [&](const Tensor& m, const Tensor& real) {
        return part.forward(query, m, m, AttentionMask::key_validity(real));
      },
      memory, some_valid(), {.per_token = false}));
  passes(check::batch_independent([&](const Tensor& v) { return part.forward(v, v, v * 0.5F); },
                                  vectors()));
  passes(
      check::deterministic([&] { return part.forward(query, memory, memory); }, part.parameters()));
}

// A decoder layer or decoder: forward(x, memory, self mask, memory mask).
template <class Part>
void check_decoder(Part& part) {
  part.eval();
  const Tensor memory = vectors(2);
  const Tensor target = narrow(vectors(), 1, 0, 3);
  passes(check::causal(
      [&](const Tensor& v) { return part.forward(v, memory, AttentionMask::causal(), {}); },
      target));
  passes(check::ignores_padding(
      [&](const Tensor& m, const Tensor& real) {
        return part.forward(target, m, AttentionMask::causal(), AttentionMask::key_validity(real));
      },
      memory, some_valid(), {.per_token = false}));
  passes(check::batch_independent(
      [&](const Tensor& v) { return part.forward(v, v, AttentionMask::causal(), {}); }, memory));
  passes(check::deterministic(
      [&] { return part.forward(target, memory, AttentionMask::causal(), {}); },
      part.parameters()));
}

TEST_CASE("decoder layers and decoders pass every check", "[nn][check]") {
  for (const bool norm_first : {false, true}) {
    Generator generator(4);
    nn::TransformerDecoderLayer layer(layer_options(norm_first), generator);
    check_decoder(layer);
    nn::TransformerDecoder decoder(2, layer_options(norm_first), norm_first, generator);
    check_decoder(decoder);
  }
}

nn::Transformer small_transformer(double dropout) {
  Generator generator(5);
  return nn::Transformer({.source_vocabulary = 6,
                          .target_vocabulary = 6,
                          .dim = 16,
                          .heads = 2,
                          .encoder_layers = 1,
                          .decoder_layers = 1,
                          .hidden = 32,
                          .dropout = dropout},
                         generator);
}

TEST_CASE("the Transformer passes every check", "[nn][check]") {
  nn::Transformer model = small_transformer(0.1);
  model.eval();
  const Tensor source = ids_with_padding();
  const Tensor valid = not_equal(source, 0);
  const Tensor target = narrow(ids_with_padding(), 1, 0, 2);
  passes(check::causal([&](const Tensor& t) { return model.forward(source, t); },
                       where(valid, source, ones({batch, tokens}, DType::i64))));
  // Padding of ids is known by the id itself: what stands there can only be the padding id, so the
  // vectors behind it are what must not matter.
  passes(check::ignores_padding(
      [&](const Tensor& memory, const Tensor&) {
        return model.decode(target, memory, model.source_mask(source));
      },
      Generator(6).normal({batch, tokens, 16}), valid, {.per_token = false}));
  passes(check::batch_independent([&](const Tensor& s, const Tensor&) { return model.encode(s); },
                                  source, valid));
  passes(check::deterministic([&] { return model.forward(source, target); }, model.parameters()));
  passes(check::can_overfit_one_batch(
      model, [&] { return nn::cross_entropy(model.forward(source, target), target); }));
}

TEST_CASE("causal finds the smallest look ahead", "[nn][check]") {
  // Token t sees token t + 1.
  const auto shifted = [](const Tensor& x) {
    return Variable(concat({narrow(x, 1, 1, tokens - 1), narrow(x, 1, 0, 1)}, 1) * 0.001F);
  };
  const auto report = check::causal(shifted, vectors());
  fails(report, "not causal: token 0 of sample ");
  REQUIRE(report.where.size() == 3);
  CHECK(report.where[1] == 0);
  CHECK(report.difference > 0);
  // Only the last step is wrong.
  const auto late = [](const Tensor& x) {
    const Tensor last = narrow(x, 1, tokens - 1, 1);
    return Variable(concat({narrow(x, 1, 0, 3), last, last}, 1));
  };
  fails(check::causal(late, vectors()), "token 3 of sample");
  CHECK(check::causal(late, vectors()).where[1] == 3);
  const auto constant = [](const Tensor& x) { return Variable(zeros(x.shape())); };
  CHECK_THAT(check::causal(constant, vectors()).message,
             ContainsSubstring("but no output depends on any that was changed"));
  // NaN from what is hidden counts as seeing it.
  const auto poisoned = [](const Tensor& x) {
    const Tensor hidden = expand(narrow(x, 1, tokens - 1, 1), x.shape());
    return Variable(where(hidden > 1.0F, full(x.shape(), std::nan("")), x));
  };
  CHECK_FALSE(check::causal(poisoned, vectors()).ok);
}

TEST_CASE("batch independence finds statistics of the batch and mixed-up samples", "[nn][check]") {
  const auto centred = [](const Tensor& x) { return Variable(x - mean(x, 0, KeepDims::yes)); };
  fails(check::batch_independent(centred, vectors()), "sample 0 alone is not what it is among 3");
  // Each sample is given a bit of its neighbour.
  const auto mixed = [](const Tensor& x) {
    const Index count = x.size(0);
    return Variable(x + concat({narrow(x, 0, count - 1, 1), narrow(x, 0, 0, count - 1)}) * 0.5F);
  };
  CHECK_FALSE(check::batch_independent(mixed, vectors()).ok);
  // Right for a batch of one and for the batch at hand, by the place in it otherwise.
  const Tensor x = vectors();
  const auto by_place = [&x](const Tensor& samples) {
    const bool is_known = samples.size(0) == 1 || all_close(samples, x);
    return Variable(is_known ? samples : samples + 1.0F);
  };
  fails(check::batch_independent(by_place, x), "its order makes a difference");
}

TEST_CASE("deterministic finds dropout, in the output and in gradients alone", "[nn][check]") {
  Generator generator(7);
  nn::TransformerEncoderLayer layer(layer_options(true), generator);
  const Tensor x = vectors();
  layer.train();
  fails(check::deterministic([&] { return layer.forward(x); }),
        "not deterministic: output [0, 0, 0]");
  layer.eval();
  passes(check::deterministic([&] { return layer.forward(x); }));
  // The value is the same, its slope is not.
  const Variable w = parameter(ones({2}), "gain");
  int call = 0;
  const auto hidden = [&] {
    ++call;
    return w * static_cast<double>(call) + w.detach() * (1.0 - call);
  };
  const auto report = check::deterministic(hidden, {w});
  fails(report, "the gradient of gain [0] is 1 and then 2");
  CHECK(report.difference == 1);
}

TEST_CASE("overfitting one batch tells a model that learns from one that can't", "[nn][check]") {
  Generator generator(8);
  nn::Sequential model(nn::Linear({.in = 2, .out = 16}, generator), nn::Tanh(),
                       nn::Linear({.in = 16, .out = 1}, generator));
  const Tensor x = generator.normal({6, 2});
  const Tensor y = generator.normal({6, 1});
  const Tensor before = model.parameters()[0].value().clone();
  const auto loss = [&] { return nn::mse(model.forward(x), y); };
  model.parameters()[0].set_grad(Variable(ones(before.shape())));
  const auto learns = check::can_overfit_one_batch(model, loss, {.steps = 1000, .target = 0.01});
  passes(learns);
  CHECK_THAT(learns.message, ContainsSubstring("can overfit one batch: the loss went from "));
  // Nothing has changed.
  CHECK(same_bits(model.parameters()[0].value(), before));
  CHECK(same_bits(model.parameters()[0].grad().value(), ones(before.shape())));

  // The first layer is cut off, and what is left can't do it.
  const auto cut = [&] {
    const nn::Module& whole = model;
    const std::vector<Variable> p = whole.parameters();
    return nn::mse(matmul(Variable(x), zeros({2, 1})) + p[3], y);
  };
  const auto stuck = check::can_overfit_one_batch(model, cut, {.steps = 50});
  fails(stuck, "can't overfit one batch: the loss went from ");
  CHECK_THAT(stuck.message, ContainsSubstring("no gradient reaches 0.weight, 0.bias, 2.weight"));
  CHECK(stuck.difference > 0);
  CHECK(same_bits(model.parameters()[3].value(), zeros({1})));
  // An error on the way leaves the model as it was, too.
  int calls = 0;
  const auto throws = [&] {
    if (++calls == 3) throw IndexError("mine");
    return loss();
  };
  CHECK_THROWS_AS(check::can_overfit_one_batch(model, throws), IndexError);
  CHECK(same_bits(model.parameters()[0].value(), before));
}

TEST_CASE("checks refuse inputs on which nothing can be seen", "[nn][check]") {
  const auto same = [](const Tensor& x) { return Variable(x); };
  const auto masked = [](const Tensor& x, const Tensor&) { return Variable(x); };
  CHECK(error_text<Error>([&] {
          (void)check::causal(same, ones({2, 1, 3}));
        }) == "causal: one token has none behind it, x is [2, 1, 3]");
  CHECK(error_text<ShapeError>([&] { (void)check::causal(same, ones({2})); }) ==
        "causal: x must be [batch, tokens, ..], got [2]");
  CHECK(error_text<Error>([&] {
          (void)check::causal(same, ones({2, 3}, DType::i64));
        }) == "causal: x holds one id only; nothing can be changed");
  CHECK(
      error_text<ShapeError>([&] {
        (void)check::causal([](const Tensor&) { return Variable(zeros({2, 4})); }, ones({2, 3, 1}));
      }) == "causal: x has shape [2, 3, 1], so the output must be [2, 3, ..], got [2, 4]");
  CHECK(error_text<Error>([&] {
          (void)check::ignores_padding(masked, ones({1, 2, 1}), ones({1, 2}, DType::boolean));
        }) == "ignores_padding: no token is padding, nothing can be shown");
  CHECK(error_text<ShapeError>([&] {
          (void)check::ignores_padding(masked, ones({1, 2, 1}), zeros({1, 3}, DType::boolean));
        }) == "ignores_padding: x has shape [1, 2, 1], so the validity must be [1, 2], got [1, 3]");
  CHECK(error_text<ShapeError>([&] {
          (void)check::batch_independent(same, ones({1, 2}));
        }) == "batch_independent: x must be a batch of two samples at least");
  CHECK(error_text<Error>([&] { (void)check::deterministic([] { return Variable(); }); }) ==
        "deterministic: the function gave an undefined Variable");
}

}  // namespace
}  // namespace tensorette::testing
