#include "row_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tensorette::bench {
namespace {

constexpr int forward_only = 1;
constexpr int without_input_gradient = 2;
constexpr int all_gradients = 3;

constexpr std::int64_t float_bytes = 4;

// Raw scores and value mixing of every head.
void append_heads(std::vector<Product>& products, std::int64_t count, std::int64_t length,
                  std::int64_t head_dim, int passes) {
  products.push_back({count, length, length, head_dim, passes});
  products.push_back({count, length, head_dim, length, passes});
}

RowInfo attention_row(const AttentionShape& shape, bool train) {
  const auto [batch, length, width, heads] = shape;
  const int passes = train ? all_gradients : forward_only;
  RowInfo row{attention_row_name(shape, train), LimitedBy::products, {}};
  row.products.push_back({1, batch * length, 3 * width, width, passes});
  append_heads(row.products, batch * heads, length, width / heads, passes);
  row.products.push_back({1, batch * length, width, width, passes});
  return row;
}

// Listed in blocks, since nobody wants the scores of a long sequence as a whole.
RowInfo long_attention_row(std::int64_t length) {
  constexpr std::int64_t block = 512;
  RowInfo row{long_attention_row_name(length), LimitedBy::products, {}};
  const std::int64_t blocks = (length / block) * (length / block);
  append_heads(row.products, long_attention_heads * blocks, block, long_attention_head_dim,
               all_gradients);
  return row;
}

RowInfo transformer_row(const TransformerShape& shape) {
  RowInfo row{transformer_row_name(shape), LimitedBy::products, {}};
  const std::int64_t positions = shape.batch * shape.length;
  const auto project = [&](std::int64_t columns, std::int64_t depth) {
    row.products.push_back({1, positions, columns, depth, all_gradients});
  };
  const auto attend = [&] {
    append_heads(row.products, shape.batch * shape.heads, shape.length, shape.width / shape.heads,
                 all_gradients);
    project(shape.width, shape.width);
  };
  const auto self_attend = [&] {
    project(3 * shape.width, shape.width);
    attend();
  };
  const auto cross_attend = [&] {
    project(shape.width, shape.width);
    project(2 * shape.width, shape.width);
    attend();
  };
  const auto feed_forward = [&] {
    project(shape.hidden, shape.width);
    project(shape.width, shape.hidden);
  };
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    self_attend();  // encoder
    feed_forward();
    self_attend();  // decoder
    cross_attend();
    feed_forward();
  }
  project(shape.vocabulary, shape.width);
  return row;
}

// The encoder reads a sentence once; the decoder's projections see each token once as well, since
// keys and values are kept.
RowInfo translate_row() {
  RowInfo row = transformer_row(translation_shape);
  row.name = translation_row;
  row.limited_by = LimitedBy::overhead;
  for (Product& product : row.products) product.passes = forward_only;
  return row;
}

RowInfo elementwise_row(std::string_view operation, double flops_per_element, int inputs) {
  constexpr std::int64_t elements = elementwise_size * elementwise_size;
  return {elementwise_row_name(operation),
          LimitedBy::memory,
          {},
          flops_per_element * double(elements),
          inputs * elements * float_bytes,
          elements * float_bytes};
}

std::vector<RowInfo> make_table() {
  std::vector<RowInfo> table;
  for (const AttentionShape& shape : attention_shapes) {
    table.push_back(attention_row(shape, false));
    table.push_back(attention_row(shape, true));
  }
  // Half of the chain multiplies (forward and one gradient), half of it adds; 16 elements each.
  table.push_back({"small_ops", LimitedBy::overhead, {}, small_ops_count * 16 * 1.5});
  table.push_back({"xor_step",
                   LimitedBy::overhead,
                   {{1, 4, 8, 2, without_input_gradient}, {1, 4, 1, 8, all_gradients}}});
  table.push_back({"mlp_step",
                   LimitedBy::products,
                   {{1, 64, 128, 784, without_input_gradient}, {1, 64, 10, 128, all_gradients}}});
  for (const TransformerShape& shape : transformer_shapes) table.push_back(transformer_row(shape));
  table.push_back(translate_row());
  table.push_back(elementwise_row("add", 1, 2));
  table.push_back(elementwise_row("exp", 1, 1));
  table.push_back(elementwise_row("gelu", 5, 1));
  table.push_back(elementwise_row("softmax", 5, 1));
  table.push_back(elementwise_row("layer_norm", 8, 1));
  for (const std::int64_t length : long_attention_lengths) {
    table.push_back(long_attention_row(length));
  }
  return table;
}

}  // namespace

std::string attention_row_name(const AttentionShape& shape, bool train) {
  return fmt::format("mha_{}_{}_{}_{}_{}", shape.batch, shape.length, shape.width, shape.heads,
                     train ? "train" : "forward");
}

std::string transformer_row_name(const TransformerShape& shape) {
  return fmt::format("transformer_{}_step", shape.size);
}

std::string long_attention_row_name(std::int64_t length) {
  return fmt::format("attention_{}_train", length);
}

std::string elementwise_row_name(std::string_view operation) {
  return fmt::format("{}_{}_{}", operation, elementwise_size, elementwise_size);
}

const std::vector<RowInfo>& row_table() {
  static const std::vector<RowInfo> table = make_table();
  return table;
}

const RowInfo* find_row(std::string_view name) {
  const auto& table = row_table();
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const RowInfo& r) { return r.name == name; });
  return row == table.end() ? nullptr : &*row;
}

double flops(const RowInfo& row) {
  double total = row.elementwise_flops;
  for (const Product& p : row.products) {
    total +=
        2.0 * double(p.count) * double(p.rows) * double(p.columns) * double(p.depth) * p.passes;
  }
  return total;
}

}  // namespace tensorette::bench
