#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/trace/detail/describe.hpp>
#include <tensorette/autograd/trace/recording.hpp>

namespace tensorette {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Recording::Recording(const RecordingOptions& options)
    : options_(options), last_event_(Clock::now()) {}

Recording::~Recording() = default;

const Recording::Operation* Recording::find(std::uint64_t id) const noexcept {
  const auto found = operations_.find(id);
  return found == operations_.end() ? nullptr : &found->second;
}

const Recording::Gradient* Recording::find_gradient(std::uint64_t output,
                                                    std::uint64_t id) const noexcept {
  const auto walk = walks_.find(output);
  const auto found = gradients_.find(id);
  const bool is_known = walk != walks_.end() && found != gradients_.end();
  return is_known && found->second.walk == walk->second ? &found->second : nullptr;
}

void Recording::clear() noexcept {
  operations_.clear();
  gradients_.clear();
  walks_.clear();
}

const Recording* Recording::current() noexcept {
  for (const Observer* observer = detail::newest_observer; observer != nullptr;
       observer = observer->previous()) {
    if (const auto* recording = dynamic_cast<const Recording*>(observer)) return recording;
  }
  return nullptr;
}

Recording::Operation* Recording::remember(const Node& node) {
  if (operations_.size() >= options_.operation_limit) return nullptr;
  Operation& entry = operations_[node.id()];
  entry = detail::describe(node, options_.element_limit);
  entry.node.scope = scope_;
  return &entry;
}

void Recording::remember_leaf(const Variable& leaf) {
  const auto found = operations_.find(leaf.node()->id());
  const std::uint32_t version = leaf.value().version();
  if (found != operations_.end() && found->second.version == version) return;
  Operation* entry = found != operations_.end() ? &found->second : remember(*leaf.node());
  if (entry == nullptr) return;
  entry->version = version;
  entry->node.value = summarize(leaf.value(), options_.element_limit);
}

void Recording::operation_done(Op, std::span<const Variable* const> inputs, const Variable& output,
                               std::span<const Tensor>) {
  const double seconds = seconds_since(last_event_);
  if (output.requires_grad()) {
    if (Operation* entry = remember(*output.node())) {
      entry->node.forward_seconds = seconds;
      entry->node.value = summarize(output.value(), options_.element_limit);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i]->is_defined()) entry->node.inputs[i].shape = inputs[i]->shape();
      }
    }
    for (const Variable* input : inputs) {
      const bool is_parameter = input->is_leaf() && input->requires_grad();
      if (is_parameter && input->is_defined()) remember_leaf(*input);
    }
  }
  last_event_ = Clock::now();
}

void Recording::scope_entered(const std::string& path) {
  scopes_.push_back({.path = path, .parent = scope_});
  scope_ = static_cast<std::int64_t>(scopes_.size()) - 1;
  last_event_ = Clock::now();
}

void Recording::scope_left() noexcept {
  if (scope_ >= 0) scope_ = scopes_[static_cast<std::size_t>(scope_)].parent;
  last_event_ = Clock::now();
}

void Recording::backward_begins(std::span<const Variable> outputs) {
  // A walk inside a vjp is that vjp's own affair.
  if (walk_depth_++ > 0) return;
  ++walk_;
  if (outputs.size() == 1) walks_[outputs[0].node()->id()] = walk_;
}

void Recording::backward_ends() noexcept {
  if (walk_depth_ > 0) --walk_depth_;
  last_event_ = Clock::now();
}

Recording::Gradient* Recording::remember_gradient(const Node& node, const Variable& gradient) {
  const auto found = gradients_.find(node.id());
  if (found == gradients_.end() && gradients_.size() >= options_.operation_limit) return nullptr;
  Gradient& entry = gradients_[node.id()];
  entry = {.walk = walk_, .summary = summarize(gradient.value(), options_.element_limit)};
  return &entry;
}

void Recording::vjp_begins(const Node& node, const Variable& gradient) {
  remember_gradient(node, gradient);
  last_event_ = Clock::now();
  running_vjps_.push_back(last_event_);
}

void Recording::gradients_delivered(const Node& node) {
  if (running_vjps_.empty()) return;
  const double seconds = seconds_since(running_vjps_.back());
  running_vjps_.pop_back();
  const auto found = gradients_.find(node.id());
  if (found != gradients_.end()) found->second.seconds = seconds;
  last_event_ = Clock::now();
}

void Recording::leaf_reached(const Node& leaf, const Variable& gradient) {
  remember_gradient(leaf, gradient);
  last_event_ = Clock::now();
}

}  // namespace tensorette
