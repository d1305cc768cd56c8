#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/multi_head_attention.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn {
namespace {

using detail::require;

AttentionOptions checked(AttentionOptions options) {
  for (Index* width : {&options.qkv_dim, &options.key_dim, &options.value_dim}) {
    if (*width == 0) *width = options.embedding_dim;
  }
  require<Error>(
      options.embedding_dim > 0 && options.qkv_dim > 0 && options.key_dim > 0 &&
          options.value_dim > 0 && options.heads > 0,
      "MultiHeadAttention: sizes must be positive, got embedding_dim = {}, qkv_dim = {}, "
      "key_dim = {}, value_dim = {}, heads = {}",
      options.embedding_dim, options.qkv_dim, options.key_dim, options.value_dim, options.heads);
  require<Error>(options.qkv_dim % options.heads == 0,
                 "MultiHeadAttention: {} heads do not divide qkv_dim = {}", options.heads,
                 options.qkv_dim);
  return options;
}

void check_sequence(const char* name, const Variable& x, Index width) {
  require(x.rank() == 3 && x.size(2) == width, "attention: the {} is [batch, tokens, {}], got {}",
          name, width, x.shape());
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const AttentionOptions& given, Generator& generator)
    : MultiHeadAttention(checked(given), generator, Checked{}) {}

MultiHeadAttention::MultiHeadAttention(const AttentionOptions& options, Generator& generator,
                                       Checked)
    : query_projection({.in = options.embedding_dim, .out = options.qkv_dim, .bias = options.bias},
                       generator),
      key_projection({.in = options.key_dim, .out = options.qkv_dim, .bias = options.bias},
                     generator),
      value_projection({.in = options.value_dim, .out = options.qkv_dim, .bias = options.bias},
                       generator),
      output_projection({.in = options.qkv_dim, .out = options.embedding_dim, .bias = options.bias},
                        generator),
      dropout({.probability = options.dropout}, generator),
      heads_(options.heads) {}

ProjectedMemory MultiHeadAttention::project(const Variable& key, const Variable& value) const {
  return in_module(*this, [&] {
    check_sequence("key", key, key_projection.weight.size(1));
    check_sequence("value", value, value_projection.weight.size(1));
    return ProjectedMemory{split_heads(key_projection.forward(key), heads_),
                           split_heads(value_projection.forward(value), heads_)};
  });
}

Variable MultiHeadAttention::forward(const Variable& query, const ProjectedMemory& memory,
                                     const AttentionMask& mask) const {
  return in_module(*this, [&] {
    check_sequence("query", query, query_projection.weight.size(1));
    const Index batch = query.size(0);
    const Index queries = query.size(1);
    const Index keys = memory.keys.size(2);
    AttentionRule rule = mask.rule_for(batch, heads_, queries, keys);
    rule.dropout = dropout.active_probability();
    if (rule.dropout > 0) rule.dropout_state = dropout.reserve(batch * heads_ * queries * keys);
    const Variable query_heads = split_heads(query_projection.forward(query), heads_);
    return output_projection.forward(
        merge_heads(scaled_dot_product_attention(query_heads, memory.keys, memory.values, rule)));
  });
}

Variable MultiHeadAttention::forward(const Variable& query, const Variable& key,
                                     const Variable& value, const AttentionMask& mask) const {
  return forward(query, project(key, value), mask);
}

AttentionSteps MultiHeadAttention::steps(const Variable& query, const Variable& key,
                                         const Variable& value, const AttentionMask& mask) const {
  return in_module(*this, [&] {
    check_sequence("query", query, query_projection.weight.size(1));
    check_sequence("key", key, key_projection.weight.size(1));
    check_sequence("value", value, value_projection.weight.size(1));
    return attention_steps(query_projection.forward(query), key_projection.forward(key),
                           value_projection.forward(value), heads_, mask, output_projection);
  });
}

Variable MultiHeadAttention::scores(const Variable& query, const Variable& key,
                                    const AttentionMask& mask) const {
  return in_module(*this, [&] {
    check_sequence("query", query, query_projection.weight.size(1));
    check_sequence("key", key, key_projection.weight.size(1));
    const AttentionRule rule = mask.rule_for(query.size(0), heads_, query.size(1), key.size(1));
    return softmax(raw_attention_scores(split_heads(query_projection.forward(query), heads_),
                                        split_heads(key_projection.forward(key), heads_), rule),
                   -1);
  });
}

}  // namespace tensorette::nn
