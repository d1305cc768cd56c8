// Samples of operations with kernels of their own.
#include <op_sample_lists.hpp>
#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/fused/cross_entropy.hpp>
#include <tensorette/autograd/fused/dropout.hpp>
#include <tensorette/autograd/fused/embedding.hpp>
#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/autograd/fused/linear_cross_entropy.hpp>
#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/autograd/recompute.hpp>
#include <tensorette/tensor/random.hpp>

namespace tensorette::testing {

namespace {

void add_norms_and_linear(Samples& samples) {
  const Tensor x = values_between(-1, 1, {2, 2, 4}, 1);
  const Tensor gain = values_between(0.5, 1.5, {4}, 2);
  const Tensor bias = values_between(-1, 1, {4}, 3);
  const auto layer = [](Inputs in) { return layer_norm(in[0], in[1], in[2], 1e-3); };
  const auto layer_without = [](Inputs in) { return layer_norm(in[0], in[1], {}, 1e-3); };
  const auto rms = [](Inputs in) { return rms_norm(in[0], in[1], 1e-3); };
  const auto map = [](Inputs in) { return linear(in[0], in[1], in[2]); };
  const auto map_without = [](Inputs in) { return linear(in[0], in[1]); };
  const Tensor weight = values_between(-1, 1, {3, 4}, 4);
  const Tensor offset = values_between(-1, 1, {3}, 5);
  for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::sliced}) {
    const std::string what = name_of(layout);
    const Tensor input = laid_out(x, layout);
    add_sample(samples, Op::layer_norm, what, layer,
               {input, laid_out(gain, layout), laid_out(bias, layout)});
    add_sample(samples, Op::rms_norm, what, rms, {input, laid_out(gain, layout)});
    add_sample(samples, Op::linear, what, map,
               {input, laid_out(weight, layout), laid_out(offset, layout)});
  }
  const Tensor empty = zeros({0, 4}, DType::f64);
  add_sample(samples, Op::layer_norm, "no bias", layer_without, {x, gain});
  add_sample(samples, Op::layer_norm, "no rows", layer, {empty, gain, bias});
  add_sample(samples, Op::rms_norm, "no rows", rms, {empty, gain});
  add_sample(samples, Op::linear, "no bias", map_without, {x, weight});
  add_sample(samples, Op::linear, "a vector", map, {narrow(flatten(x), 0, 0, 4), weight, offset});
  add_sample(samples, Op::linear, "no rows", map, {empty, weight, offset});
  add_sample(samples, Op::linear, "no features", map,
             {zeros({2, 0}, DType::f64), zeros({3, 0}, DType::f64), offset});
}

void add_losses_and_tables(Samples& samples) {
  const Tensor logits = values_between(-2, 2, {2, 3, 4});
  const Tensor targets = ids({0, 3, -1, 2, 2, 1}, {2, 3});
  for (const double smoothing : {0.0, 0.1}) {
    add_unary(
        samples, Op::cross_entropy,
        [=](const Variable& v) { return cross_entropy(v, targets, -1, smoothing); }, logits,
        "smoothing " + std::to_string(smoothing) + ", ");
  }
  add_sample(samples, Op::cross_entropy, "all ignored",
             [](Inputs in) {
               return cross_entropy(in[0], ids({7, 7}, {2}), 7);
             },
             {values_between(-2, 2, {2, 3})});
  add_sample(samples, Op::cross_entropy, "no rows",
             [](Inputs in) { return cross_entropy(in[0], ids({}, {0})); },
             {zeros({0, 3}, DType::f64)});
  const Tensor tokens = ids({1, 0, 3, 3}, {2, 2});
  const Tensor table = values_between(-1, 1, {4, 3});
  add_unary(
      samples, Op::embedding, [=](const Variable& v) { return embedding(v, tokens); }, table);
  add_unary(
      samples, Op::embedding, [=](const Variable& v) { return embedding(v, tokens, 1.5); }, table,
      "scaled, ");
  add_sample(samples, Op::embedding, "no tokens",
             [](Inputs in) {
               return embedding(in[0], ids({}, {2, 0}));
             },
             {table});
  const Generator::State state = Generator(3).state();
  add_unary(
      samples, Op::dropout, [state](const Variable& v) { return dropout(v, 0.4, state); }, logits);
  add_unary(
      samples, Op::dropout, [state](const Variable& v) { return dropout(v, 1, state); }, logits,
      "everything, ");
  add_sample(samples, Op::dropout, "empty",
             [state](Inputs in) { return dropout(in[0], 0.4, state); },
             {zeros({0, 3}, DType::f64)});
}

void add_linear_cross_entropy(Samples& samples) {
  const Tensor x = values_between(-1, 1, {2, 3, 4}, 1);
  const Tensor weight = values_between(-1, 1, {5, 4}, 2);
  const Tensor bias = values_between(-1, 1, {5}, 3);
  const Tensor targets = ids({0, 3, -1, 4, 2, 1}, {2, 3});
  const auto loss = [targets](Inputs in) {
    return linear_cross_entropy(in[0], in[1], in[2], targets, -1, 0.1);
  };
  for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::sliced}) {
    add_sample(samples, Op::linear_cross_entropy, name_of(layout), loss,
               {laid_out(x, layout), laid_out(weight, layout), laid_out(bias, layout)});
  }
  add_sample(samples, Op::linear_cross_entropy, "no bias",
             [targets](Inputs in) { return linear_cross_entropy(in[0], in[1], {}, targets, -1); },
             {x, weight});
  add_sample(samples, Op::linear_cross_entropy, "one row",
             [](Inputs in) { return linear_cross_entropy(in[0], in[1], in[2], ids({2}, {})); },
             {values_between(-1, 1, {4}, 4), weight, bias});
  add_sample(samples, Op::linear_cross_entropy, "no rows",
             [](Inputs in) { return linear_cross_entropy(in[0], in[1], in[2], ids({}, {0})); },
             {zeros({0, 4}, DType::f64), weight, bias});
}

// Queries, keys, values and bias of two sequences and two heads, 3 queries and 4 keys.
std::vector<Variable> attention_inputs(Layout layout) {
  return {laid_out(values_between(-1, 1, {2, 2, 3, 2}, 1), layout),
          laid_out(values_between(-1, 1, {2, 2, 4, 2}, 2), layout),
          laid_out(values_between(-1, 1, {2, 2, 4, 3}, 3), layout),
          values_between(-1, 1, {1, 2, 3, 4}, 4)};
}

void add_attention(Samples& samples) {
  const auto add_rule = [&samples](const std::string& what, const AttentionRule& rule) {
    const auto attend = [rule](Inputs in) {
      AttentionRule own = rule;
      if (in.size() > 3) own.bias = in[3];
      return scaled_dot_product_attention(in[0], in[1], in[2], own);
    };
    add_sample(samples, Op::attention, what + ", bias", attend,
               attention_inputs(Layout::contiguous));
    std::vector<Variable> three = attention_inputs(Layout::transposed);
    three.pop_back();
    add_sample(samples, Op::attention, what + ", transposed", attend, std::move(three));
    const auto packed = [rule](Inputs in) {
      AttentionRule own = rule;
      if (in.size() > 1) own.bias = in[1];
      return packed_attention(in[0], 2, own);
    };
    if (rule.allowed.is_defined() || rule.key_validity.is_defined()) return;
    add_sample(samples, Op::packed_attention, what, packed, {values_between(-1, 1, {2, 3, 12})});
    add_sample(samples, Op::packed_attention, what + ", bias, sliced", packed,
               {laid_out(values_between(-1, 1, {2, 3, 12}), Layout::sliced),
                values_between(-1, 1, {2, 1, 3, 3}, 2)});
  };
  add_rule("all keys", {});
  add_rule("causal", {.causal = true});
  add_rule("scale", {.scale = 0.3});
  add_rule("dropout", {.dropout = 0.3, .dropout_state = Generator(4).state()});
  // The second query of the table sees no key.
  const Tensor allowed = tensor({{1, 0, 1, 1}, {0, 0, 0, 0}, {0, 1, 0, 0}}, DType::boolean);
  add_rule("mask", {.allowed = reshape(allowed, {1, 1, 3, 4})});
  add_rule("key validity", {.key_validity = tensor({{1, 1, 0, 1}, {0, 0, 0, 0}}, DType::boolean)});
  const auto attend = [](Inputs in) { return scaled_dot_product_attention(in[0], in[1], in[2]); };
  const auto nothing = [](Index batch, Index tokens) {
    return Variable(zeros({batch, 2, tokens, 3}, DType::f64));
  };
  add_sample(samples, Op::attention, "no batch", attend,
             {nothing(0, 2), nothing(0, 2), nothing(0, 2)});
  add_sample(samples, Op::attention, "no queries", attend,
             {nothing(1, 0), nothing(1, 2), nothing(1, 2)});
  add_sample(samples, Op::attention, "no keys", attend,
             {nothing(1, 2), nothing(1, 0), nothing(1, 0)});
  add_sample(samples, Op::packed_attention, "no tokens",
             [](Inputs in) { return packed_attention(in[0], 2); }, {zeros({2, 0, 12}, DType::f64)});
}

void add_recompute(Samples& samples) {
  const auto inside = [](Inputs in) { return tanh(in[0] * in[1]) * in[0]; };
  const auto recomputed = [inside](Inputs in) {
    return recompute(inside, std::vector<Variable>(in.begin(), in.end()));
  };
  add_sample(samples, Op::recompute, "two inputs", recomputed,
             {values_between(-1, 1, {2, 3}, 1), values_between(-1, 1, {3}, 2)});
  add_sample(samples, Op::recompute, "strided", recomputed,
             {laid_out(values_between(-1, 1, {3, 2}, 1), Layout::transposed),
              laid_out(values_between(-1, 1, {3, 2}, 2), Layout::sliced)});
  add_sample(samples, Op::recompute, "captured",
             [inside](Inputs in) {
               return recompute(
                   [inside, second = in[1]](const Variable& v) {
                     return inside(std::vector<Variable>{v, second});
                   },
                   in[0]);
             },
             {values_between(-1, 1, {2, 3}, 1), values_between(-1, 1, {2, 3}, 2)});
  add_sample(samples, Op::recompute, "empty", recomputed,
             {zeros({0, 3}, DType::f64), values_between(-1, 1, {3}, 2)});
}

}  // namespace

void add_fused(Samples& samples) {
  add_norms_and_linear(samples);
  add_losses_and_tables(samples);
  add_linear_cross_entropy(samples);
  add_attention(samples);
  add_recompute(samples);
}

}  // namespace tensorette::testing
