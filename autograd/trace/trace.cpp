#include <tensorette/autograd/trace/trace.hpp>

#include <algorithm>
#include <chrono>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/trace/detail/describe.hpp>
#include <tensorette/autograd/trace/recording.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/shaping.hpp>
#include <unordered_map>
#include <unordered_set>

namespace tensorette {
namespace {

using detail::require;

// A node on the way back from the output: alive, or only remembered.
struct Found {
  std::uint64_t id;
  const Node* node;  // null: only remembered
};

bool is_walkable(const Found& found) {
  return found.node != nullptr && !found.node->is_released();
}

// All nodes that lead to the output, in the order they were made.
std::vector<Found> nodes_behind(const Variable& output, const Recording* recording) {
  std::vector<Found> list;
  std::unordered_set<std::uint64_t> seen;
  const auto visit = [&](std::uint64_t id, const Node* node) {
    if (seen.insert(id).second) list.push_back({id, node});
  };
  visit(output.node()->id(), output.node().get());
  for (std::size_t next = 0; next < list.size(); ++next) {
    const Found now = list[next];
    if (is_walkable(now)) {
      for (const intrusive_ptr<Node>& input : now.node->inputs()) {
        if (input) visit(input->id(), input.get());
      }
    } else if (const auto* known = recording != nullptr ? recording->find(now.id) : nullptr) {
      for (const std::optional<std::uint64_t>& input : known->inputs) {
        if (input) visit(*input, nullptr);
      }
    }
  }
  std::sort(list.begin(), list.end(), [](const Found& a, const Found& b) { return a.id < b.id; });
  return list;
}

// Tells a trace what a walk back does at its nodes.
class GradientWatch final : public Observer {
 public:
  GradientWatch(Trace& trace, const std::unordered_map<std::uint64_t, std::size_t>& positions,
                Index element_limit)
      : trace_(trace), positions_(positions), element_limit_(element_limit) {}

  void vjp_begins(const Node& node, const Variable& gradient) override {
    see(node, gradient);
    running_.push_back(Clock::now());
  }
  void gradients_delivered(const Node& node) override {
    const std::chrono::duration<double> time = Clock::now() - running_.back();
    running_.pop_back();
    if (TraceNode* entry = find(node)) entry->backward_seconds = time.count();
  }
  void leaf_reached(const Node& leaf, const Variable& gradient) override { see(leaf, gradient); }

 private:
  using Clock = std::chrono::steady_clock;

  TraceNode* find(const Node& node) {
    const auto found = positions_.find(node.id());
    return found == positions_.end() ? nullptr : &trace_.nodes[found->second];
  }
  void see(const Node& node, const Variable& gradient) {
    TraceNode* entry = find(node);
    if (entry != nullptr) entry->gradient = summarize(gradient.value(), element_limit_);
  }

  Trace& trace_;
  const std::unordered_map<std::uint64_t, std::size_t>& positions_;
  Index element_limit_;
  std::vector<Clock::time_point> running_;
};

// Collects a trace step by step; each step fills in one thing.
class Builder {
 public:
  Builder(const Variable& output, const TraceOptions& options)
      : output_(output), options_(options), recording_(Recording::current()) {}

  Trace build() {
    choose_nodes();
    for (std::size_t i = 0; i < shown_.size(); ++i) add(shown_[i], i);
    connect_inputs();
    take_values_from_saved();
    count_kept_bytes();
    place_parameters();
    keep_used_scopes();
    add_gradients();
    for (TraceNode& node : trace_.nodes) detail::add_formulas(node);
    return std::move(trace_);
  }

 private:
  void choose_nodes() {
    found_ = nodes_behind(output_, recording_);
    trace_.total_nodes = found_.size();
    const std::size_t count = std::min(found_.size(), options_.node_limit);
    trace_.gap = count < found_.size() ? count / 2 : 0;
    shown_.assign(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(trace_.gap));
    const auto last = static_cast<std::ptrdiff_t>(count - trace_.gap);
    shown_.insert(shown_.end(), found_.end() - last, found_.end());
  }

  void add(const Found& found, std::size_t position) {
    const auto* known = recording_ != nullptr ? recording_->find(found.id) : nullptr;
    require<GraphError>(known != nullptr || is_walkable(found),
                        "trace: the graph at {} (shape {}) was released by backward; trace before "
                        "it, pass retain_graph, or keep a Recording around the computation",
                        found.node != nullptr ? found.node->name() : "an operation",
                        found.node != nullptr ? found.node->shape() : Shape());
    operations_.push_back(known != nullptr ? *known
                                           : detail::describe(*found.node, options_.element_limit));
    TraceNode& node = trace_.nodes.emplace_back(operations_.back().node);
    const Node::Extras* extras = found.node != nullptr ? found.node->extras_if_any() : nullptr;
    if (extras != nullptr) node.name = extras->name;  // given since, perhaps
    node.number = position < trace_.gap ? position : position + found_.size() - shown_.size();
    positions_.emplace(found.id, position);
  }

  void connect_inputs() {
    for (std::size_t i = 0; i < trace_.nodes.size(); ++i) {
      const auto& ids = operations_[i].inputs;
      for (std::size_t k = 0; k < ids.size(); ++k) {
        if (!ids[k]) continue;
        const auto position = positions_.find(*ids[k]);
        trace_.nodes[i].inputs[k].node = position == positions_.end()
                                             ? TraceInput::not_shown
                                             : static_cast<std::int64_t>(position->second);
      }
    }
  }

  // A value that was not recorded may have been saved, by its own node or by one that uses it.
  void take_values_from_saved() {
    const auto take = [&](const Node* node, const Tensor& value) {
      const auto position = positions_.find(node->id());
      if (position == positions_.end()) return;
      std::optional<TensorSummary>& slot = trace_.nodes[position->second].value;
      if (!slot) slot = summarize(value, options_.element_limit);
    };
    take(output_.node().get(), output_.value());
    for (const Found& found : shown_) {
      if (!is_walkable(found)) continue;
      for (const SavedTensor& saved : found.node->saved()) {
        if (!saved.value.is_defined()) continue;
        if (saved.source == SavedTensor::output) take(found.node, saved.value);
        if (saved.source < 0) continue;
        const Node* maker = found.node->inputs()[static_cast<std::size_t>(saved.source)].get();
        if (maker != nullptr) take(maker, saved.value);
      }
    }
  }

  void count_kept_bytes() {
    std::unordered_set<const void*> counted;
    for (std::size_t i = 0; i < trace_.nodes.size(); ++i) {
      TraceNode& node = trace_.nodes[i];
      for (std::size_t k = 0; k < node.saved.size(); ++k) {
        const TraceSaved& saved = node.saved[k];
        if (saved.is_parameter || !counted.insert(operations_[i].saved_storages[k]).second)
          continue;
        node.kept_bytes += saved.shape.element_count() * static_cast<Index>(size_of(saved.dtype));
      }
    }
  }

  // A parameter belongs where it is used first.
  void place_parameters() {
    for (const TraceNode& node : trace_.nodes) {
      for (const TraceInput& input : node.inputs) {
        if (input.node < 0) continue;
        TraceNode& source = trace_.nodes[static_cast<std::size_t>(input.node)];
        if (source.op == Op::leaf && source.scope < 0) source.scope = node.scope;
      }
    }
  }

  void keep_used_scopes() {
    if (recording_ == nullptr) return;
    const std::vector<TraceScope>& all = recording_->scopes();
    std::vector<bool> used(all.size());
    for (const TraceNode& node : trace_.nodes) {
      for (std::int64_t scope = node.scope; scope >= 0;) {
        const auto position = static_cast<std::size_t>(scope);
        if (used[position]) break;
        used[position] = true;
        scope = all[position].parent;
      }
    }
    std::vector<std::int64_t> renumbered(all.size(), -1);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!used[i]) continue;
      renumbered[i] = static_cast<std::int64_t>(trace_.scopes.size());
      const std::int64_t parent = all[i].parent;
      trace_.scopes.push_back(
          {all[i].path, parent < 0 ? parent : renumbered[static_cast<std::size_t>(parent)]});
    }
    for (TraceNode& node : trace_.nodes) {
      if (node.scope >= 0) node.scope = renumbered[static_cast<std::size_t>(node.scope)];
    }
  }

  void add_gradients() {
    if (take_recorded_gradients() || !options_.gradients) return;
    std::vector<Variable> leaves;
    for (const Found& found : found_) {
      if (!is_walkable(found)) {
        trace_.note = "no gradients: backward has released the graph, and no Recording saw it";
        return;
      }
      if (found.node->is_leaf()) leaves.push_back(leaf_of(found.node));
    }
    const Variable upstream(ones(output_.shape(), output_.dtype()));
    GradientWatch watch(trace_, positions_, options_.element_limit);
    static_cast<void>(grad({&output_, 1}, leaves, {&upstream, 1}, {.retain_graph = true}));
  }

  bool take_recorded_gradients() {
    const std::uint64_t output = output_.node()->id();
    if (recording_ == nullptr || recording_->find_gradient(output, output) == nullptr) return false;
    for (TraceNode& node : trace_.nodes) {
      const Recording::Gradient* gradient = recording_->find_gradient(output, node.id);
      if (gradient == nullptr) continue;
      node.gradient = gradient->summary;
      node.backward_seconds = gradient->seconds;
    }
    return true;
  }

  // grad() asks of an input only its node, shape and dtype.
  static Variable leaf_of(const Node* node) {
    const Tensor shape_only = expand(zeros({}, node->dtype()), node->shape());
    return Variable(shape_only, intrusive_ptr<Node>(const_cast<Node*>(node)));
  }

  const Variable& output_;
  const TraceOptions& options_;
  const Recording* recording_;
  std::vector<Found> found_;  // everything behind the output
  std::vector<Found> shown_;  // what the trace shows of it
  std::vector<Recording::Operation> operations_;
  std::unordered_map<std::uint64_t, std::size_t> positions_;  // of ids, in trace_.nodes
  Trace trace_;
};

}  // namespace

Index Trace::kept_bytes() const noexcept {
  Index bytes = 0;
  for (const TraceNode& node : nodes) bytes += node.kept_bytes;
  return bytes;
}

Trace trace(const Variable& output, const TraceOptions& options) {
  require<Error>(options.node_limit >= 2, "trace: a node_limit of {} is below 2",
                 options.node_limit);
  require<GraphError>(output.requires_grad(),
                      "trace: the variable of shape {} is a constant: nothing was recorded",
                      output.is_defined() ? output.shape() : Shape());
  return Builder(output, options).build();
}

}  // namespace tensorette
