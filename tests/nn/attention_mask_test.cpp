// Masks: what true means at every entry, shapes that are taken and refused, and combinations.
#include <limits>
#include <tensorette/nn/attention_mask.hpp>
#include <tensorette/nn/transformer_layers.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "attention_oracle.hpp"
#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

void set_identity(Linear& linear, double factor = 1.0) {
  Tensor weight = linear.weight.value();
  copy_(weight, eye(weight.size(0), weight.size(1)) * factor);
  if (linear.bias.is_defined()) {
    Tensor bias = linear.bias.value();
    fill_(bias, 0);
  }
}

/// Equal scores for all keys; values and output as the memory is.
MultiHeadAttention averaging(Index dim, Index heads = 1) {
  Generator generator(1);
  MultiHeadAttention attention({.embedding_dim = dim, .heads = heads}, generator);
  set_identity(attention.query_projection, 0.0);
  set_identity(attention.key_projection);
  set_identity(attention.value_projection);
  set_identity(attention.output_projection);
  return attention;
}

Tensor booleans(std::initializer_list<detail::Nested> values) {
  return tensor(values, DType::boolean);
}

}  // namespace

TEST_CASE("true means: this key may be attended", "[mask][field][A03]") {
  const Tensor values = tensor({{{10}, {20}}});
  const Tensor query = tensor({{{1}}});
  const auto attention = averaging(1);
  // allow, key_validity, key_lengths: all keep the first key
  for (const AttentionMask& mask :
       {AttentionMask::allow(booleans({{1, 0}})), AttentionMask::key_validity(booleans({{1, 0}})),
        AttentionMask::key_lengths({1}, 2)}) {
    CHECK(attention.forward(query, values, values, mask).item() == 10.0);
    CHECK(attention.forward(query, attention.project(values, values), mask).item() == 10.0);
    CHECK(attention.steps(query, values, values, mask).output.item() == 10.0);
    CHECK(distance(attention.scores(query, values, mask).value(), {1, 0}) == 0.0);
  }
  CHECK(attention.forward(query, values, values).item() == 15.0);

  // In the layers: what is hidden with `true` at the first key only can't change anything.
  Generator generator(2);
  const TransformerLayerOptions options{.dim = 4, .heads = 2, .hidden = 8, .dropout = 0.0};
  const TransformerEncoderLayer encoder(options, generator);
  const TransformerDecoderLayer decoder(options, generator);
  const Tensor x = generator.normal({1, 2, 4});
  Tensor changed = x.clone();
  Tensor second = narrow(changed, 1, 1, 1);
  fill_(second, 7);
  const AttentionMask first_only = AttentionMask::key_validity(booleans({{1, 0}}));
  const auto first_row = [](const Variable& y) { return narrow(y.value(), 1, 0, 1); };
  CHECK(same_bits(first_row(encoder.forward(x, first_only)),
                  first_row(encoder.forward(changed, first_only))));
  CHECK_FALSE(same_bits(first_row(encoder.forward(x)), first_row(encoder.forward(changed))));
  CHECK(same_bits(first_row(decoder.forward(x, x, first_only, {})),
                  first_row(decoder.forward(changed, x, first_only, {}))));
  CHECK(same_bits(decoder.forward(x, x, {}, first_only).value(),
                  decoder.forward(x, changed, {}, first_only).value()));
  CHECK_FALSE(same_bits(decoder.forward(x, x, {}, {}).value(),
                        decoder.forward(x, changed, {}, {}).value()));
}

TEST_CASE("numbers are added, booleans hide, and neither passes as the other",
          "[mask][field][A04]") {
  const auto attention = averaging(1);
  const Tensor query = tensor({{{1}}});
  const Tensor keys = tensor({{{1}, {2}, {3}}});
  CHECK(distance(attention.scores(query, keys, AttentionMask::bias(tensor({{1, 1, 0}}))).value(),
                 {0.4223188, 0.4223188, 0.1553624}) < 1e-6);
  CHECK(distance(attention.scores(query, keys, AttentionMask::allow(booleans({{1, 1, 0}}))).value(),
                 {0.5, 0.5, 0}) < 1e-6);
  CHECK_THAT(error_text<DTypeError>([] {
               (void)AttentionMask::allow(ones({2, 2}));
             }),
             ContainsSubstring("f32") && ContainsSubstring("bias"));
  CHECK_THAT(error_text<DTypeError>([] {
               (void)AttentionMask::bias(booleans({{1, 0}}));
             }),
             ContainsSubstring("bool") && ContainsSubstring("allow"));
  CHECK_THAT(error_text<DTypeError>([] {
               (void)AttentionMask::key_validity(ones({1, 2}));
             }),
             ContainsSubstring("f32"));
  CHECK_THAT(error_text<DTypeError>([] { (void)AttentionMask::allow(Tensor()); }),
             ContainsSubstring("allow"));
}

TEST_CASE("accepted shapes mean the same in both modes, others are refused", "[mask][field][A06]") {
  Generator generator(3);
  MultiHeadSelfAttention attention({.embedding_dim = 8, .heads = 4}, generator);
  const Tensor x = generator.normal({2, 3, 8});
  const Tensor table = booleans({{1, 0, 1}, {1, 1, 0}, {0, 1, 1}});
  const Tensor expected = attention.forward(x, AttentionMask::allow(table)).value();
  for (const bool training : {true, false}) {
    attention.train(training);
    for (const Shape& shape : {Shape{3, 3}, Shape{2, 3, 3}, Shape{2, 1, 3, 3}, Shape{2, 4, 3, 3}}) {
      const AttentionMask mask = AttentionMask::allow(expand(table, shape));
      CHECK(same_bits(attention.forward(x, mask).value(), expected));
      CHECK(distance(attention.steps(x, mask).output.value(), expected) < 1e-5);
    }
    for (const Shape& shape : {Shape{9, 3, 3}, Shape{3}, Shape{1, 3, 3}, Shape{3, 2}, Shape{2, 3},
                               Shape{2, 2, 3, 3}, Shape{1, 4, 3, 3}, Shape{2, 4, 3, 1}}) {
      const auto text_of = [&](const AttentionMask& mask) {
        return error_text<ShapeError>([&] { (void)attention.forward(x, mask); });
      };
      const std::string asked = "[2, 4, 3, 3]";
      std::string got = "[";
      for (int axis = 0; axis < shape.rank(); ++axis) {
        got += (axis > 0 ? ", " : "") + std::to_string(shape[axis]);
      }
      got += "]";
      CHECK_THAT(text_of(AttentionMask::allow(ones(shape, DType::boolean))),
                 ContainsSubstring(asked) && ContainsSubstring(got) && ContainsSubstring("mask"));
      CHECK_THAT(text_of(AttentionMask::bias(ones(shape))),
                 ContainsSubstring(asked) && ContainsSubstring(got) && ContainsSubstring("bias"));
    }
  }
  CHECK_THAT(
      error_text<ShapeError>([&] {
        (void)attention.forward(x, AttentionMask::key_validity(ones({2, 4}, DType::boolean)));
      }),
      ContainsSubstring("[2, 4]") && ContainsSubstring("[2, 3]"));
  CHECK_THAT(error_text<ShapeError>([&] {
               (void)AttentionMask::key_validity(ones({2, 3, 3}, DType::boolean));
             }),
             ContainsSubstring("[2, 3, 3]"));
}

TEST_CASE("causal masks are aligned at the end", "[mask][field][A17]") {
  const auto attention = averaging(1);
  const Tensor keys = tensor({{{1}, {2}, {3}, {4}}});
  CHECK(attention.forward(tensor({{{1}}}), keys, keys, AttentionMask::causal()).item() == 2.5);
  const Tensor two =
      attention.forward(tensor({{{1}, {1}}}), keys, keys, AttentionMask::causal()).value();
  CHECK(distance(two, {2.0, 2.5}) < 1e-6);
  // More queries than keys: the first see none.
  const Tensor last = tensor({{{5}}});
  CHECK(
      distance(
          attention.forward(tensor({{{1}, {1}, {1}}}), last, last, AttentionMask::causal()).value(),
          {0, 0, 5}) < 1e-6);
}

TEST_CASE("masks that hide a cell twice stay finite", "[mask][field][A25]") {
  Generator generator(4);
  const MultiHeadSelfAttention attention({.embedding_dim = 4, .heads = 2}, generator);
  const Tensor x = generator.normal({1, 3, 4});
  const AttentionMask padding = AttentionMask::key_lengths({2}, 3);
  const Tensor single = booleans({{1, 0, 0}, {1, 1, 0}, {1, 1, 0}});
  const Tensor expected = attention.forward(x, AttentionMask::allow(single)).value();
  CHECK(same_bits(attention.forward(x, AttentionMask::causal() & padding).value(), expected));

  const auto lowest = static_cast<double>(std::numeric_limits<float>::lowest());
  const Tensor causal_plane = tensor({{0, lowest, lowest}, {0, 0, lowest}, {0, 0, 0}});
  const Tensor padding_plane = tensor({{0, 0, lowest}, {0, 0, lowest}, {0, 0, lowest}});
  const AttentionMask planes =
      AttentionMask::bias(causal_plane) & AttentionMask::bias(padding_plane);
  CHECK(distance(attention.forward(x, planes).value(), expected) < 1e-6);
  CHECK(distance(attention.steps(x, planes).output.value(), expected) < 1e-6);
}

TEST_CASE("masks combine by logical and, biases by sum", "[mask]") {
  CHECK(AttentionMask().is_empty());
  CHECK((AttentionMask() & AttentionMask()).is_empty());
  CHECK_FALSE(AttentionMask::causal().is_empty());
  CHECK_FALSE((AttentionMask() & AttentionMask::key_lengths({1}, 2)).is_empty());

  const Tensor a = booleans({{1, 1, 0}, {1, 0, 1}});
  const Tensor b = booleans({{1, 0, 1}, {1, 1, 1}});
  const AttentionRule rule =
      (AttentionMask::allow(a) & AttentionMask::allow(b) & AttentionMask::bias(full({2, 3}, 1.5)) &
       AttentionMask::bias(full({2, 2, 2, 3}, 2.0)) & AttentionMask::key_lengths({3, 2}, 3) &
       AttentionMask::key_lengths({1, 3}, 3))
          .rule_for(2, 2, 2, 3);
  CHECK_FALSE(rule.causal);
  CHECK(numbers(rule.allowed) == std::vector<double>{1, 0, 0, 1, 0, 1});
  CHECK(numbers(rule.key_validity) == std::vector<double>{1, 0, 0, 1, 1, 0});
  CHECK(distance(rule.bias.value(), full({2, 2, 2, 3}, 3.5)) == 0.0);

  // The order does not matter, and combining leaves the parts as they were.
  const AttentionMask causal = AttentionMask::causal();
  const AttentionMask either = causal & AttentionMask::allow(a);
  CHECK((AttentionMask::allow(a) & causal).rule_for(1, 1, 2, 3).causal);
  CHECK(either.rule_for(1, 1, 2, 3).causal);
  CHECK_FALSE(causal.rule_for(1, 1, 2, 3).allowed.is_defined());
}

TEST_CASE("key lengths count real keys from the start", "[mask]") {
  const AttentionRule rule = AttentionMask::key_lengths({0, 2, 3}, 3).rule_for(3, 1, 5, 3);
  CHECK(rule.key_validity.dtype() == DType::boolean);
  CHECK(numbers(rule.key_validity) == std::vector<double>{0, 0, 0, 1, 1, 0, 1, 1, 1});
  CHECK_THAT(error_text<Error>([] {
               (void)AttentionMask::key_lengths({2, 4}, 3);
             }),
             ContainsSubstring("4") && ContainsSubstring("3"));
  CHECK_THAT(error_text<Error>([] { (void)AttentionMask::key_lengths({-1}, 3); }),
             ContainsSubstring("-1"));
}
