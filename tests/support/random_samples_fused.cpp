#include <optional>
#include <random_sample_makers.hpp>
#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/fused/cross_entropy.hpp>
#include <tensorette/autograd/fused/dropout.hpp>
#include <tensorette/autograd/fused/embedding.hpp>
#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/autograd/fused/linear_cross_entropy.hpp>
#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/autograd/recompute.hpp>

namespace tensorette::testing {
namespace {

AttentionRule random_rule(Dice& dice, Index batch, Index heads, Index queries, Index keys) {
  AttentionRule rule;
  rule.causal = dice.coin() && queries <= keys;
  if (dice.coin()) rule.allowed = dice.flags({1, dice.coin() ? heads : 1, queries, keys});
  if (dice.coin()) rule.key_validity = dice.flags({batch, keys});
  if (dice.coin()) rule.scale = 0.7;
  if (dice.coin()) {
    rule.dropout = 0.3;
    rule.dropout_state = dice.numbers();
  }
  return rule;
}

Made made_attention(Dice& dice) {
  const Index batch = dice.size();
  const Index heads = dice.size();
  const Index queries = dice.size();
  const Index keys = dice.size();
  const Index width = dice.size();
  const AttentionRule rule = random_rule(dice, batch, heads, queries, keys);
  std::vector<Variable> inputs{dice.values(-1, 1, {batch, heads, queries, width}),
                               dice.values(-1, 1, {batch, heads, keys, width}),
                               dice.values(-1, 1, {batch, heads, keys, dice.size()})};
  if (dice.coin()) inputs.emplace_back(dice.values(-1, 1, {1, heads, queries, keys}));
  return {[rule](Inputs in) {
            AttentionRule own = rule;
            if (in.size() > 3) own.bias = in[3];
            return scaled_dot_product_attention(in[0], in[1], in[2], own);
          },
          inputs};
}

Made made_packed_attention(Dice& dice) {
  const Index batch = dice.size();
  const Index heads = dice.size();
  const Index tokens = dice.size();
  const AttentionRule rule = random_rule(dice, batch, heads, tokens, tokens);
  return {[rule, heads](Inputs in) { return packed_attention(in[0], heads, rule); },
          {laid_out(dice.values(-1, 1, {batch, tokens, 3 * heads * dice.size()}), dice.layout())}};
}

Made made_cross_entropy(Dice& dice) {
  const Shape shape = dice.shape(1, 3);
  const Tensor targets =
      dice.ids(Shape(std::vector<Index>(shape.begin(), shape.end() - 1)), shape[shape.rank() - 1]);
  const std::optional<Index> ignored = dice.coin() ? std::optional<Index>(0) : std::nullopt;
  const double smoothing = dice.coin() ? 0.1 : 0.0;
  return {[=](Inputs in) { return cross_entropy(in[0], targets, ignored, smoothing); },
          {laid_out(dice.values(-2, 2, shape), dice.layout())}};
}

Made made_linear_cross_entropy(Dice& dice) {
  const Shape shape = dice.shape(1, 3);
  const Index classes = dice.size();
  const Tensor targets =
      dice.ids(Shape(std::vector<Index>(shape.begin(), shape.end() - 1)), classes);
  const std::optional<Index> ignored = dice.coin() ? std::optional<Index>(0) : std::nullopt;
  std::vector<Variable> inputs{laid_out(dice.values(-1, 1, shape), dice.layout()),
                               dice.values(-1, 1, {classes, shape[shape.rank() - 1]})};
  if (dice.coin()) inputs.emplace_back(dice.values(-1, 1, {classes}));
  return {[=](Inputs in) {
            return linear_cross_entropy(in[0], in[1], in.size() > 2 ? in[2] : Variable(), targets,
                                        ignored, 0.1);
          },
          inputs};
}

// Far from rows whose elements are all alike, where the norms curve strongly.
constexpr double norm_epsilon = 0.1;

Made made_norm(Dice& dice, bool centred) {
  const Shape shape = dice.shape(1);
  const Shape width{shape[shape.rank() - 1]};
  std::vector<Variable> inputs{laid_out(dice.values(-2, 2, shape), dice.layout()),
                               dice.values(0.5, 1.5, width)};
  if (!centred) {
    return {[](Inputs in) { return rms_norm(in[0], in[1], norm_epsilon); }, inputs};
  }
  if (dice.coin()) inputs.emplace_back(dice.values(-1, 1, width));
  return {[](Inputs in) {
            return layer_norm(in[0], in[1], in.size() > 2 ? in[2] : Variable(), norm_epsilon);
          },
          inputs};
}

}  // namespace

void add_fused_makers(Makers& makers) {
  makers[Op::linear] = [](Dice& dice) {
    const Shape shape = dice.shape(1);
    const Index out = dice.size();
    std::vector<Variable> inputs{laid_out(dice.values(-2, 2, shape), dice.layout()),
                                 dice.values(-2, 2, {out, shape[shape.rank() - 1]})};
    if (dice.coin()) inputs.emplace_back(dice.values(-2, 2, {out}));
    return Made{[](Inputs in) { return linear(in[0], in[1], in.size() > 2 ? in[2] : Variable()); },
                inputs};
  };
  makers[Op::layer_norm] = [](Dice& dice) { return made_norm(dice, true); };
  makers[Op::rms_norm] = [](Dice& dice) { return made_norm(dice, false); };
  makers[Op::dropout] = shaped([](Dice& dice, const Shape&) {
    return [state = dice.numbers()](Inputs in) { return dropout(in[0], 0.4, state); };
  });
  makers[Op::cross_entropy] = made_cross_entropy;
  makers[Op::linear_cross_entropy] = made_linear_cross_entropy;
  makers[Op::embedding] = shaped(
      [](Dice& dice, const Shape& shape) {
        const Tensor tokens = dice.ids(dice.shape(0, 3), shape[0]);
        return [tokens](Inputs in) { return embedding(in[0], tokens, 1.5); };
      },
      2, 2);
  makers[Op::attention] = made_attention;
  makers[Op::packed_attention] = made_packed_attention;
  makers[Op::recompute] = [](Dice& dice) {
    const Shape full = dice.shape();
    return Made{[](Inputs in) {
                  return recompute([](Inputs own) { return tanh(own[0] * own[1]) * own[0]; },
                                   {in[0], in[1]});
                },
                {dice.values(-1, 1, full), dice.values(-1, 1, dice.broadcast_from(full))}};
  };
}

}  // namespace tensorette::testing
