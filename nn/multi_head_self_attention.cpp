#include <limits>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/initialize.hpp>
#include <tensorette/nn/multi_head_self_attention.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn {
namespace {

using detail::require;

SelfAttentionOptions checked(SelfAttentionOptions options) {
  if (options.qkv_dim == 0) options.qkv_dim = options.embedding_dim;
  require<Error>(
      options.embedding_dim > 0 && options.qkv_dim > 0 && options.heads > 0,
      "MultiHeadSelfAttention: sizes must be positive, got embedding_dim = {}, qkv_dim = "
      "{}, heads = {}",
      options.embedding_dim, options.qkv_dim, options.heads);
  require<Error>(options.qkv_dim <= std::numeric_limits<Index>::max() / 3,
                 "MultiHeadSelfAttention: qkv_dim = {} is too large", options.qkv_dim);
  require<Error>(options.qkv_dim % options.heads == 0,
                 "MultiHeadSelfAttention: {} heads do not divide qkv_dim = {}", options.heads,
                 options.qkv_dim);
  return options;
}

}  // namespace

MultiHeadSelfAttention::MultiHeadSelfAttention(const SelfAttentionOptions& given,
                                               Generator& generator)
    : MultiHeadSelfAttention(checked(given), generator, Checked{}) {}

MultiHeadSelfAttention::MultiHeadSelfAttention(const SelfAttentionOptions& options,
                                               Generator& generator, Checked)
    : qkv_projection(
          {.in = options.embedding_dim, .out = 3 * options.qkv_dim, .bias = options.bias},
          generator),
      output_projection({.in = options.qkv_dim, .out = options.embedding_dim, .bias = options.bias},
                        generator),
      dropout({.probability = options.dropout}, generator),
      heads_(options.heads),
      qkv_dim_(options.qkv_dim) {
  // Three matrices on each other, each with the fan of its own.
  for (Index part = 0; part < 3; ++part) {
    Tensor block = narrow(qkv_projection.weight.value(), 0, part * qkv_dim_, qkv_dim_);
    copy_(block, xavier_uniform(qkv_dim_, options.embedding_dim, generator));
  }
}

void MultiHeadSelfAttention::check_input(const Variable& x) const {
  require(x.rank() == 3 && x.size(2) == qkv_projection.weight.size(1),
          "self-attention: takes [batch, tokens, embedding_dim = {}], got {}",
          qkv_projection.weight.size(1), x.shape());
}

Variable MultiHeadSelfAttention::forward(const Variable& x, const AttentionMask& mask) const {
  return in_module(*this, [&] {
    check_input(x);
    const Index batch = x.size(0);
    const Index tokens = x.size(1);
    AttentionRule rule = mask.rule_for(batch, heads_, tokens, tokens);
    rule.dropout = dropout.active_probability();
    if (rule.dropout > 0) rule.dropout_state = dropout.reserve(batch * heads_ * tokens * tokens);
    const Variable packed = qkv_projection.forward(x);                // [B, T, 3 · qkv_dim]
    const Variable context = packed_attention(packed, heads_, rule);  // [B, T, qkv_dim]
    return output_projection.forward(context);
  });
}

std::vector<Variable> MultiHeadSelfAttention::project(const Variable& x) const {
  return split(qkv_projection.forward(x), qkv_dim_, -1);
}

AttentionSteps MultiHeadSelfAttention::steps(const Variable& x, const AttentionMask& mask) const {
  return in_module(*this, [&] {
    check_input(x);
    const std::vector<Variable> qkv = project(x);
    return attention_steps(qkv[0], qkv[1], qkv[2], heads_, mask, output_projection);
  });
}

Variable MultiHeadSelfAttention::scores(const Variable& x, const AttentionMask& mask) const {
  return in_module(*this, [&] {
    check_input(x);
    const std::vector<Variable> qkv = project(x);
    const AttentionRule rule = mask.rule_for(x.size(0), heads_, x.size(1), x.size(1));
    return softmax(
        raw_attention_scores(split_heads(qkv[0], heads_), split_heads(qkv[1], heads_), rule), -1);
  });
}

Variable MultiHeadSelfAttention::forward_cached(const Variable& x, KeyValueCache& cache) const {
  return in_module(*this, [&] {
    check_input(x);
    const NoGrad no_grad;
    const std::vector<Variable> qkv = project(x);
    cache.append(split_heads(qkv[1], heads_).value(), split_heads(qkv[2], heads_).value());
    const Variable context = scaled_dot_product_attention(split_heads(qkv[0], heads_), cache.keys(),
                                                          cache.values(), {.causal = true});
    return output_projection.forward(merge_heads(context));
  });
}

PerHeadWeights MultiHeadSelfAttention::per_head_weights() const {
  const Tensor& packed = qkv_projection.weight.value();
  const Index width = qkv_dim_ / heads_;
  const auto heads_of = [&](Index part) {
    const Tensor block = narrow(packed, 0, part * qkv_dim_, qkv_dim_);
    return transpose(reshape(block, {heads_, width, packed.size(1)})).contiguous();
  };
  const Tensor output = transpose(output_projection.weight.value()).contiguous();
  return {heads_of(0), heads_of(1), heads_of(2), reshape(output, {heads_, width, output.size(1)})};
}

void MultiHeadSelfAttention::set_per_head_weights(const PerHeadWeights& weights) {
  const Index width = qkv_dim_ / heads_;
  const Index embedding_dim = output_projection.weight.size(0);
  for (const Tensor* part : {&weights.query, &weights.key, &weights.value}) {
    require(part->shape() == Shape{heads_, embedding_dim, width},
            "set_per_head_weights: got {}, expected [heads, embedding_dim, head_dim] = {}",
            part->shape(), Shape{heads_, embedding_dim, width});
  }
  require(weights.output.shape() == Shape{heads_, width, embedding_dim},
          "set_per_head_weights: got the output {}, expected [heads, head_dim, embedding_dim] = {}",
          weights.output.shape(), Shape{heads_, width, embedding_dim});
  Index start = 0;
  for (const Tensor* part : {&weights.query, &weights.key, &weights.value}) {
    Tensor block = narrow(qkv_projection.weight.value(), 0, start, qkv_dim_);
    copy_(block, reshape(transpose(*part), {qkv_dim_, embedding_dim}));
    start += qkv_dim_;
  }
  Tensor output = output_projection.weight.value();
  copy_(output, transpose(reshape(weights.output, {qkv_dim_, embedding_dim})));
}

}  // namespace tensorette::nn
