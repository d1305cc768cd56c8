#include <fmt/format.h>

#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/trace/detail/describe.hpp>
#include <tensorette/autograd/trace/formula.hpp>

namespace tensorette::detail {
namespace {

std::string source_name(int source) {
  if (source == SavedTensor::output) return "output";
  return source == SavedTensor::extra ? "extra" : fmt::format("input {}", source);
}

}  // namespace

Recording::Operation describe(const Node& node, Index element_limit) {
  Recording::Operation result;
  TraceNode& described = result.node;
  described.id = node.id();
  described.op = node.op();
  described.operation = node.name();
  described.shape = node.shape();
  described.dtype = node.dtype();
  if (const Node::Extras* extras = node.extras_if_any()) described.name = extras->name;
  for (const intrusive_ptr<Node>& input : node.inputs()) {
    TraceInput& entry = described.inputs.emplace_back();
    if (input) entry.shape = input->shape();
    result.inputs.push_back(input ? std::optional(input->id()) : std::nullopt);
  }
  for (const SavedTensor& saved : node.saved()) {
    if (!saved.value.is_defined()) continue;
    TraceSaved entry{.what = source_name(saved.source),
                     .shape = saved.value.shape(),
                     .dtype = saved.value.dtype()};
    const Node* maker = nullptr;
    if (saved.source >= 0) {
      const auto i = static_cast<std::size_t>(saved.source);
      maker = node.inputs()[i].get();
      described.inputs[i].shape = saved.value.shape();
    }
    entry.is_parameter = maker != nullptr && maker->is_leaf();
    const bool is_value_of_node = maker != nullptr || saved.source == SavedTensor::output;
    if (!is_value_of_node) entry.value = summarize(saved.value, element_limit);
    described.saved.push_back(std::move(entry));
    result.saved_storages.push_back(saved.value.storage().get());
  }
  return result;
}

void add_formulas(TraceNode& node) {
  std::vector<std::optional<Shape>> shapes;
  for (const TraceInput& input : node.inputs) shapes.push_back(input.shape);
  const FormulaShapes known{.output = node.shape, .inputs = shapes};
  node.formula = formula_with_shapes(node.op, known);
  node.vjp = vjp_with_shapes(node.op, known);
}

}  // namespace tensorette::detail
