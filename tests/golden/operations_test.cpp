// Values and gradients of single operations against numbers that libtorch computed in f64.
#include <functional>
#include <map>
#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/fused/embedding.hpp>
#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/attention_steps.hpp>
#include <tensorette/nn/loss.hpp>

#include "compare.hpp"
#include "golden.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using nlohmann::json;

namespace {

double tolerance_in(DType dtype) {
  return dtype == DType::f32 ? 1e-5 : 1e-10;
}

/// The inputs of one case by name; those that have a gradient there are parameters.
using Inputs = std::map<std::string, Variable>;

Inputs inputs_of(const json& c, DType dtype) {
  Inputs inputs;
  for (const auto& [name, value] : c.items()) {
    if (!value.is_object() || name == "output" || name.starts_with("grad_")) continue;
    const Tensor tensor = golden_tensor(value).to(dtype);
    inputs.emplace(name, c.contains("grad_" + name) ? parameter(tensor) : Variable(tensor));
  }
  return inputs;
}

Tensor ids(const Variable& numbers) {
  return numbers.value().to(DType::i64);
}

nn::Reduction reduction_of(const json& c) {
  const std::string name = c.at("reduction");
  return name == "mean"  ? nn::Reduction::mean
         : name == "sum" ? nn::Reduction::sum
                         : nn::Reduction::none;
}

Variable cross_entropy(const Inputs& in, const json& c) {
  return nn::cross_entropy(in.at("logits"), ids(in.at("target")),
                           {.ignore_index = c.at("ignore_index").get<Index>(),
                            .label_smoothing = c.at("label_smoothing"),
                            .reduction = reduction_of(c)});
}

Variable softmax(const Inputs& in, const json& c) {
  return softmax(in.at("x"), c.value("dim", -1));
}

using Operation = std::function<Variable(const Inputs&, const json&)>;

/// An operation of one input, x.
Operation of_x(Variable (*function)(const Variable&)) {
  return [function](const Inputs& in, const json&) { return function(in.at("x")); };
}

const std::map<std::string, Operation>& operations() {
  static const std::map<std::string, Operation> table{
      {"linear", [](const Inputs& in,
                    const json&) { return linear(in.at("x"), in.at("weight"), in.at("bias")); }},
      {"matmul_broadcast_batch",
       [](const Inputs& in, const json&) { return matmul(in.at("a"), in.at("b")); }},
      {"mul_broadcast", [](const Inputs& in, const json&) { return in.at("a") * in.at("b"); }},
      {"layer_norm",
       [](const Inputs& in, const json& c) {
         return layer_norm(in.at("x"), in.at("weight"), in.at("bias"), c.at("eps"));
       }},
      {"softmax_dim-1", softmax},
      {"softmax_dim1", softmax},
      {"softmax_large_values", softmax},
      {"gelu_exact", of_x(gelu)},
      {"relu", of_x(relu)},
      {"sigmoid", of_x(sigmoid)},
      {"transpose_reshape_heads",
       [](const Inputs& in, const json&) { return nn::split_heads(in.at("x"), 2); }},
      {"embedding_padding_idx_0",
       [](const Inputs& in, const json& c) {
         return embedding(in.at("weight"), ids(in.at("indices")), 1.0,
                          c.at("padding_idx").get<Index>());
       }},
      {"cross_entropy_ls0_mean_ignore2", cross_entropy},
      {"cross_entropy_ls0_sum_ignore2", cross_entropy},
      {"cross_entropy_ls0_none_ignore2", cross_entropy},
      {"cross_entropy_ls0.1_mean_ignore2", cross_entropy},
      {"cross_entropy_ls0.1_sum_ignore2", cross_entropy},
      {"cross_entropy_ls0.1_none_ignore2", cross_entropy},
      {"scaled_dot_product_attention", [](const Inputs& in, const json&) {
         return scaled_dot_product_attention(in.at("q"), in.at("k"), in.at("v"));
       }}};
  return table;
}

}  // namespace

TEST_CASE("operations give libtorch's values and gradients", "[ops][golden]") {
  const json cases = golden_file("operations.json");
  REQUIRE(cases.size() == operations().size());
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const json& c : cases) {
      const std::string id = c.at("id");
      INFO(id << ", " << name_of(dtype));
      // Numbers around 1000 are themselves rounded by up to 3e-5 in f32.
      const double tolerance =
          id == "softmax_large_values" && dtype == DType::f32 ? 5e-5 : tolerance_in(dtype);
      const Inputs inputs = inputs_of(c, dtype);
      const Variable output = operations().at(id)(inputs, c);
      CHECK(distance(output.value(), golden_tensor(c.at("output"))) < tolerance);
      output.backward(Variable(golden_tensor(c.at("grad_output")).to(dtype)));
      std::size_t gradients = 0;
      for (const auto& [name, input] : inputs) {
        if (!input.requires_grad()) continue;
        INFO(name);
        CHECK(distance(input.grad().value(), golden_tensor(c.at("grad_" + name))) < tolerance);
        ++gradients;
      }
      CHECK(gradients > 0);
    }
  }
}

TEST_CASE("attention scores are libtorch's", "[attention][golden]") {
  const json cases = golden_file("operations.json");
  const json& c = golden_case(cases, "scaled_dot_product_attention");
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Inputs in = inputs_of(c, dtype);
    const Variable scores = softmax(raw_attention_scores(in.at("q"), in.at("k")));
    CHECK(distance(scores.value(), golden_tensor(c.at("attn"))) < tolerance_in(dtype));
  }
}
