// Transformer layers and stacks against numbers from libtorch and PyTorch's own tests.
#include <cmath>
#include <tensorette/nn/transformer.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "golden.hpp"
#include "parameter_matches.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using nlohmann::json;

namespace {

Tensor batch_first(const json& value, DType dtype = DType::f64) {
  return transpose(golden_tensor(value).to(dtype), 0, 1).contiguous();
}

double tolerance_in(DType dtype) {
  return dtype == DType::f32 ? 1e-5 : 1e-10;
}

void check_gradients(const std::vector<Match>& matches, const json& c) {
  for (const Match& match : matches) {
    INFO(match.name << " from row " << match.first);
    CHECK(distance(match.parameter.grad().value(), matching(c, "grad_param_", match)) <
          tolerance_in(match.parameter.dtype()));
  }
}

/// cos(0), cos(1), ... in place of the rows of a tensor of `rows` rows.
void fill_with_cosines(const Match& match) {
  Tensor target = match.parameter.value();
  const Index width = target.element_count() / target.size(0);
  std::vector<double> cosines;
  for (Index i = 0; i < target.element_count(); ++i) {
    cosines.push_back(std::cos(static_cast<double>(match.first * width + i)));
  }
  copy_(target, from_vector(cosines, target.shape()).to(target.dtype()));
}

template <class Layer>
void fill_with_cosines(const std::vector<Layer>& layers) {
  for (const Layer& layer : layers) {
    for (const Match& match : matches_of(layer)) fill_with_cosines(match);
  }
}

void fill_with_cosines(const std::optional<LayerNorm>& norm) {
  for (const Match& match : matches_of(*norm, "norm")) fill_with_cosines(match);
}

/// The mask made of what the case has under these names, if anything.
AttentionMask mask_of(const json& inputs, const std::string& padding, const std::string& plane) {
  AttentionMask mask;
  if (inputs.contains(padding)) {
    mask = mask & AttentionMask::key_validity(equal(golden_tensor(inputs.at(padding)), 0));
  }
  if (inputs.contains(plane)) {
    mask = mask & AttentionMask::bias(golden_tensor(inputs.at(plane)).to(DType::f32));
  }
  return mask;
}

Tensor input(const json& inputs, const char* name) {
  return batch_first(inputs.at(name)).to(DType::f32);
}

Variable run_literal_case(const json& c) {
  const json& inputs = c.at("inputs");
  const std::string kind = c.at("kind");
  const bool has_both = kind == "both";
  const bool is_normed = !c.at("final_norm").is_null();
  const TransformerLayerOptions options{
      .dim = 4,
      .heads = 2,
      .hidden = 16,
      .dropout = 0.0,
      .activation = c.at("activation") == "gelu" ? Activation::gelu : Activation::relu};
  Generator generator;
  const TransformerEncoder encoder(has_both            ? 2
                                   : kind == "encoder" ? c.at("layers").get<Index>()
                                                       : 0,
                                   options, is_normed, generator);
  const TransformerDecoder decoder(has_both            ? 1
                                   : kind == "decoder" ? c.at("layers").get<Index>()
                                                       : 0,
                                   options, is_normed, generator);
  fill_with_cosines(encoder.layers);
  fill_with_cosines(decoder.layers);
  if (has_both) {
    fill_with_cosines(encoder.norm);
    fill_with_cosines(decoder.norm);
  }
  const auto encode = [&] {
    return encoder.forward(input(inputs, "src"),
                           mask_of(inputs, "src_key_padding_mask", "src_mask"));
  };
  if (kind == "encoder") return encode();
  return decoder.forward(input(inputs, "tgt"), has_both ? encode() : input(inputs, "memory"),
                         mask_of(inputs, "tgt_key_padding_mask", "tgt_mask"),
                         mask_of(inputs, "memory_key_padding_mask", "memory_mask"));
}

}  // namespace

TEST_CASE("encoder layers give libtorch's values and gradients", "[transformer][golden]") {
  const DType dtype = GENERATE(DType::f32, DType::f64);
  const double tolerance = tolerance_in(dtype);
  const json cases = golden_file("transformer_layers.json");
  for (const std::string id : {"encoder_layer_postnorm_relu", "encoder_layer_postnorm_gelu",
                               "encoder_layer_prenorm_relu"}) {
    INFO(id);
    const json& c = golden_case(cases, id);
    Generator generator;
    TransformerEncoderLayer layer(
        {.dim = 8,
         .heads = 2,
         .hidden = 12,
         .dropout = 0.0,
         .activation = id.ends_with("gelu") ? Activation::gelu : Activation::relu,
         .norm_first = id.find("prenorm") != std::string::npos},
        generator);
    layer.to(dtype);
    const std::vector<Match> matches = matches_of(layer);
    load(matches, c);
    const Variable x = parameter(batch_first(c.at("src"), dtype));
    const Variable y = layer.forward(x);
    CHECK(distance(y.value(), batch_first(c.at("output"), dtype)) < tolerance);
    y.backward(Variable(batch_first(c.at("grad_output"), dtype)));
    CHECK(distance(x.grad().value(), batch_first(c.at("grad_src"), dtype)) < tolerance);
    check_gradients(matches, c);
  }
}

TEST_CASE("a decoder layer gives libtorch's values and gradients", "[transformer][golden]") {
  const DType dtype = GENERATE(DType::f32, DType::f64);
  const double tolerance = tolerance_in(dtype);
  const json cases = golden_file("transformer_layers.json");
  const json& c = golden_case(cases, "decoder_layer_postnorm_gelu_causal_memorypad");
  Generator generator;
  TransformerDecoderLayer layer(
      {.dim = 8, .heads = 2, .hidden = 12, .dropout = 0.0, .activation = Activation::gelu},
      generator);
  layer.to(dtype);
  const std::vector<Match> matches = matches_of(layer);
  load(matches, c);
  const Variable x = parameter(batch_first(c.at("tgt"), dtype));
  const Variable memory = parameter(batch_first(c.at("memory"), dtype));
  const Variable y = layer.forward(
      x, memory, AttentionMask::causal(),
      AttentionMask::key_validity(equal(golden_tensor(c.at("memory_key_padding_mask")), 0)));
  CHECK(distance(y.value(), batch_first(c.at("output"), dtype)) < tolerance);
  y.backward(Variable(batch_first(c.at("grad_output"), dtype)));
  CHECK(distance(x.grad().value(), batch_first(c.at("grad_tgt"), dtype)) < tolerance);
  CHECK(distance(memory.grad().value(), batch_first(c.at("grad_memory"), dtype)) < tolerance);
  check_gradients(matches, c);
}

TEST_CASE("stacks of cosine layers give PyTorch's figures", "[transformer][golden]") {
  const json cases = golden_file("transformer_literals.json");
  REQUIRE(cases.size() > 20);
  for (const json& c : cases) {
    INFO(c.at("id").get<std::string>());
    const Variable y = run_literal_case(c);
    if (c.at("expected") == "all_nan") {
      // There, a query without keys is NaN; here it attends to nothing.
      CHECK(is_finite(y.value()));
    } else {
      CHECK(distance(y.value(), batch_first(c.at("expected"))) < 1e-5);
    }
  }
}
