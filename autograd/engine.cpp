// Carries gradients from outputs back to leaves.
//
// A node is made after its inputs, so its id is larger than theirs. Visiting ids in decreasing
// order is therefore a reverse topological order: every consumer of a value has spoken before the
// value passes its gradient on. A heap on ids finds that order without looking at the graph
// first, and nothing here recurses.
#include <algorithm>
#include <array>
#include <tensorette/autograd/detail/older_nodes.hpp>
#include <tensorette/autograd/detail/recompute_node.hpp>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/node_map.hpp>
#include <tensorette/autograd/ops/arithmetic.hpp>
#include <tensorette/autograd/ops/basic.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette {
namespace {

using detail::require;

template <class Message>
void tell(const Message& message) {
  detail::tell_observers(message);
}

// Tells observers where a walk begins and, also when an exception leaves it, where it ends.
class ObservedWalk {
 public:
  explicit ObservedWalk(std::span<const Variable> outputs) {
    tell([&](Observer& o) { o.backward_begins(outputs); });
  }
  ObservedWalk(const ObservedWalk&) = delete;
  ObservedWalk& operator=(const ObservedWalk&) = delete;
  ~ObservedWalk() {
    tell([](Observer& o) { o.backward_ends(); });
  }
};

// The sum of two gradients, in place where nobody else can see it.
void accumulate(Variable& total, Variable gradient, bool create_graph) {
  if (!total.is_defined()) {
    total = std::move(gradient);
    return;
  }
  if (create_graph) {
    total = add(total, gradient);
    return;
  }
  Tensor& sum = total.mutable_value();
  if (sum.is_unshared() && sum.is_contiguous()) {
    add_(sum, gradient.value());
  } else if (gradient.value().is_unshared() && gradient.value().is_contiguous()) {
    add_(gradient.mutable_value(), sum);
    total = std::move(gradient);
  } else {
    total = Variable(add(sum, gradient.value()));
  }
}

// Null unless the node stands for a function that is computed again.
detail::RecomputeNode* recomputed_function(Node& node) {
  return node.op() == Op::recompute ? dynamic_cast<detail::RecomputeNode*>(&node) : nullptr;
}

// A gradient as the node's consumers promised it: its shape and dtype are the output's.
Variable fitted(Variable gradient, const Node& target, const char* from) {
  require<DTypeError>(gradient.dtype() == target.dtype(),
                      "backward: the vjp of {} gave a gradient of dtype {} for an input of {}",
                      from, gradient.dtype(), target.dtype());
  if (gradient.shape() == target.shape()) return gradient;
  require(is_broadcastable_to(target.shape(), gradient.shape()),
          "backward: the vjp of {} gave a gradient of shape {} for an input of shape {}", from,
          gradient.shape(), target.shape());
  return sum_to(gradient, target.shape());
}

class Engine {
 public:
  Engine(bool create_graph, bool retain_graph) noexcept
      : create_graph_(create_graph), retain_graph_(retain_graph || create_graph) {}

  // Only nodes between the outputs and these are visited, and their gradients are kept.
  void aim_at(std::span<const Variable> outputs, std::span<const Variable> inputs);
  void seed(const Variable& output, const Variable& gradient);
  void run();
  // Puts what leaves and retained results have received into their grad(); the last step, so that
  // an exception before it leaves every gradient as it was.
  void collect();
  [[nodiscard]] Variable gradient_of(const Variable& input) const;

 private:
  struct Pending {
    intrusive_ptr<Node> node;
    Variable grad;
  };

  void deliver(const intrusive_ptr<Node>& node, Variable gradient);
  void apply_hooks(Node& node, Variable& gradient) const;
  // False if no input wants a gradient.
  bool pass_on(Node& node, const Variable& gradient);
  // Puts the graph that a node stands for in its place: gradients go on from there.
  void unfold(detail::RecomputeNode& node, const Variable& gradient);
  // Lets the gradient of a further result of a recomputed function wait at the function's node.
  void wait_for_function(const Pending& result);
  // Finds out which of the nodes behind `results` with ids >= limit lead to an input.
  void mark_useful(std::span<const Variable> results, std::uint64_t limit);
  [[nodiscard]] bool leads_to_inputs(const Node* node) const {
    return !is_aimed_ || useful_.find(node) != nullptr;
  }

  bool create_graph_;
  bool retain_graph_;
  bool is_aimed_ = false;
  std::uint64_t lowest_ = ~std::uint64_t{0};  // id of the first input; only if aimed
  NodeMap<bool> useful_;                      // nodes on a path to an input; only if aimed
  NodeMap<Variable> captured_;                // gradients of the inputs; only if aimed
  NodeMap<std::size_t> slots_;                // where a node's pending gradient is
  std::vector<Pending> pending_;
  std::vector<std::size_t> free_slots_;
  std::vector<std::pair<std::uint64_t, std::size_t>> heap_;  // (id, slot), largest id first
  std::vector<Pending> leaves_;
  std::vector<Pending> retained_;
  NodeMap<std::vector<Pending>> further_results_;  // that wait at a recomputed function's node
};

void Engine::aim_at(std::span<const Variable> outputs, std::span<const Variable> inputs) {
  is_aimed_ = true;
  for (const Variable& input : inputs) {
    captured_.insert(input.node().get(), Variable());
    useful_.insert(input.node().get(), true);
    lowest_ = std::min(lowest_, input.node()->id());
  }
  mark_useful(outputs, lowest_ + 1);
}

void Engine::mark_useful(std::span<const Variable> results, std::uint64_t limit) {
  // All nodes that can matter, in the order of their ids: a node leads to an input if one of its
  // own inputs does.
  std::vector<const Node*> nodes;
  detail::walk_newer(
      results, limit, [&nodes](const Node& node) { nodes.push_back(&node); },
      [](const intrusive_ptr<Node>&) { return true; });
  std::sort(nodes.begin(), nodes.end(),
            [](const Node* a, const Node* b) { return a->id() < b->id(); });
  for (const Node* node : nodes) {
    const auto leads = [&](const intrusive_ptr<Node>& input) {
      return input && useful_.find(input.get()) != nullptr;
    };
    // What a released node led to is not known any more: reaching it is an error, not a zero.
    if (node->is_released() || std::any_of(node->inputs().begin(), node->inputs().end(), leads)) {
      useful_.insert(node, true);
    }
  }
}

void Engine::seed(const Variable& output, const Variable& gradient) {
  require<Error>(output.is_defined(), "backward: the output is undefined");
  require<GraphError>(output.requires_grad(),
                      "backward: the output of shape {} does not depend on any parameter, or was "
                      "made while recording was off",
                      output.shape());
  if (!gradient.is_defined()) {
    require<GraphError>(output.element_count() == 1,
                        "backward: an output of shape {} needs an upstream gradient of that shape",
                        output.shape());
    deliver(output.node(), Variable(ones(output.shape(), output.dtype())));
    return;
  }
  require(gradient.shape() == output.shape(),
          "backward: the upstream gradient has shape {}, the output {}", gradient.shape(),
          output.shape());
  require<DTypeError>(gradient.dtype() == output.dtype(),
                      "backward: the upstream gradient is {}, the output {}", gradient.dtype(),
                      output.dtype());
  deliver(output.node(), gradient);
}

void Engine::deliver(const intrusive_ptr<Node>& node, Variable gradient) {
  if (const std::size_t* slot = slots_.find(node.get())) {
    accumulate(pending_[*slot].grad, std::move(gradient), create_graph_);
    return;
  }
  std::size_t slot = pending_.size();
  if (free_slots_.empty()) {
    pending_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  pending_[slot] = {node, std::move(gradient)};
  slots_.insert(node.get(), slot);
  heap_.emplace_back(node->id(), slot);
  std::push_heap(heap_.begin(), heap_.end());
}

void Engine::apply_hooks(Node& node, Variable& gradient) const {
  const Node::Extras* extras = node.extras_if_any();
  if (extras == nullptr) return;
  // A hook may add or remove hooks of its own variable.
  const auto hooks = extras->hooks;
  for (const auto& [number, hook] : hooks) {
    Variable replacement = hook(gradient);
    if (!replacement.is_defined()) continue;
    require(replacement.shape() == node.shape() && replacement.dtype() == node.dtype(),
            "hook: the gradient must keep shape {} and dtype {}, got {} and {}", node.shape(),
            node.dtype(), replacement.shape(), replacement.dtype());
    gradient = std::move(replacement);
  }
}

bool Engine::pass_on(Node& node, const Variable& gradient) {
  node.check_not_released();
  const std::span<const intrusive_ptr<Node>> inputs = node.inputs();
  constexpr std::size_t few = 16;
  std::array<bool, few> flags{};
  std::unique_ptr<bool[]> many;
  if (inputs.size() > few) many = std::make_unique<bool[]>(inputs.size());
  const std::span<bool> needed(many ? many.get() : flags.data(), inputs.size());
  bool any_needed = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    needed[i] = inputs[i] && leads_to_inputs(inputs[i].get());
    any_needed = any_needed || needed[i];
  }
  if (!any_needed) return false;
  const bool is_observed = detail::is_observed();
  if (is_observed) tell([&](Observer& o) { o.vjp_begins(node, gradient); });
  Grads grads = node.vjp(gradient, needed);
  if (is_observed) tell([&](Observer& o) { o.vjp_done(node, grads); });
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!needed[i] || !grads[i].is_defined()) continue;
    deliver(inputs[i], fitted(std::move(grads[i]), *inputs[i], node.name()));
  }
  if (is_observed) tell([&](Observer& o) { o.gradients_delivered(node); });
  return true;
}

void Engine::wait_for_function(const Pending& result) {
  result.node->check_not_released();
  const intrusive_ptr<Node>& function = result.node->inputs()[0];
  if (!leads_to_inputs(function.get())) return;
  const bool is_observed = detail::is_observed();
  if (is_observed) tell([&](Observer& o) { o.vjp_begins(*result.node, result.grad); });
  if (further_results_.find(function.get()) == nullptr) {
    further_results_.insert(function.get(), {});
  }
  further_results_.find(function.get())->push_back(result);
  // The function's node is older than all of its further results: it comes when they have come.
  if (slots_.find(function.get()) == nullptr) deliver(function, Variable());
  if (is_observed) tell([&](Observer& o) { o.gradients_delivered(*result.node); });
}

void Engine::unfold(detail::RecomputeNode& node, const Variable& gradient) {
  node.check_not_released();
  std::vector<Pending> further;
  if (std::vector<Pending>* waiting = further_results_.find(&node)) {
    further = std::move(*waiting);
    further_results_.erase(&node);
  }
  const std::uint64_t limit = next_node_id();
  const bool is_observed = detail::is_observed();
  if (is_observed) {
    const Variable seen =
        gradient.is_defined() ? gradient : Variable(zeros(node.shape(), node.dtype()));
    tell([&](Observer& o) { o.vjp_begins(node, seen); });
  }
  const std::vector<Variable> again = node.compute_again();
  if (is_observed) tell([&](Observer& o) { o.gradients_delivered(node); });
  // The new nodes are younger than all that wait, so the walk goes on as if they had always been
  // there: gradients are summed in the same order.
  if (is_aimed_) mark_useful(again, limit);
  if (gradient.is_defined()) deliver(again[node.number()].node(), gradient);
  for (const Pending& result : further) {
    const auto& made = static_cast<const detail::FurtherResultNode&>(*result.node);
    deliver(again[made.number()].node(), result.grad);
    if (!retain_graph_) result.node->release();
  }
  if (!retain_graph_) node.release();
}

void Engine::run() {
  const RecordingScope recording(create_graph_);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end());
    const std::size_t slot = heap_.back().second;
    heap_.pop_back();
    Pending now = std::move(pending_[slot]);
    free_slots_.push_back(slot);
    slots_.erase(now.node.get());

    Node& node = *now.node;
    // Where only further results of a recomputed function are used, the first has no gradient.
    const bool has_gradient = now.grad.is_defined();
    if (has_gradient) apply_hooks(node, now.grad);
    if (is_aimed_ && has_gradient) {
      if (Variable* captured = captured_.find(&node)) *captured = now.grad;
    }
    if (node.is_leaf()) {
      if (detail::is_observed()) tell([&](Observer& o) { o.leaf_reached(node, now.grad); });
      if (!is_aimed_) leaves_.push_back(std::move(now));
      continue;
    }
    if (is_aimed_ && node.id() == lowest_) continue;  // nothing before it is asked for
    if (auto* function = recomputed_function(node)) {
      unfold(*function, now.grad);
    } else if (node.op() == Op::recompute) {
      wait_for_function(now);
    } else if (pass_on(node, now.grad) && !retain_graph_) {
      node.release();
    }
    const Node::Extras* extras = node.extras_if_any();
    if (extras != nullptr && extras->retains_grad && has_gradient)
      retained_.push_back(std::move(now));
  }
}

void Engine::collect() {
  const RecordingScope recording(create_graph_);
  for (Pending& result : retained_) result.node->extras().grad = std::move(result.grad);
  for (Pending& leaf : leaves_) {
    Variable& total = leaf.node->extras().grad;
    if (total.is_defined()) {
      accumulate(total, std::move(leaf.grad), create_graph_);
      continue;
    }
    // A gradient of its own: nobody sees it change when it is scaled or added to in place.
    const Tensor& value = leaf.grad.value();
    const bool is_private = value.is_unshared() && value.is_contiguous();
    total = create_graph_ || is_private ? std::move(leaf.grad) : Variable(value.clone());
  }
}

Variable Engine::gradient_of(const Variable& input) const {
  const Variable* captured = captured_.find(input.node().get());
  if (captured != nullptr && captured->is_defined()) return *captured;
  return Variable(zeros(input.shape(), input.dtype()));
}

void seed_all(Engine& engine, const char* operation, std::span<const Variable> outputs,
              std::span<const Variable> gradients) {
  require<GraphError>(gradients.empty() || gradients.size() == outputs.size(),
                      "{}: {} upstream gradients for {} outputs", operation, gradients.size(),
                      outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    engine.seed(outputs[i], gradients.empty() ? Variable() : gradients[i]);
  }
}

}  // namespace

void backward(std::span<const Variable> outputs, std::span<const Variable> gradients,
              BackwardOptions options) {
  Engine engine(options.create_graph, options.retain_graph);
  seed_all(engine, "backward", outputs, gradients);
  const ObservedWalk walk(outputs);
  engine.run();
  engine.collect();
}

std::vector<Variable> grad(std::span<const Variable> outputs, std::span<const Variable> inputs,
                           std::span<const Variable> gradients, GradOptions options) {
  for (const Variable& input : inputs) {
    require<GraphError>(input.requires_grad(),
                        "grad: an input of shape {} is a constant: it requires no gradient",
                        input.shape());
  }
  Engine engine(options.create_graph, options.retain_graph);
  engine.aim_at(outputs, inputs);
  seed_all(engine, "grad", outputs, gradients);
  const ObservedWalk walk(outputs);
  engine.run();
  std::vector<Variable> results;
  results.reserve(inputs.size());
  for (const Variable& input : inputs) results.push_back(engine.gradient_of(input));
  return results;
}

Variable grad(const Variable& output, const Variable& input, GradOptions options) {
  return grad({&output, 1}, {&input, 1}, {}, options)[0];
}

}  // namespace tensorette
