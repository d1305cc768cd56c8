// Short cases of the test suites of Keras, MLX, CTranslate2, ONNX Runtime and PyTorch.
#include <cmath>
#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/attention_mask.hpp>
#include <tensorette/nn/embedding.hpp>
#include <tensorette/nn/loss.hpp>
#include <tensorette/nn/normalization.hpp>
#include <tensorette/nn/optim/adam.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "golden.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using nlohmann::json;

namespace {

/// The case whose "test" begins with `test`.
json case_of(const char* file, const std::string& test) {
  const json content = golden_file(file);
  for (const json& c : content.at("cases")) {
    if (c.at("test").get<std::string>().starts_with(test)) return c;
  }
  throw std::runtime_error("no golden case " + test);
}

Tensor f32(const json& value) {
  return golden_tensor(value).to(DType::f32);
}

/// [tokens, width] or [batch, tokens, width] as one head.
Variable one_head(const json& value) {
  return unsqueeze(f32(value), 1);
}

}  // namespace

TEST_CASE("attention without scaling gives Keras' figures", "[attention][golden]") {
  const json c = case_of("keras.json", "attention_test.py");
  const AttentionRule rule{.scale = 1.0};
  const Variable query = one_head(c.at("query"));
  const Variable key = one_head(c.at("key"));
  const Variable output = scaled_dot_product_attention(query, key, one_head(c.at("value")), rule);
  CHECK(distance(output.value(), one_head(c.at("expected_output")).value()) < 1e-3);
  const Variable scores = softmax(raw_attention_scores(query, key, rule));
  CHECK(distance(scores.value(), one_head(c.at("expected_scores")).value()) < 1e-3);
}

TEST_CASE("additive attention, put together, gives Keras' figures", "[attention][golden]") {
  const json c = case_of("keras.json", "additive_attention_test.py");
  const Variable query = unsqueeze(f32(c.at("query")), 2);
  const Variable key = unsqueeze(f32(c.at("key")), 1);
  const Variable scores = softmax(sum(tanh(query + key), -1));
  CHECK(distance(scores.value(), f32(c.at("expected_scores"))) < 1e-3);
  const Variable output = matmul(scores, f32(c.at("value")));
  CHECK(distance(output.value(), f32(c.at("expected_output"))) < 1e-3);
}

TEST_CASE("layer norm gives Keras' figures", "[normalization][golden]") {
  const json c = case_of("keras.json", "layer_normalization_test.py");
  const Variable unit = ones({5});
  CHECK(distance(layer_norm(f32(c.at("x")), unit, unit, 1e-3).value(), f32(c.at("expected"))) <
        1e-5);
}

TEST_CASE("gelu gives the figures of Keras and MLX", "[elementwise][golden]") {
  const json keras = case_of("keras.json", "nn_test.py::test_gelu");
  CHECK(distance(gelu_tanh(f32(keras.at("x"))), f32(keras.at("expected"))) < 1e-5);
  const json mlx = case_of("mlx.json", "test_nn.py::test_gelu");
  CHECK(distance(gelu(f32(mlx.at("x"))), f32(mlx.at("expected_exact"))) < 1e-5);
  CHECK(distance(gelu_tanh(f32(mlx.at("x"))), f32(mlx.at("expected_tanh"))) < 1e-5);
}

TEST_CASE("softmax over all elements gives Keras' figures", "[softmax][golden]") {
  const json c = case_of("keras.json", "nn_test.py::test_softmax");
  const Tensor x = f32(c.at("x"));
  const Tensor y = reshape(softmax(flatten(x)), x.shape());
  CHECK(distance(y, f32(c.at("expected"))) < 1e-5);
}

TEST_CASE("cross entropy of soft targets, put together, gives the figures of Keras and PyTorch",
          "[loss][golden]") {
  const auto loss = [](const Tensor& logits, const Tensor& targets) {
    return sum(negate(targets * log_softmax(logits)), -1);
  };
  const json keras = case_of("keras.json", "nn_test.py::test_categorical_crossentropy");
  CHECK(distance(loss(f32(keras.at("logits")), f32(keras.at("target"))),
                 f32(keras.at("expected"))) < 1e-5);
  const json torch = case_of("pytorch_literals.json", "same, probability targets");
  const double smoothing = torch.at("label_smoothing");
  const Tensor smooth = f32(torch.at("target_probs")) * (1 - smoothing) + smoothing / 2;
  const Tensor smoothed = mean(loss(f32(torch.at("logits")), smooth));
  CHECK(smoothed.item() == Catch::Approx(torch.at("expected").get<double>()).epsilon(1e-4));
}

TEST_CASE("one step of Adam gives Keras' figures", "[optim][golden]") {
  const json c = case_of("keras.json", "adam_test.py");
  const Variable p = parameter(f32(c.at("params")));
  p.set_grad(f32(c.at("grads")));
  optim::Adam({p}, {.learning_rate = 0.5}).step();
  CHECK(distance(p.value(), f32(c.at("expected"))) < 1e-4);
}

TEST_CASE("AdamW gives Keras' figures", "[optim][golden]") {
  const json c = case_of("keras.json", "adamw_test.py");
  const Variable p = parameter(ones({10}));
  std::map<std::string, Tensor> state;
  Tensor gradient = full({10}, 0.01);
  Index step = 1;
  for (const json& row : c.at("expected")) {
    // There, ε is added to the root before the bias is corrected.
    const double correction = std::sqrt(1 - std::pow(0.999, static_cast<double>(step++)));
    optim::AdamW adam({{.parameters = {p}, .weight_decay = 0.5}},
                      {.learning_rate = 1.0, .epsilon = 2.0 / correction});
    if (!state.empty()) adam.load_state_dict(state);
    p.set_grad(gradient);
    adam.step();
    state = adam.state_dict();
    CHECK(distance(p.value(), f32(row)) < 5e-4);
    gradient = arange(1, 11, 1, DType::f32) / 10;
  }
}

TEST_CASE("cross entropy gives the figures of MLX and PyTorch", "[loss][golden]") {
  const json smooth = case_of("mlx.json", "test_losses.py::test_cross_entropy label_smoothing");
  const Variable rows = nn::cross_entropy(
      f32(smooth.at("logits")), golden_tensor(smooth.at("target")).to(DType::i64),
      {.label_smoothing = smooth.at("label_smoothing"), .reduction = nn::Reduction::none});
  CHECK(distance(rows.value(), f32(smooth.at("expected_per_row"))) < 1e-5);

  const json offsets = case_of("mlx.json", "test_losses.py large offset");
  const Tensor first = tensor({0}, DType::i64);
  for (const double offset : {1.0, 1e4, 1e8, 1e20}) {
    INFO(offset);
    CHECK(nn::cross_entropy(full({1, 2}, offset), first).item() ==
          Catch::Approx(offsets.at("expected").get<double>()).epsilon(1e-6));
  }
  const Tensor logits = tensor({{2, -1}});
  CHECK(nn::cross_entropy(logits + 1e6, first).item() ==
        Catch::Approx(nn::cross_entropy(logits, first).item()).epsilon(1e-5));

  const json torch = case_of("pytorch_literals.json", "ModulesTest.CrossEntropyLoss");
  CHECK(nn::cross_entropy(f32(torch.at("logits")), golden_tensor(torch.at("target")).to(DType::i64))
            .item() == Catch::Approx(torch.at("expected").get<double>()).epsilon(1e-4));
}

TEST_CASE("an embedding with given rows gives PyTorch's figures", "[embedding][golden]") {
  const json c = case_of("pytorch_literals.json", "ModulesTest.EmbeddingFromPretrained");
  Generator generator;
  const nn::Embedding embedding({.vocabulary = 2, .dim = 3}, generator);
  Tensor weight = embedding.weight.value();
  copy_(weight, f32(c.at("weight")));
  const Variable row = embedding.forward(golden_tensor(c.at("index")).to(DType::i64));
  CHECK(distance(flatten(row.value()), f32(c.at("expected"))) == 0.0);
}

TEST_CASE("gelu follows both formulas over [-3, 3], as PyTorch's test asks", "[elementwise]") {
  const Tensor x = linspace(-3, 3, 100);
  std::vector<double> exact;
  std::vector<double> approximate;
  for (const double v : numbers(x)) {
    exact.push_back(v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))));
    const double inner = std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v);
    approximate.push_back(v * 0.5 * (1 + std::tanh(inner)));
  }
  CHECK(distance(gelu(x), exact) < 1e-6);
  CHECK(distance(gelu_tanh(x), approximate) < 1e-6);
}

TEST_CASE("operations give CTranslate2's figures", "[ops][golden]") {
  const auto check = [](const char* test, const char* input, Tensor (*function)(const Tensor&)) {
    INFO(test);
    const json c = case_of("ctranslate2.json", test);
    CHECK(distance(function(f32(c.at(input))), f32(c.at("expected"))) < 1e-5);
  };
  check("OpDeviceTest.Mean", "input", [](const Tensor& x) { return mean(x, -1); });
  check("OpDeviceTest.Transpose2D", "x", [](const Tensor& x) { return transpose(x); });
  check("OpDeviceFPTest.LogSoftMax", "x", [](const Tensor& x) { return log_softmax(x); });
  check("OpDeviceFPTest.LayerNormAxis", "x", [](const Tensor& x) {
    const Variable normal = layer_norm(transpose(x, 1, 2), ones({x.size(1)}), {}, 1e-12);
    return transpose(normal, 1, 2).value();
  });
  check("OpDeviceFPTest.ReLU", "input", [](const Tensor& x) { return relu(x); });
  check("OpDeviceFPTest.GELUTanh", "input", [](const Tensor& x) { return gelu_tanh(x); });
  check("OpDeviceFPTest.Swish", "input", [](const Tensor& x) { return silu(x); });
}

TEST_CASE("causal and length masks together give CTranslate2's figures", "[mask][golden]") {
  const json c = case_of("ctranslate2.json", "OpDeviceFPTest.MaskedSoftMaxTriangular");
  // Queries · identity are the raw scores, scores · identity the output.
  const Tensor x = f32(c.at("x"));
  const Variable identity = expand(eye(3), {2, 2, 3, 3});
  const auto lengths = c.at("lengths").at("data").get<std::vector<Index>>();
  const auto mask = nn::AttentionMask::causal() & nn::AttentionMask::key_lengths(lengths, 3);
  AttentionRule rule = mask.rule_for(2, 2, 3, 3);
  rule.scale = 1.0;
  const Variable output = scaled_dot_product_attention(x, identity, identity, rule);
  CHECK(distance(output.value(), f32(c.at("expected"))) < 1e-5);
}

TEST_CASE("packed attention gives ONNX Runtime's figures", "[attention][golden]") {
  const json content = golden_file("onnxruntime.json");
  for (const json& c : content.at("cases")) {
    INFO(c.at("id").get<std::string>());
    AttentionRule rule{.causal = c.value("causal", false)};
    if (c.contains("score_bias")) rule.bias = unsqueeze(f32(c.at("score_bias")), 0);
    const Variable packed =
        linear(f32(c.at("input")), transpose(f32(c.at("weights"))), Variable(f32(c.at("bias"))));
    const Variable context = packed_attention(packed, c.at("num_heads").get<Index>(), rule);
    CHECK(distance(context.value(), f32(c.at("expected"))) < 1e-5);
  }
}
