#include "tensorette_rows.hpp"

#include <functional>
#include <memory>
#include <string_view>
#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/activation.hpp>
#include <tensorette/nn/decoding/decoding.hpp>
#include <tensorette/nn/linear.hpp>
#include <tensorette/nn/loss.hpp>
#include <tensorette/nn/multi_head_self_attention.hpp>
#include <tensorette/nn/optim/adam.hpp>
#include <tensorette/nn/optim/sgd.hpp>
#include <tensorette/nn/sequential.hpp>
#include <tensorette/nn/transformer.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/random.hpp>
#include <utility>
#include <vector>

#include "row_table.hpp"
#include "translation_batch.hpp"

namespace tensorette::bench {
namespace {

Row attention_row(const AttentionShape& shape, bool train) {
  return {attention_row_name(shape, train), [shape, train]() -> Step {
            const auto [batch, length, width, heads] = shape;
            Generator generator(1);
            const auto attention = std::make_shared<nn::MultiHeadSelfAttention>(
                nn::SelfAttentionOptions{.embedding_dim = width, .heads = heads}, generator);
            const Variable x = parameter(generator.normal({batch, length, width}));
            const Variable upstream = generator.normal({batch, length, width});
            if (!train) {
              return [=] {
                const NoGrad no_grad;
                const Variable output = attention->forward(x);
              };
            }
            return [=] {
              const Variable output = attention->forward(x);
              attention->zero_grad();
              x.zero_grad();
              output.backward(upstream);
            };
          }};
}

Row long_attention_row(std::int64_t length) {
  return {long_attention_row_name(length), [length]() -> Step {
            Generator generator(1);
            const Shape shape{1, long_attention_heads, length, long_attention_head_dim};
            const Variable query = parameter(generator.normal(shape));
            const Variable key = parameter(generator.normal(shape));
            const Variable value = parameter(generator.normal(shape));
            const Variable upstream = generator.normal(shape);
            return [=] {
              const Variable output = scaled_dot_product_attention(query, key, value);
              for (const Variable* leaf : {&query, &key, &value}) leaf->zero_grad();
              output.backward(upstream);
            };
          }};
}

Row small_ops_row() {
  return {"small_ops", []() -> Step {
            Generator generator(1);
            const Variable x = parameter(generator.normal({4, 4}));
            const Variable factor = full({4, 4}, 0.999);
            const Variable summand = full({4, 4}, 0.001);
            const Variable upstream = ones({4, 4});
            return [=] {
              Variable y = x;
              for (int i = 0; i < small_ops_count; i += 2) y = y * factor + summand;
              x.zero_grad();
              y.backward(upstream);
            };
          }};
}

Row xor_row() {
  return {"xor_step", []() -> Step {
            Generator generator(1);
            const auto net = std::make_shared<nn::Sequential>(
                nn::Linear({.in = 2, .out = 8}, generator), nn::Tanh(),
                nn::Linear({.in = 8, .out = 1}, generator), nn::Sigmoid());
            const auto optimizer = std::make_shared<optim::SGD>(
                net->parameters(), optim::SgdOptions{.learning_rate = 0.5});
            const Variable inputs = tensor({{0, 0}, {0, 1}, {1, 0}, {1, 1}});
            const Variable targets = tensor({{0}, {1}, {1}, {0}});
            return [=] {
              optimizer->zero_grad();
              nn::mse(net->forward(inputs), targets).backward();
              optimizer->step();
            };
          }};
}

Row mlp_row() {
  return {"mlp_step", []() -> Step {
            Generator generator(1);
            const auto net = std::make_shared<nn::Sequential>(
                nn::Linear({.in = 784, .out = 128}, generator), nn::ReLU(),
                nn::Linear({.in = 128, .out = 10}, generator));
            const auto optimizer = std::make_shared<optim::Adam>(
                net->parameters(), optim::AdamOptions{.learning_rate = 1e-3});
            const Variable images = generator.uniform({64, 784});
            const Tensor labels = generator.integers({64}, 0, 10);
            return [=] {
              optimizer->zero_grad();
              nn::cross_entropy(net->forward(images), labels).backward();
              optimizer->step();
            };
          }};
}

// The same parts as in torch::nn::Transformer: dropout on what each part adds, on attention scores
// and inside the feed-forward networks, a layer norm behind each part and behind both stacks.
nn::TransformerOptions model_options(const TransformerShape& shape) {
  return {.source_vocabulary = shape.vocabulary,
          .target_vocabulary = shape.vocabulary,
          .dim = shape.width,
          .heads = shape.heads,
          .encoder_layers = shape.layers,
          .decoder_layers = shape.layers,
          .hidden = shape.hidden,
          .dropout = transformer_dropout,
          .attention_dropout = transformer_dropout,
          .activation_dropout = transformer_dropout,
          .norm_first = true,
          .tied = nn::TiedEmbeddings::none,
          .padding = TranslationBatch::padding};
}

Row transformer_row(const TransformerShape& shape) {
  return {transformer_row_name(shape), [shape]() -> Step {
            Generator generator(1);
            const auto model = std::make_shared<nn::Transformer>(model_options(shape), generator);
            const auto optimizer = std::make_shared<optim::Adam>(
                model->parameters(), optim::AdamOptions{.learning_rate = 1e-4});
            const TranslationBatch batch = make_translation_batch(shape);
            const Shape ids{shape.batch, shape.length};
            const Tensor source = from_vector(batch.source, ids);
            const Tensor target = from_vector(batch.target, ids);
            const Tensor labels = from_vector(batch.labels, ids);
            return [=] {
              optimizer->zero_grad();
              nn::cross_entropy(model->forward(source, target), labels,
                                {.ignore_index = TranslationBatch::padding})
                  .backward();
              optimizer->step();
            };
          }};
}

// Without an end token, so that each sentence is as long as the row says.
Row translate_row() {
  return {std::string(translation_row), []() -> Step {
            Generator generator(1);
            const auto model =
                std::make_shared<nn::Transformer>(model_options(translation_shape), generator);
            model->eval();
            const Tensor source =
                generator.integers({1, translation_shape.length}, 3, translation_shape.vocabulary);
            const nn::DecodingOptions options{.max_length = translation_shape.length,
                                              .begin_id = TranslationBatch::start,
                                              .end_id = -1};
            return [=] { const auto hypotheses = nn::greedy_search(*model, source, options); };
          }};
}

Row elementwise_row(std::string_view name, std::function<Variable(const Variable&)> operation) {
  return {elementwise_row_name(name), [operation = std::move(operation)]() -> Step {
            Generator generator(1);
            const Variable x = generator.normal({elementwise_size, elementwise_size});
            return [=] {
              const NoGrad no_grad;
              const Variable y = operation(x);
            };
          }};
}

void append_elementwise_rows(std::vector<Row>& rows) {
  Generator generator(2);
  const Variable other = generator.normal({elementwise_size, elementwise_size});
  const Variable gain = ones({elementwise_size});
  const Variable bias = zeros({elementwise_size});
  rows.push_back(elementwise_row("add", [=](const Variable& x) { return x + other; }));
  rows.push_back(elementwise_row("exp", [](const Variable& x) { return exp(x); }));
  rows.push_back(elementwise_row("gelu", [](const Variable& x) { return gelu(x); }));
  rows.push_back(elementwise_row("softmax", [](const Variable& x) { return softmax(x); }));
  rows.push_back(
      elementwise_row("layer_norm", [=](const Variable& x) { return layer_norm(x, gain, bias); }));
}

}  // namespace

std::vector<Row> tensorette_rows() {
  std::vector<Row> rows;
  for (const AttentionShape& shape : attention_shapes) {
    rows.push_back(attention_row(shape, false));
    rows.push_back(attention_row(shape, true));
  }
  rows.push_back(small_ops_row());
  rows.push_back(xor_row());
  rows.push_back(mlp_row());
  for (const TransformerShape& shape : transformer_shapes) rows.push_back(transformer_row(shape));
  rows.push_back(translate_row());
  append_elementwise_rows(rows);
  for (const std::int64_t length : long_attention_lengths) {
    rows.push_back(long_attention_row(length));
  }
  return rows;
}

}  // namespace tensorette::bench
