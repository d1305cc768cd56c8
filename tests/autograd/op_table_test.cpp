// Every operation that can stand in a graph, tried on all its samples.
#include <tensorette_test.hpp>

#include <algorithm>
#include <op_samples.hpp>
#include <set>
#include <string>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/gradcheck.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/tensor/arithmetic.hpp>

namespace tensorette::testing {
namespace {

std::vector<Variable> parameters_of(const OpSample& sample) {
  std::vector<Variable> parameters;
  for (const Variable& input : sample.inputs) parameters.push_back(parameter(input.value()));
  return parameters;
}

std::vector<Variable> upstream_for(std::span<const Variable> outputs) {
  std::vector<Variable> upstream;
  for (const Variable& output : outputs) {
    upstream.emplace_back(values_between(-1, 1, output.shape()));
  }
  return upstream;
}

// The operations on the way from a result to its leaves.
std::set<Op> operations_behind(std::span<const Variable> outputs) {
  std::set<Op> operations;
  std::vector<const Node*> waiting;
  for (const Variable& output : outputs) waiting.push_back(output.node().get());
  while (!waiting.empty()) {
    const Node* node = waiting.back();
    waiting.pop_back();
    if (node == nullptr) continue;
    operations.insert(node->op());
    for (const auto& input : node->inputs()) waiting.push_back(input.get());
  }
  return operations;
}

TEST_CASE("every row of the op table is complete and in its place", "[autograd]") {
  for (std::size_t i = 0; i < op_table().size(); ++i) {
    const OpInfo& row = op_table()[i];
    CHECK(static_cast<std::size_t>(row.op) == i);
    CHECK(&info_of(row.op) == &row);
    CHECK_FALSE(std::string(row.name).empty());
    CHECK_FALSE(std::string(row.formula).empty());
    CHECK_FALSE(std::string(row.vjp).empty());
  }
}

TEST_CASE("every operation has samples that record it", "[autograd]") {
  std::set<Op> sampled;
  for (const OpSample& sample : op_samples()) {
    INFO(sample.name);
    const std::vector<Variable> outputs = sample.function(parameters_of(sample));
    CHECK(operations_behind(outputs).count(sample.op) == 1);
    sampled.insert(sample.op);
  }
  for (const OpInfo& row : op_table()) {
    if (row.op == Op::leaf || row.op == Op::custom) continue;
    INFO(row.name);
    CHECK(sampled.count(row.op) == 1);
  }
}

TEST_CASE("first derivatives of every operation are right", "[autograd]") {
  for (const OpSample& sample : op_samples()) {
    const GradcheckReport report = gradcheck(sample.function, sample.inputs, sample.options);
    INFO(sample.name << ": " << report.to_string());
    CHECK(report.ok());
  }
}

TEST_CASE("second derivatives of every operation are right", "[autograd]") {
  for (const OpSample& sample : op_samples()) {
    if (info_of(sample.op).order < 2) continue;
    const GradcheckReport report = gradgradcheck(sample.function, sample.inputs, sample.options);
    INFO(sample.name << ": " << report.to_string());
    CHECK(report.ok());
  }
}

TEST_CASE("full Jacobians of one sample per operation are right", "[autograd]") {
  std::set<Op> done;
  for (const OpSample& sample : op_samples()) {
    if (!done.insert(sample.op).second) continue;
    GradcheckOptions options = sample.options;
    options.full_jacobian = true;
    const GradcheckReport report = gradcheck(sample.function, sample.inputs, options);
    INFO(sample.name << ": " << report.to_string());
    CHECK(report.ok());
    CHECK(report.comparisons > 0);
  }
}

// Fused operations have a fast vjp for training and another for create_graph.
TEST_CASE("gradients with and without create_graph agree", "[autograd]") {
  for (const OpSample& sample : op_samples()) {
    INFO(sample.name);
    const std::vector<Variable> parameters = parameters_of(sample);
    const std::vector<Variable> outputs = sample.function(parameters);
    const std::vector<Variable> upstream = upstream_for(outputs);
    const auto fast = grad(outputs, parameters, upstream, {.retain_graph = true});
    const auto differentiable = grad(outputs, parameters, upstream, {.create_graph = true});
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      CHECK(fast[i].shape() == parameters[i].shape());
      CHECK_FALSE(fast[i].requires_grad());
      CHECK(all_close(fast[i].value(), differentiable[i].value(), 1e-10, 1e-12, true));
    }
  }
}

// The kernels for f32 are others than those that the checks above have tried.
TEST_CASE("values and gradients in f32 are those in f64, rounded", "[autograd]") {
  for (const OpSample& sample : op_samples()) {
    INFO(sample.name);
    const std::vector<Variable> exact = parameters_of(sample);
    std::vector<Variable> rounded;
    for (const Variable& input : exact) rounded.push_back(parameter(input.value().to(DType::f32)));
    const std::vector<Variable> expected = sample.function(exact);
    const std::vector<Variable> found = sample.function(rounded);
    std::vector<Variable> upstream;
    std::vector<Variable> rounded_upstream;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Tensor value = found[i].value().to(DType::f64);
      CHECK(all_close(value, expected[i].value(), 1e-5, 1e-5, true));
      upstream.emplace_back(values_between(-1, 1, value.shape()));
      rounded_upstream.emplace_back(upstream[i].value().to(found[i].dtype()));
    }
    const auto gradients = grad(expected, exact, upstream);
    const auto rounded_gradients = grad(found, rounded, rounded_upstream);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      CHECK(rounded_gradients[i].dtype() == DType::f32);
      const Tensor gradient = rounded_gradients[i].value().to(DType::f64);
      CHECK(all_close(gradient, gradients[i].value(), 1e-4, 1e-4));
    }
  }
}

// Only what is asked for is computed, and it does not depend on what else is asked for.
TEST_CASE("each input's gradient can be asked for alone", "[autograd]") {
  for (const OpSample& sample : op_samples()) {
    if (sample.inputs.size() < 2) continue;
    INFO(sample.name);
    const std::vector<Variable> parameters = parameters_of(sample);
    const std::vector<Variable> outputs = sample.function(parameters);
    const std::vector<Variable> upstream = upstream_for(outputs);
    const auto together = grad(outputs, parameters, upstream);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      std::vector<Variable> inputs = sample.inputs;
      inputs[i] = parameters[i];
      const auto alone = grad(sample.function(inputs), {&parameters[i], 1}, upstream);
      CHECK(all_close(alone[0].value(), together[i].value(), 1e-12, 1e-14));
    }
  }
}

TEST_CASE("gradients do not depend on the layout of the upstream gradient", "[autograd]") {
  for (const OpSample& sample : op_samples()) {
    INFO(sample.name);
    const std::vector<Variable> parameters = parameters_of(sample);
    const std::vector<Variable> outputs = sample.function(parameters);
    const std::vector<Variable> dense = upstream_for(outputs);
    const auto expected = grad(outputs, parameters, dense, {.retain_graph = true});
    for (const Layout layout : {Layout::transposed, Layout::sliced}) {
      std::vector<Variable> strided;
      for (const Variable& upstream : dense) {
        strided.emplace_back(laid_out(upstream.value(), layout));
      }
      const auto found = grad(outputs, parameters, strided, {.retain_graph = true});
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        CHECK(all_close(found[i].value(), expected[i].value(), 1e-12, 1e-14));
      }
    }
  }
}

}  // namespace
}  // namespace tensorette::testing
