#include <algorithm>
#include <tensorette/autograd/detail/older_nodes.hpp>
#include <tensorette/autograd/detail/recompute_node.hpp>
#include <tensorette/autograd/recompute.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette {
namespace detail {

void RecomputeNode::check_result(std::size_t i, const Variable& again) const {
  const RecomputedResult& before = results_[i];
  const std::string which = results_.size() == 1 ? "" : fmt::format(" {}", i);
  require<GraphError>(again.is_defined() && again.requires_grad(),
                      "recompute: the result{} of the function required a gradient the first time, "
                      "but does not now",
                      which);
  require<GraphError>(again.shape() == before.shape && again.dtype() == before.dtype,
                      "recompute: the function gave {} of shape {} the first time, {} of shape {} "
                      "now{}",
                      before.dtype, before.shape, again.dtype(), again.shape(),
                      which.empty() ? "" : ", as its result" + which);
}

std::vector<Variable> RecomputeNode::compute_again() {
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
  std::vector<Variable> again = f_(inputs);
  require<GraphError>(replay.left() == 0,
                      "recompute: the function drew {} times the first time, {} times now",
                      draws_.size(), draws_.size() - replay.left());
  require<GraphError>(again.size() == results_.size(),
                      "recompute: the function gave {} results the first time, {} now",
                      results_.size(), again.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    if (results_[i].is_recorded) check_result(i, again[i]);
  }
  return again;
}

Grads RecomputeNode::run(const VjpContext&) {
  fail<GraphError>("recompute: has no vjp of its own; backward unfolds it");
}

Grads FurtherResultNode::run(const VjpContext&) {
  fail<GraphError>("recompute: has no vjp of its own; backward unfolds it");
}

void RecomputeNode::drop_formula() noexcept {
  f_ = nullptr;
  draws_.clear();
}

namespace {

// What recorded results depend on, besides the inputs: nodes older than the recording.
struct Captured {
  std::vector<Variable> nodes;  // without values
  std::vector<Tensor> values;   // those of them that are known: their graphs have saved them
};

Captured captured_by(std::span<const Variable> results, std::uint64_t first_id,
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
  walk_newer(results, first_id, enter, meet);
  return captured;
}

void check_inputs(const std::vector<Variable>& inputs) {
  constexpr std::size_t most_inputs = 32;
  require<Error>(inputs.size() <= most_inputs, "recompute: takes up to {} inputs, got {}",
                 most_inputs, inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    require<Error>(inputs[i].is_defined(), "recompute: input {} is undefined", i);
  }
}

// A result that is older, or needs no gradient, is not recorded: it stays as it is.
std::vector<RecomputedResult> described(const std::vector<Variable>& results,
                                        std::uint64_t first_id) {
  std::vector<RecomputedResult> list;
  for (const Variable& result : results) {
    require<Error>(result.is_defined(), "recompute: the function gave an undefined Variable");
    const bool is_recorded = result.requires_grad() && result.node()->id() >= first_id;
    list.push_back({is_recorded, result.shape(), result.dtype()});
  }
  return list;
}

// What stands for result `i`, behind what stands for the first that is recorded.
Variable further_result(const std::vector<Variable>& results, const std::vector<Variable>& given,
                        std::size_t first, std::size_t i) {
  for (std::size_t earlier = first; earlier < i; ++earlier) {
    if (results[earlier].node() == results[i].node()) return given[earlier];
  }
  const Variable* const input = &given[first];
  intrusive_ptr<Node> node(new FurtherResultNode(results[i].value(), i));
  node->connect({&input, 1}, results[i].value(), Save::nothing(), {});
  return observed(Op::recompute, std::span(&input, 1),
                  Variable(results[i].value(), std::move(node)));
}

}  // namespace
}  // namespace detail
std::vector<Variable> recompute(const FunctionsOfMany& f, const std::vector<Variable>& inputs) {
  using namespace detail;
  check_inputs(inputs);
  if (!is_recording()) return f(inputs);

  // The graph of this first call shows what the function depends on; then it goes.
  const std::uint64_t first_id = next_node_id();
  std::vector<Draw> draws;
  std::vector<Variable> results = [&] {
    const RecordDraws record(draws);
    return f(inputs);
  }();
  std::vector<RecomputedResult> descriptions = described(results, first_id);
  const auto first =
      std::find_if(descriptions.begin(), descriptions.end(),
                   [](const RecomputedResult& result) { return result.is_recorded; });
  if (first == descriptions.end()) return results;
  const auto number = static_cast<std::size_t>(first - descriptions.begin());

  const Captured captured = captured_by(results, first_id, inputs);
  std::vector<const Variable*> connected;
  Save save;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    connected.push_back(&inputs[i]);
    save = save | Save::input(static_cast<unsigned>(i));
  }
  for (const Variable& node : captured.nodes) connected.push_back(&node);
  intrusive_ptr<Node> whole(
      new RecomputeNode(f, inputs.size(), descriptions, number, std::move(draws)));
  whole->connect(connected, results[number].value(), save, captured.values);

  std::vector<Variable> given = results;
  given[number] =
      observed(Op::recompute, connected, Variable(results[number].value(), std::move(whole)));
  for (std::size_t i = number + 1; i < results.size(); ++i) {
    if (descriptions[i].is_recorded) given[i] = further_result(results, given, number, i);
  }
  return given;
}

Variable recompute(const FunctionOfMany& f, const std::vector<Variable>& inputs) {
  return recompute(
      FunctionsOfMany([f](std::span<const Variable> all) { return std::vector<Variable>{f(all)}; }),
      inputs)[0];
}

Variable recompute(const Function& f, const Variable& x) {
  return recompute(FunctionOfMany([f](std::span<const Variable> inputs) { return f(inputs[0]); }),
                   {x});
}

}  // namespace tensorette
