#include "attention_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorette/tensor/create.hpp>

#include "compare.hpp"

namespace tensorette::testing {
namespace {

std::size_t at(Index index) {
  return static_cast<std::size_t>(index);
}

// Rows first .. first + out of a packed projection.
PlainProjection rows_of(const nn::Linear& linear, Index first, Index out) {
  const Index in = linear.weight.size(1);
  const std::vector<double> weight = numbers(linear.weight.value());
  PlainProjection plain{.in = in, .out = out, .weight = {}, .bias = {}};
  plain.weight.assign(weight.begin() + first * in, weight.begin() + (first + out) * in);
  if (linear.bias.is_defined()) {
    const std::vector<double> bias = numbers(linear.bias.value());
    plain.bias.assign(bias.begin() + first, bias.begin() + first + out);
  }
  return plain;
}

PlainProjection whole(const nn::Linear& linear) {
  return rows_of(linear, 0, linear.weight.size(0));
}

}  // namespace

std::vector<double> PlainProjection::operator()(const std::vector<double>& x) const {
  const Index rows = static_cast<Index>(x.size()) / in;
  std::vector<double> y(at(rows * out));
  for (Index row = 0; row < rows; ++row) {
    for (Index o = 0; o < out; ++o) {
      double sum = bias.empty() ? 0.0 : bias[at(o)];
      for (Index i = 0; i < in; ++i) sum += weight[at(o * in + i)] * x[at(row * in + i)];
      y[at(row * out + o)] = sum;
    }
  }
  return y;
}

PlainResult plain_attention(const PlainAttention& attention, Index batch,
                            const std::vector<double>& query, const std::vector<double>& key,
                            const std::vector<double>& value, const PlainMask& mask) {
  const std::vector<double> q = attention.query(query);
  const std::vector<double> k = attention.key(key);
  const std::vector<double> v = attention.value(value);
  const Index width = attention.query.out;
  const Index head_dim = width / attention.heads;
  const Index queries = static_cast<Index>(q.size()) / (batch * width);
  const Index keys = static_cast<Index>(k.size()) / (batch * width);
  PlainResult result;
  std::vector<double> context(q.size(), 0.0);
  for (Index b = 0; b < batch; ++b) {
    for (Index h = 0; h < attention.heads; ++h) {
      for (Index i = 0; i < queries; ++i) {
        std::vector<double> row(at(keys), 0.0);
        double total = 0;
        for (Index j = 0; j < keys; ++j) {
          if (!mask.may_see(b, h, i, j)) continue;
          double dot = 0;
          for (Index d = 0; d < head_dim; ++d) {
            dot += q[at((b * queries + i) * width + h * head_dim + d)] *
                   k[at((b * keys + j) * width + h * head_dim + d)];
          }
          row[at(j)] =
              std::exp(dot / std::sqrt(static_cast<double>(head_dim)) + mask.bias(b, h, i, j));
          total += row[at(j)];
        }
        for (Index j = 0; j < keys; ++j) {
          const double score = total > 0 ? row[at(j)] / total : 0.0;
          result.scores.push_back(score);
          for (Index d = 0; d < head_dim; ++d) {
            context[at((b * queries + i) * width + h * head_dim + d)] +=
                score * v[at((b * keys + j) * width + h * head_dim + d)];
          }
        }
      }
    }
  }
  result.output = attention.output(context);
  return result;
}

PlainAttention plain_copy(const nn::MultiHeadAttention& attention) {
  return {.heads = attention.heads(),
          .query = whole(attention.query_projection),
          .key = whole(attention.key_projection),
          .value = whole(attention.value_projection),
          .output = whole(attention.output_projection)};
}

PlainAttention plain_copy(const nn::MultiHeadSelfAttention& attention) {
  const Index width = attention.qkv_dim();
  return {.heads = attention.heads(),
          .query = rows_of(attention.qkv_projection, 0, width),
          .key = rows_of(attention.qkv_projection, width, width),
          .value = rows_of(attention.qkv_projection, 2 * width, width),
          .output = whole(attention.output_projection)};
}

namespace {

// A table [B or 1, H or 1, Tq, Tk] read by plain indices.
struct PlainTable {
  Shape shape;
  std::vector<double> values;
  [[nodiscard]] double operator()(Index b, Index h, Index i, Index j) const {
    const Index batch = shape[0] == 1 ? 0 : b;
    const Index head = shape[1] == 1 ? 0 : h;
    return values[at(((batch * shape[1] + head) * shape[2] + i) * shape[3] + j)];
  }
};

Tensor as_tensor(const PlainTable& table, const Shape& shape, DType dtype) {
  return from_vector(table.values, shape).to(dtype);
}

// About two thirds of the cells allowed, the first row of every table empty.
PlainTable some_cells(const Shape& shape, Generator& generator) {
  PlainTable table{shape, numbers(generator.bernoulli(shape, 0.67))};
  const Index rows = shape[2];
  const Index keys = shape[3];
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (static_cast<Index>(i) / keys % rows == 0) table.values[i] = 0;
  }
  return table;
}

MaskCase allow_case(const char* name, const PlainTable& table, const Shape& given) {
  return {
      name,
      nn::AttentionMask::allow(as_tensor(table, given, DType::boolean)),
      {.may_see = [table](Index b, Index h, Index i, Index j) { return table(b, h, i, j) != 0; }}};
}

MaskCase bias_case(const char* name, const PlainTable& table, const Shape& given, DType dtype) {
  return {name, nn::AttentionMask::bias(as_tensor(table, given, dtype)), {.bias = table}};
}

MaskCase both(const char* name, const MaskCase& a, const MaskCase& b) {
  return {
      name,
      a.mask & b.mask,
      {.may_see = [x = a.plain.may_see, y = b.plain.may_see](
                      Index n, Index h, Index i,
                      Index j) { return x(n, h, i, j) && y(n, h, i, j); },
       .bias = [x = a.plain.bias, y = b.plain.bias](
                   Index n, Index h, Index i, Index j) { return x(n, h, i, j) + y(n, h, i, j); }}};
}

}  // namespace

std::vector<MaskCase> mask_cases(Index batch, Index heads, Index queries, Index keys, DType dtype) {
  Generator generator(2024);
  const Shape every{1, 1, queries, keys};
  const Shape per_sample{batch, 1, queries, keys};
  const Shape full{batch, heads, queries, keys};
  const MaskCase none{"none", {}, {}};
  const MaskCase causal{
      "causal", nn::AttentionMask::causal(), {.may_see = [=](Index, Index, Index i, Index j) {
        return j <= i + keys - queries;
      }}};
  // Sample b has b keys: the first has none.
  std::vector<Index> lengths;
  for (Index b = 0; b < batch; ++b) lengths.push_back(std::min(b, keys));
  const MaskCase key_lengths{
      "key lengths",
      nn::AttentionMask::key_lengths(lengths, keys),
      {.may_see = [lengths](Index b, Index, Index, Index j) { return j < lengths[at(b)]; }}};
  const PlainTable valid{{batch, 1, 1, keys}, numbers(generator.bernoulli({batch, keys}, 0.6))};
  const MaskCase validity{
      "key validity",
      nn::AttentionMask::key_validity(as_tensor(valid, {batch, keys}, DType::boolean)),
      {.may_see = [valid](Index b, Index, Index, Index j) { return valid(b, 0, 0, j) != 0; }}};
  const MaskCase allow_full = allow_case("allow [B, H, Tq, Tk]", some_cells(full, generator), full);
  const PlainTable numbers_full{full, numbers(generator.normal(full, 0, 1, DType::f64))};
  const PlainTable numbers_every{every, numbers(generator.normal(every, 0, 1, DType::f64))};
  const MaskCase bias_full = bias_case("bias [B, H, Tq, Tk]", numbers_full, full, dtype);
  const MaskCase bias_every = bias_case("bias [Tq, Tk]", numbers_every, {queries, keys}, dtype);
  PlainTable hiding = some_cells(per_sample, generator);
  for (double& cell : hiding.values) {
    cell = cell == 0 ? -std::numeric_limits<double>::infinity() : 0.25;
  }
  return {
      none,
      causal,
      key_lengths,
      validity,
      allow_case("allow [Tq, Tk]", some_cells(every, generator), {queries, keys}),
      allow_case("allow [B, Tq, Tk]", some_cells(per_sample, generator), {batch, queries, keys}),
      allow_case("allow [B, 1, Tq, Tk]", some_cells(per_sample, generator), per_sample),
      allow_full,
      bias_every,
      bias_full,
      bias_case("bias with -inf [B, Tq, Tk]", hiding, {batch, queries, keys}, dtype),
      both("causal & key validity", causal, validity),
      both("allow & key lengths", allow_full, key_lengths),
      both("bias & bias", bias_every, bias_full),
      both("causal & key validity & bias", both("", causal, validity), bias_every)};
}

}  // namespace tensorette::testing
