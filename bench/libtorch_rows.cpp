/// \file
/// The rows of the table with libtorch, in its best configuration: memory kept by malloc, all cores
/// (OMP_NUM_THREADS, set by the driver), OpenBLAS's openmp flavour, which shares its threads, no
/// gradient recorded where none is asked for, gradients dropped rather than set to zero.
#include <torch/torch.h>

#include <cmath>
#include <limits>
#include <memory>

#include "rows/row_program.hpp"
#include "rows/row_table.hpp"
#include "rows/translation_batch.hpp"

namespace tensorette::bench {
namespace {

namespace nn = torch::nn;
using torch::Tensor;

Row attention_row(const AttentionShape& shape, bool train) {
  return {attention_row_name(shape, train), [shape, train]() -> Step {
            const auto [batch, length, width, heads] = shape;
            nn::MultiheadAttention attention(nn::MultiheadAttentionOptions(width, heads));
            Tensor x = torch::randn({length, batch, width}).requires_grad_(train);
            const Tensor upstream = torch::randn({length, batch, width});
            return [=]() mutable {
              const torch::AutoGradMode recording(train);
              const Tensor output =
                  std::get<0>(attention->forward(x, x, x, {}, /*need_weights=*/false));
              if (!train) return;
              attention->zero_grad(/*set_to_none=*/true);
              x.mutable_grad().reset();
              output.backward(upstream);
            };
          }};
}

// Scores and their softmax are made whole: libtorch 1.13 has no other way on a CPU.
Row long_attention_row(std::int64_t length) {
  return {long_attention_row_name(length), [length]() -> Step {
            const std::vector<std::int64_t> shape{1, long_attention_heads, length,
                                                  long_attention_head_dim};
            Tensor query = torch::randn(shape).requires_grad_();
            Tensor key = torch::randn(shape).requires_grad_();
            Tensor value = torch::randn(shape).requires_grad_();
            const Tensor upstream = torch::randn(shape);
            const double scale = 1 / std::sqrt(double(long_attention_head_dim));
            return [=]() mutable {
              const Tensor scores =
                  torch::softmax(torch::matmul(query * scale, key.transpose(-2, -1)), -1);
              for (Tensor* leaf : {&query, &key, &value}) leaf->mutable_grad().reset();
              torch::matmul(scores, value).backward(upstream);
            };
          }};
}

Row small_ops_row() {
  return {"small_ops", []() -> Step {
            Tensor x = torch::randn({4, 4}).requires_grad_();
            const Tensor factor = torch::full({4, 4}, 0.999F);
            const Tensor summand = torch::full({4, 4}, 0.001F);
            const Tensor upstream = torch::ones({4, 4});
            return [=]() mutable {
              Tensor y = x;
              for (int i = 0; i < small_ops_count; i += 2) y = y * factor + summand;
              x.mutable_grad().reset();
              y.backward(upstream);
            };
          }};
}

Row xor_row() {
  return {"xor_step", []() -> Step {
            nn::Sequential net(nn::Linear(2, 8), nn::Tanh(), nn::Linear(8, 1), nn::Sigmoid());
            auto optimizer = std::make_shared<torch::optim::SGD>(net->parameters(), 0.5);
            const Tensor inputs = torch::tensor({{0.F, 0.F}, {0.F, 1.F}, {1.F, 0.F}, {1.F, 1.F}});
            const Tensor targets = torch::tensor({{0.F}, {1.F}, {1.F}, {0.F}});
            return [=]() mutable {
              net->zero_grad(/*set_to_none=*/true);
              torch::mse_loss(net->forward(inputs), targets).backward();
              optimizer->step();
            };
          }};
}

Row mlp_row() {
  return {"mlp_step", []() -> Step {
            nn::Sequential net(nn::Linear(784, 128), nn::ReLU(), nn::Linear(128, 10));
            auto optimizer = std::make_shared<torch::optim::Adam>(net->parameters(), 1e-3);
            const Tensor images = torch::rand({64, 784});
            const Tensor labels = torch::randint(10, {64}, torch::kLong);
            return [=]() mutable {
              net->zero_grad(/*set_to_none=*/true);
              nn::functional::cross_entropy(net->forward(images), labels).backward();
              optimizer->step();
            };
          }};
}

// Embeddings, positions, torch::nn::Transformer and an output layer, as a trainer puts them
// together. Modules of libtorch take positions first: [length, batch, width].
struct Translator : nn::Module {
  explicit Translator(const TransformerShape& shape)
      : source_embedding(nn::EmbeddingOptions(shape.vocabulary, shape.width)
                             .padding_idx(TranslationBatch::padding)),
        target_embedding(nn::EmbeddingOptions(shape.vocabulary, shape.width)
                             .padding_idx(TranslationBatch::padding)),
        dropout(transformer_dropout),
        transformer(nn::TransformerOptions(shape.width, shape.heads, shape.layers, shape.layers)
                        .dim_feedforward(shape.hidden)
                        .dropout(transformer_dropout)),
        output(shape.width, shape.vocabulary),
        scale(std::sqrt(double(shape.width))),
        positions(sinusoidal_positions(shape.length, shape.width)),
        causal_mask(nn::TransformerImpl::generate_square_subsequent_mask(shape.length)) {
    register_module("source_embedding", source_embedding);
    register_module("target_embedding", target_embedding);
    register_module("dropout", dropout);
    register_module("transformer", transformer);
    register_module("output", output);
  }

  static Tensor sinusoidal_positions(std::int64_t length, std::int64_t width) {
    const Tensor position = torch::arange(length, torch::kFloat).unsqueeze(1);
    const Tensor frequency = torch::exp(torch::arange(0, width, 2, torch::kFloat) *
                                        (-std::log(10000.0) / double(width)));
    const Tensor angle = position * frequency;
    return torch::stack({angle.sin(), angle.cos()}, -1).reshape({length, 1, width});
  }

  Tensor forward(const Tensor& source, const Tensor& target) {
    const auto embed = [&](nn::Embedding& embedding, const Tensor& ids) {
      return dropout(embedding(ids.t()) * scale + positions);
    };
    const Tensor source_padding = source == TranslationBatch::padding;
    const Tensor target_padding = target == TranslationBatch::padding;
    const Tensor decoded =
        transformer->forward(embed(source_embedding, source), embed(target_embedding, target), {},
                             causal_mask, {}, source_padding, target_padding, source_padding);
    return output(decoded);
  }

  nn::Embedding source_embedding;
  nn::Embedding target_embedding;
  nn::Dropout dropout;
  nn::Transformer transformer;
  nn::Linear output;
  double scale;
  Tensor positions;    // [length, 1, width]
  Tensor causal_mask;  // [length, length]
};

Tensor to_tensor(const std::vector<std::int64_t>& ids, const TransformerShape& shape) {
  return torch::tensor(ids, torch::kLong).reshape({shape.batch, shape.length});
}

Row transformer_row(const TransformerShape& shape) {
  return {transformer_row_name(shape), [shape]() -> Step {
            auto model = std::make_shared<Translator>(shape);
            auto optimizer = std::make_shared<torch::optim::Adam>(model->parameters(), 1e-4);
            const TranslationBatch batch = make_translation_batch(shape);
            const Tensor source = to_tensor(batch.source, shape);
            const Tensor target = to_tensor(batch.target, shape);
            const Tensor labels = to_tensor(batch.labels, shape).t().reshape({-1});
            return [=]() mutable {
              model->zero_grad(/*set_to_none=*/true);
              const Tensor logits = model->forward(source, target);
              nn::functional::cross_entropy(
                  logits.reshape({-1, shape.vocabulary}), labels,
                  nn::functional::CrossEntropyFuncOptions().ignore_index(TranslationBatch::padding))
                  .backward();
              optimizer->step();
            };
          }};
}

Row elementwise_row(const char* name, std::function<Tensor(const Tensor&)> operation) {
  return {elementwise_row_name(name), [operation = std::move(operation)]() -> Step {
            const Tensor x = torch::randn({elementwise_size, elementwise_size});
            return [=] {
              const torch::NoGradGuard no_grad;
              const Tensor y = operation(x);
            };
          }};
}

std::vector<Row> libtorch_rows() {
  std::vector<Row> rows;
  for (const AttentionShape& shape : attention_shapes) {
    rows.push_back(attention_row(shape, false));
    rows.push_back(attention_row(shape, true));
  }
  rows.push_back(small_ops_row());
  rows.push_back(xor_row());
  rows.push_back(mlp_row());
  for (const TransformerShape& shape : transformer_shapes) rows.push_back(transformer_row(shape));
  const Tensor other = torch::randn({elementwise_size, elementwise_size});
  const Tensor gain = torch::ones({elementwise_size});
  const Tensor bias = torch::zeros({elementwise_size});
  rows.push_back(elementwise_row("add", [=](const Tensor& x) { return x + other; }));
  rows.push_back(elementwise_row("exp", [](const Tensor& x) { return torch::exp(x); }));
  rows.push_back(elementwise_row("gelu", [](const Tensor& x) { return torch::gelu(x); }));
  rows.push_back(elementwise_row("softmax", [](const Tensor& x) { return torch::softmax(x, -1); }));
  rows.push_back(elementwise_row("layer_norm", [=](const Tensor& x) {
    return torch::layer_norm(x, {elementwise_size}, gain, bias);
  }));
  // The longer sequence would take about ten gigabytes.
  rows.push_back(long_attention_row(long_attention_lengths.front()));
  return rows;
}

}  // namespace
}  // namespace tensorette::bench

int main(int argc, char** argv) {
  tensorette::bench::keep_freed_memory();
  torch::manual_seed(1);
  return tensorette::bench::run_row_program(tensorette::bench::libtorch_rows(), argc, argv);
}
