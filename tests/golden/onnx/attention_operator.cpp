#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/attention_mask.hpp>
#include <tensorette/nn/attention_steps.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "operators.hpp"

namespace tensorette::testing::onnx {
namespace {

/// [B, T, H · width] or [B, H, T, width] -> [B, H, T, width].
Tensor heads_of(const Vector& v, std::size_t place, const char* count) {
  const Tensor& x = v.input(place);
  return x.rank() == 4 ? x : nn::split_heads(x, v.get<Index>(count, 1)).value();
}

/// Keys or values behind those of earlier calls.
Tensor with_past(const Vector& v, const Tensor& present, std::size_t place) {
  return v.has_input(place) ? concat({v.input(place), present}, 2) : present;
}

/// Each head as often as there are query heads for it.
Tensor shared_heads(const Tensor& x, Index heads) {
  const Index group = heads / x.size(1);
  if (group == 1) return x;
  std::vector<Index> source;
  for (Index head = 0; head < heads; ++head) source.push_back(head / group);
  return index_select(x, 1, from_vector(source));
}

/// A table [.., Tq, Tk] with leading axes of size 1.
Tensor with_four_axes(Tensor table) {
  while (table.rank() < 4) table = unsqueeze(table, 0);
  return table;
}

/// Aligned at the start of the present keys or, where only some of the keys are real, at their end.
nn::AttentionMask causal_mask(const Vector& v, Index batch, Index queries, Index keys) {
  std::vector<bool> allowed;
  for (Index sample = 0; sample < batch; ++sample) {
    Index first = v.has_input(4) ? v.input(4).size(2) : 0;
    if (v.has_input(6)) first = v.input(6).at<Index>(sample) - queries;
    for (Index query = 0; query < queries; ++query) {
      for (Index key = 0; key < keys; ++key) allowed.push_back(key <= first + query);
    }
  }
  Tensor table(Shape{batch, queries, keys}, DType::boolean);
  std::copy(allowed.begin(), allowed.end(), table.mutable_data<bool>());
  return nn::AttentionMask::allow(table);
}

AttentionRule rule_of(const Vector& v, const Tensor& query, Index keys) {
  const Index batch = query.size(0);
  const Index heads = query.size(1);
  const Index queries = query.size(2);
  nn::AttentionMask mask;
  if (v.has_input(3)) {
    const Tensor& table = v.input(3);
    Shape shape = with_four_axes(table).shape();
    shape[0] = batch;
    shape[1] = heads;
    const Tensor whole = expand(with_four_axes(table), shape);
    mask = mask & (table.dtype() == DType::boolean ? nn::AttentionMask::allow(whole)
                                                   : nn::AttentionMask::bias(whole));
  }
  if (v.get("is_causal", 0) != 0) mask = mask & causal_mask(v, batch, queries, keys);
  if (v.has_input(6)) mask = mask & nn::AttentionMask::key_lengths(integers(v.input(6)), keys);
  AttentionRule rule = mask.rule_for(batch, heads, queries, keys);
  rule.scale = v.get("scale", 0.0);
  return rule;
}

std::vector<Tensor> attention(const Vector& v) {
  if (v.get("softcap", 0.0) != 0) throw NotOffered("capped attention scores");
  const Tensor query = heads_of(v, 0, "q_num_heads");
  const Tensor all_keys = with_past(v, heads_of(v, 1, "kv_num_heads"), 4);
  const Tensor all_values = with_past(v, heads_of(v, 2, "kv_num_heads"), 5);
  const Variable key = shared_heads(all_keys, query.size(1));
  const Variable value = shared_heads(all_values, query.size(1));
  const AttentionRule rule = rule_of(v, query, key.size(2));
  const Variable weights = scaled_dot_product_attention(query, key, value, rule);
  const Variable output = v.input(0).rank() == 4 ? weights : nn::merge_heads(weights);
  // Mode 0 is the bare products, 3 the softmax, and between them what has been masked.
  const int mode = v.get("qk_matmul_output_mode", 0);
  Variable scores =
      raw_attention_scores(query, key, mode == 0 ? AttentionRule{.scale = rule.scale} : rule);
  if (mode == 3) scores = softmax(scores);
  return {output.value(), all_keys, all_values, scores.value()};
}

}  // namespace

void add_attention_operator(OperatorTable& table) {
  table["Attention"] = attention;
}

}  // namespace tensorette::testing::onnx
