#include <cmath>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/attention_steps.hpp>

namespace tensorette::nn {

Variable split_heads(const Variable& x, Index heads) {
  const Shape split{x.size(0), x.size(1), heads, x.size(2) / heads};
  return transpose(reshape(x, split), 1, 2);
}

Variable merge_heads(const Variable& x) {
  return reshape(transpose(x, 1, 2), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

AttentionSteps attention_steps(const Variable& queries, const Variable& keys,
                               const Variable& values, Index heads, const AttentionMask& mask,
                               const Linear& output_projection) {
  AttentionSteps s{.queries = queries, .keys = keys, .values = values};
  s.query_heads = split_heads(queries, heads);
  s.key_heads = split_heads(keys, heads);
  s.value_heads = split_heads(values, heads);
  s.dot_products = matmul(s.query_heads, transpose(s.key_heads));
  const AttentionRule rule = mask.rule_for(queries.size(0), heads, queries.size(1), keys.size(1));
  s.raw_scores = raw_attention_scores(s.query_heads, s.key_heads, rule);
  s.scores = softmax(s.raw_scores, -1);
  s.weights = matmul(s.scores, s.value_heads);
  s.context = merge_heads(s.weights);
  s.output = output_projection.forward(s.context);
  return s;
}

Variable mean_over_heads(const Variable& scores) {
  return mean(scores, 1);
}

}  // namespace tensorette::nn
