// (c) Attention kernels bound to the graph; (a) is attention_reference.cpp, (b) the kernels.
#include <cmath>
#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/kernels/attention.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>

namespace tensorette {
namespace {

using detail::require;
using kernels::AttentionProblem;
using kernels::HeadsView;

void check_table(const char* name, const Shape& table, const Shape& full) {
  require(table.rank() == 4 && is_broadcastable_to(table, full),
          "attention: the {} has shape {}, it must broadcast to [batch, heads, queries, keys] = {}",
          name, table, full);
}

void check(const Variable& query, const Variable& key, const Variable& value,
           const AttentionRule& rule) {
  require<Error>(query.is_defined() && key.is_defined() && value.is_defined(),
                 "attention: got an undefined tensor");
  const bool fits = query.rank() == 4 && key.rank() == 4 && value.rank() == 4 &&
                    query.shape()[0] == key.shape()[0] && key.shape()[0] == value.shape()[0] &&
                    query.shape()[1] == key.shape()[1] && key.shape()[1] == value.shape()[1] &&
                    query.shape()[3] == key.shape()[3] && key.shape()[2] == value.shape()[2];
  require(fits, "attention: shapes do not fit: query {}, key {}, value {}", query.shape(),
          key.shape(), value.shape());
  require<DTypeError>(
      is_floating(query.dtype()) && query.dtype() == key.dtype() && key.dtype() == value.dtype(),
      "attention: takes one floating dtype, got query {}, key {}, value {}", query.dtype(),
      key.dtype(), value.dtype());
  require<Error>(rule.dropout >= 0 && rule.dropout <= 1,
                 "attention: the dropout probability is {}, it must be in [0, 1]", rule.dropout);
  const Shape full{query.shape()[0], query.shape()[1], query.shape()[2], key.shape()[2]};
  if (rule.allowed.is_defined()) {
    require<DTypeError>(rule.allowed.dtype() == DType::boolean,
                        "attention: the mask must be boolean, got {}", rule.allowed.dtype());
    check_table("mask", rule.allowed.shape(), full);
  }
  if (rule.key_validity.is_defined()) {
    require<DTypeError>(rule.key_validity.dtype() == DType::boolean,
                        "attention: the key validity must be boolean, got {}",
                        rule.key_validity.dtype());
    require(rule.key_validity.shape() == Shape{full[0], full[3]},
            "attention: the key validity has shape {}, it must be [batch, keys] = {}",
            rule.key_validity.shape(), Shape{full[0], full[3]});
  }
  if (rule.bias.is_defined()) {
    require<DTypeError>(rule.bias.dtype() == query.dtype(),
                        "attention: the bias is {}, the query {}", rule.bias.dtype(),
                        query.dtype());
    check_table("bias", rule.bias.shape(), full);
  }
}

// Rows of a head must be dense; anything else is copied.
Tensor with_dense_rows(const Tensor& heads) {
  return heads.strides()[3] == 1 || heads.shape()[3] <= 1 ? heads : heads.contiguous();
}

template <class T>
HeadsView<const T> view_of(const Tensor& heads) {
  return {heads.data<T>(), heads.strides()[0], heads.strides()[1], heads.strides()[2]};
}
template <class T>
HeadsView<T> mutable_view_of(Tensor& heads) {
  return {heads.mutable_data<T>(), heads.strides()[0], heads.strides()[1], heads.strides()[2]};
}

template <class T>
kernels::ScoreTable<T> table_of(const Tensor& table) {
  if (!table.is_defined()) return {};
  kernels::ScoreTable<T> result{.data = table.data<T>()};
  for (int axis = 0; axis < 4; ++axis) {
    result.steps[static_cast<std::size_t>(axis)] =
        table.shape()[axis] == 1 ? 0 : table.strides()[axis];
  }
  return result;
}

// [B, H, T, width] in the memory order of [B, T, H, width]: merging the heads costs nothing then.
Tensor heads_tensor(Index batch, Index heads, Index tokens, Index width, DType dtype) {
  return transpose(Tensor({batch, tokens, heads, width}, dtype), 1, 2);
}

template <class T>
AttentionProblem<T> problem_of(const Tensor& query, const Tensor& key, const Tensor& value,
                               const AttentionRule& rule, const Tensor& bias) {
  const double scale =
      rule.scale != 0 ? rule.scale : 1.0 / std::sqrt(static_cast<double>(query.size(3)));
  AttentionProblem<T> problem{.batch = query.size(0),
                              .heads = query.size(1),
                              .queries = query.size(2),
                              .keys = key.size(2),
                              .head_dim = query.size(3),
                              .value_dim = value.size(3),
                              .scale = static_cast<T>(scale),
                              .causal = rule.causal,
                              .allowed = table_of<bool>(rule.allowed),
                              .valid = {},
                              .bias = table_of<T>(bias),
                              .dropout = rule.dropout,
                              .dropout_state = rule.dropout_state,
                              .query = view_of<T>(query),
                              .key = view_of<T>(key),
                              .value = view_of<T>(value)};
  if (rule.key_validity.is_defined()) {
    const Tensor& valid = rule.key_validity;
    problem.valid = {valid.data<bool>(), {valid.strides()[0], 0, 0, valid.strides()[1]}};
  }
  return problem;
}

struct Forward {
  Tensor output;     ///< [B, H, Tq, value_dim]
  Tensor logsumexp;  ///< [B, H, Tq]
};

Forward forward(const Tensor& query, const Tensor& key, const Tensor& value,
                const AttentionRule& rule) {
  const DType dtype = query.dtype();
  Forward result{heads_tensor(query.size(0), query.size(1), query.size(2), value.size(3), dtype),
                 Tensor({query.size(0), query.size(1), query.size(2)}, dtype)};
  kernels::dispatch_floating("attention", dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto problem = problem_of<T>(query, key, value, rule, rule.bias.value());
    kernels::attention_forward<T>(problem, mutable_view_of<T>(result.output),
                                  result.logsumexp.mutable_data<T>());
  });
  return result;
}

// Tensors that receive the gradients; `scores` only if the bias wants one.
struct Backward {
  Tensor query;
  Tensor key;
  Tensor value;
  Tensor scores;
};

void backward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& output,
              const Tensor& logsumexp, const Tensor& grad, const AttentionRule& rule,
              Backward& result) {
  kernels::dispatch_floating("attention", query.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto problem = problem_of<T>(query, key, value, rule, rule.bias.value());
    kernels::AttentionGradients<T> gradients{.query = mutable_view_of<T>(result.query),
                                             .key = mutable_view_of<T>(result.key),
                                             .value = mutable_view_of<T>(result.value)};
    if (result.scores.is_defined()) gradients.scores = result.scores.mutable_data<T>();
    kernels::attention_backward<T>(problem, view_of<T>(output), logsumexp.data<T>(),
                                   view_of<T>(grad), gradients);
  });
}

// The rule without its bias: the node holds that as an input of its own.
AttentionRule without_bias(AttentionRule rule) {
  rule.bias = Variable();
  return rule;
}
AttentionRule with_bias(AttentionRule rule, Variable bias) {
  rule.bias = std::move(bias);
  return rule;
}

constexpr Save all_four_and_result =
    Save::input(0) | Save::input(1) | Save::input(2) | Save::input(3) | Save::result();

}  // namespace

Variable scaled_dot_product_attention(const Variable& query, const Variable& key,
                                      const Variable& value, const AttentionRule& rule) {
  check(query, key, value, rule);
  Forward result = forward(with_dense_rows(query.value()), with_dense_rows(key.value()),
                           with_dense_rows(value.value()), rule);
  // y = softmax(s q k^T + bias) v:
  // dv = p^T g; ds = p (g v^T - sum g y); dq = s ds k; dk = s ds^T q; dbias = ds
  return record(
      Op::attention, {query, key, value, rule.bias}, std::move(result.output), all_four_and_result,
      [rule = without_bias(rule)](const VjpContext& c) -> Grads {
        if (is_recording()) {
          return vjp_of_reference(c, [&rule](std::span<const Variable> in) {
            return attention_reference(in[0], in[1], in[2], with_bias(rule, in[3]));
          });
        }
        const Tensor q = with_dense_rows(c.input(0).value());
        const Tensor k = with_dense_rows(c.input(1).value());
        const Tensor v = with_dense_rows(c.input(2).value());
        const Index batch = q.size(0);
        const Index heads = q.size(1);
        Backward d{heads_tensor(batch, heads, q.size(2), q.size(3), q.dtype()),
                   heads_tensor(batch, heads, k.size(2), k.size(3), q.dtype()),
                   heads_tensor(batch, heads, v.size(2), v.size(3), q.dtype()),
                   c.needs(3) ? Tensor({batch, heads, q.size(2), k.size(2)}, q.dtype()) : Tensor()};
        backward(q, k, v, c.output().value(), c.extra(0), with_dense_rows(c.grad().value()),
                 with_bias(rule, c.input(3).detach()), d);
        return {std::move(d.query), std::move(d.key), std::move(d.value), std::move(d.scores)};
      },
      {result.logsumexp});
}

namespace {

// Part 0, 1 or 2 (queries, keys, values) of a packed tensor [B, T, 3 · heads · head_dim], as
// [B, heads, T, head_dim]: a view.
template <class Value>
Value unpacked(const Value& packed, Index heads, int part) {
  const Index batch = packed.size(0);
  const Index tokens = packed.size(1);
  const Index width = packed.size(2) / (3 * heads);
  const Value split = reshape(packed, {batch, tokens, 3, heads, width});
  return transpose(select(split, 2, part), 1, 2);
}

Variable packed_reference(const Variable& packed, Index heads, const AttentionRule& rule) {
  const Variable context = attention_reference(
      unpacked(packed, heads, 0), unpacked(packed, heads, 1), unpacked(packed, heads, 2), rule);
  return reshape(transpose(context, 1, 2), {packed.size(0), packed.size(1), packed.size(2) / 3});
}

}  // namespace

Variable packed_attention(const Variable& packed, Index heads, const AttentionRule& rule) {
  require<Error>(heads > 0, "packed_attention: {} heads", heads);
  require(packed.rank() == 3 && packed.size(2) % (3 * heads) == 0,
          "packed_attention: takes [batch, tokens, 3 · {} heads · head_dim], got {}", heads,
          packed.shape());
  const Tensor dense = packed.value().contiguous();
  const Tensor query = unpacked(dense, heads, 0);
  const Tensor key = unpacked(dense, heads, 1);
  const Tensor value = unpacked(dense, heads, 2);
  check(query, key, value, rule);
  const Forward result = forward(query, key, value, rule);
  const Shape merged{packed.size(0), packed.size(1), packed.size(2) / 3};
  return record(
      Op::packed_attention, {packed, rule.bias}, reshape(transpose(result.output, 1, 2), merged),
      Save::input(0) | Save::input(1) | Save::result(),
      [heads, rule = without_bias(rule)](const VjpContext& c) -> Grads {
        if (is_recording()) {
          return vjp_of_reference(c, [&](std::span<const Variable> in) {
            return packed_reference(in[0], heads, with_bias(rule, in[1]));
          });
        }
        const Tensor input = c.input(0).value().contiguous();
        Tensor gradient(input.shape(), input.dtype());
        const auto heads_of = [&](const Tensor& merged_heads) {
          const Shape split{input.size(0), input.size(1), heads, input.size(2) / (3 * heads)};
          return transpose(reshape(merged_heads, split), 1, 2);
        };
        Backward d{unpacked(gradient, heads, 0), unpacked(gradient, heads, 1),
                   unpacked(gradient, heads, 2),
                   c.needs(1)
                       ? Tensor({input.size(0), heads, input.size(1), input.size(1)}, input.dtype())
                       : Tensor()};
        backward(unpacked(input, heads, 0), unpacked(input, heads, 1), unpacked(input, heads, 2),
                 heads_of(c.output().value()), c.extra(0), heads_of(c.grad().value().contiguous()),
                 with_bias(rule, c.input(1).detach()), d);
        return {std::move(gradient), std::move(d.scores)};
      },
      {result.logsumexp});
}

}  // namespace tensorette
