#include <algorithm>
#include <tensorette/autograd/detail/older_nodes.hpp>
#include <tensorette/autograd/detail/recompute_node.hpp>
#include <tensorette/autograd/recompute.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette {
namespace detail {

Variable RecomputeNode::compute_again() {
  const Variable no_gradient;
  const VjpContext context(*this, no_gradient, {});
  std::vector<Variable> inputs;
  for (std::size_t i = 0; i < input_count_; ++i) inputs.push_back(context.input(i));
  // Asking for a saved value is what notices that it has been written to.
  const auto captured = static_cast<std::size_t>(
      std::count_if(saved().begin(), saved().end(),
                    [](const SavedTensor& kept) { return kept.source == SavedTensor::extra; }));
  for (std::size_t i = 0; i < captured; ++i) static_cast<void>(context.extra(i));

  const EnableGrad recording;
  ReplayDraws replay(draws_);
  Variable output = f_(inputs);
  require<GraphError>(replay.left() == 0,
                      "recompute: the function drew {} times the first time, {} times now",
                      draws_.size(), draws_.size() - replay.left());
  require<GraphError>(output.is_defined() && output.requires_grad(),
                      "recompute: the result of the function required a gradient the first time, "
                      "but does not now");
  require<GraphError>(output.shape() == shape() && output.dtype() == dtype(),
                      "recompute: the function gave {} of shape {} the first time, {} of shape {} "
                      "now",
                      dtype(), shape(), output.dtype(), output.shape());
  return output;
}

Grads RecomputeNode::run(const VjpContext&) {
  fail<GraphError>("recompute: has no vjp of its own; backward unfolds it");
}

void RecomputeNode::drop_formula() noexcept {
  f_ = nullptr;
  draws_.clear();
}

namespace {

// What a recorded result depends on, besides the inputs: nodes older than the recording.
struct Captured {
  std::vector<Variable> nodes;  // without values
  std::vector<Tensor> values;   // those of them that are known: their graphs have saved them
};

Captured captured_by(const Variable& output, std::uint64_t first_id,
                     std::span<const Variable> inputs) {
  const auto is_captured = [&](const Node* node) {
    return node != nullptr && node->id() < first_id &&
           std::none_of(inputs.begin(), inputs.end(),
                        [node](const Variable& input) { return input.node().get() == node; });
  };
  Captured captured;
  NodeMap<bool> has_value;
  const auto enter = [&](const Node& node) {
    for (const SavedTensor& saved : node.saved()) {
      if (saved.source < 0 || !saved.value.is_defined()) continue;
      const Node* maker = node.inputs()[static_cast<std::size_t>(saved.source)].get();
      if (is_captured(maker) && has_value.insert(maker, true)) {
        captured.values.push_back(saved.value);
      }
    }
  };
  const auto meet = [&](const intrusive_ptr<Node>& node) {
    if (is_captured(node.get())) captured.nodes.emplace_back(Tensor(), node);
    return true;
  };
  walk_newer({&output, 1}, first_id, enter, meet);
  return captured;
}

}  // namespace
}  // namespace detail

Variable recompute(const FunctionOfMany& f, const std::vector<Variable>& inputs) {
  constexpr std::size_t most_inputs = 32;
  detail::require<Error>(inputs.size() <= most_inputs, "recompute: takes up to {} inputs, got {}",
                         most_inputs, inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    detail::require<Error>(inputs[i].is_defined(), "recompute: input {} is undefined", i);
  }
  if (!is_recording()) return f(inputs);

  // The graph of this first call shows what the function depends on; then it goes.
  const std::uint64_t first_id = next_node_id();
  std::vector<detail::Draw> draws;
  const Variable output = [&] {
    const detail::RecordDraws record(draws);
    return f(inputs);
  }();
  detail::require<Error>(output.is_defined(), "recompute: the function gave an undefined Variable");
  if (!output.requires_grad() || output.node()->id() < first_id) return output;

  const detail::Captured captured = detail::captured_by(output, first_id, inputs);
  std::vector<const Variable*> connected;
  Save save;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    connected.push_back(&inputs[i]);
    save = save | Save::input(static_cast<unsigned>(i));
  }
  for (const Variable& node : captured.nodes) connected.push_back(&node);
  intrusive_ptr<Node> node(
      new detail::RecomputeNode(output.value(), f, inputs.size(), std::move(draws)));
  node->connect(connected, output.value(), save, captured.values);
  return detail::observed(Op::recompute, connected, Variable(output.value(), std::move(node)));
}

Variable recompute(const Function& f, const Variable& x) {
  return recompute(FunctionOfMany([f](std::span<const Variable> inputs) { return f(inputs[0]); }),
                   {x});
}

}  // namespace tensorette
