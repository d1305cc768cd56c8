#include <tensorette_test.hpp>

#include <array>
#include <compare.hpp>
#include <tensorette/autograd/anomaly.hpp>
#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/autograd/trace/cost.hpp>
#include <tensorette/autograd/trace/recording.hpp>
#include <tensorette/nn/embedding.hpp>
#include <tensorette/nn/feed_forward.hpp>
#include <tensorette/nn/multi_head_self_attention.hpp>
#include <tensorette/nn/summary.hpp>
#include <tensorette/nn/transformer.hpp>

namespace tensorette::nn {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::error_text;

const SummaryRow& row_of(const ModelSummary& summary, const std::string& path) {
  for (const SummaryRow& row : summary.rows) {
    if (row.path == path) return row;
  }
  FAIL("no row for " << path);
  return summary.rows.front();
}

TEST_CASE("a summary adds up parameters, work and activations", "[nn][summary]") {
  Generator generator(1);
  FeedForward model({.dim = 4, .hidden = 8, .dropout = 0.5}, generator);
  const auto states = model.generator_states();
  const ModelSummary s = summary(model, {{2, 3, 4}});
  CHECK(s.rows.size() == 4);
  const SummaryRow& first = row_of(s, "first");
  CHECK(first.type == "Linear");
  CHECK(first.output == Shape{2, 3, 8});
  CHECK(first.parameters == 4 * 8 + 8);
  CHECK(first.flops == 6 * (2 * 4 * 8 + 8));
  CHECK(first.activation_bytes == 6 * 8 * 4);
  const SummaryRow& all = row_of(s, "");
  CHECK(all.type == "FeedForward");
  CHECK(all.parameters == model.parameter_count());
  CHECK(all.output == Shape{2, 3, 4});
  // first, relu, dropout, second
  CHECK(all.flops == 6 * (2 * 4 * 8 + 8) + 6 * 8 + 6 * 8 + 6 * (2 * 8 * 4 + 4));
  CHECK(model.generator_states() == states);
  CHECK_FALSE(model.first.weight.grad().is_defined());
  const std::string table = to_string(s);
  CHECK_THAT(table, ContainsSubstring("FeedForward"));
  CHECK_THAT(table, ContainsSubstring("  first: Linear"));
  CHECK_THAT(table, ContainsSubstring("[2, 3, 8]"));
  model.eval();
  const SummaryRow dropout = row_of(summary(model, {{2, 3, 4}}), "dropout");
  CHECK(dropout.calls == 0);  // it does nothing then
  CHECK_FALSE(dropout.output);
}

TEST_CASE("a summary counts the softmax of every head", "[nn][summary]") {
  for (const Index heads : {1, 4}) {
    Generator generator(1);
    MultiHeadSelfAttention model({.embedding_dim = 8, .heads = heads}, generator);
    const double attention = 3.0 * 5 * 5 * (2 * (8 + 8) + 5.0 * static_cast<double>(heads));
    const double projections = 3.0 * 5 * (2 * 8 * 24 + 24 + 2 * 8 * 8 + 8);
    CHECK(row_of(summary(model, {{3, 5, 8}}), "").flops == attention + projections);
    // As much as the unpacked operation, at each head.
    const Variable head(generator.normal({3, heads, 5, 8 / heads}));
    const Variable output = scaled_dot_product_attention(head, head, head);
    CHECK(flops_of(Op::attention, std::array{&head, &head, &head}, output) == attention);
  }
}

TEST_CASE("a summary takes ids and more than one input", "[nn][summary]") {
  Generator generator(2);
  Transformer model({.source_vocabulary = 11,
                     .target_vocabulary = 13,
                     .dim = 8,
                     .heads = 2,
                     .encoder_layers = 1,
                     .decoder_layers = 1,
                     .hidden = 16},
                    generator);
  const ModelSummary s = summary(model, {{{2, 5}, DType::i64}, {{2, 4}, DType::i64}});
  CHECK(row_of(s, "").output == Shape{2, 4, 13});
  CHECK(row_of(s, "encoder").output == Shape{2, 5, 8});
  CHECK(row_of(s, "encoder").calls == 1);
  CHECK_THAT(error_text<Error>([&] { static_cast<void>(summary(model, {})); }),
             ContainsSubstring("forward of Transformer does not take 0 tensors"));
}

TEST_CASE("a trace groups operations by module", "[nn][trace]") {
  Generator generator(3);
  TransformerEncoder encoder(2, {.dim = 8, .heads = 2, .hidden = 16}, true, generator);
  encoder.name_parameters();
  const Recording recording;
  const Trace t = trace(sum(encoder.forward(generator.normal({1, 3, 8}))));
  const auto has_scope = [&](const std::string& path) {
    return std::any_of(t.scopes.begin(), t.scopes.end(),
                       [&](const TraceScope& scope) { return scope.path == path; });
  };
  CHECK(has_scope("TransformerEncoder"));
  CHECK(has_scope("TransformerEncoder.layers.1.feed_forward.first"));
  for (const TraceNode& node : t.nodes) {
    if (node.name != "layers.0.feed_forward.first.weight") continue;
    CHECK(t.scopes[static_cast<std::size_t>(node.scope)].path ==
          "TransformerEncoder.layers.0.feed_forward.first");
  }
  CHECK(t.nodes.back().scope == -1);
}

TEST_CASE("the guard against NaN names the module", "[nn][anomaly]") {
  Generator generator(4);
  FeedForward model({.dim = 4, .hidden = 8}, generator);
  model.name_parameters();
  model.second.weight.mutable_value().mutable_data<float>()[0] = std::nanf("");
  const DetectAnomaly guard;
  const std::string text = error_text<AnomalyError>([&] {
    static_cast<void>(model.forward(generator.normal({2, 4})));
  });
  CHECK_THAT(text, ContainsSubstring("anomaly: linear in FeedForward.second gave NaN"));
  CHECK_THAT(text, ContainsSubstring("parameter \"second.weight\" [4, 8] has NaN in 1 of 32"));
  CHECK_THAT(text, ContainsSubstring("\n  in FeedForward second"));
}

}  // namespace
}  // namespace tensorette::nn
