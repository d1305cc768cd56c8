#include <algorithm>
#include <cmath>
#include <tensorette/autograd/anomaly.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/trace/tensor_summary.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette {
namespace {

// Enough for the graph of one step of a large model; older ones are forgotten.
constexpr std::size_t remembered_places = 1U << 18U;
constexpr std::size_t remembered_visits = 1U << 16U;
constexpr int chain_length = 12;

// What is wrong with a tensor, in words; empty if nothing is.
std::string damage_of(const Tensor& tensor, bool infinities) {
  if (!tensor.is_defined() || !is_floating(tensor.dtype())) return {};
  const TensorSummary summary = summarize(tensor, 0);
  const Index count = tensor.element_count();
  if (summary.nan_count > 0)
    return fmt::format("NaN in {} of {} elements", summary.nan_count, count);
  if (infinities && summary.infinite_count > 0) {
    return fmt::format("infinity in {} of {} elements", summary.infinite_count, count);
  }
  return {};
}

// masked_fill and where put in what they are told to.
bool fills(Op op) noexcept {
  return op == Op::masked_fill || op == Op::where;
}

std::string named(const Node& node) {
  const Node::Extras* extras = node.extras_if_any();
  const bool has_name = extras != nullptr && !extras->name.empty();
  std::string text = node.is_leaf() ? "parameter" : node.name();
  if (has_name) text += fmt::format(" \"{}\"", extras->name);
  return fmt::format("{} {}", text, node.shape());
}

std::string described(std::size_t number, const Variable& input) {
  std::string text = fmt::format("input {}", number);
  if (!input.requires_grad()) return text + fmt::format(", a constant {}", input.shape());
  return text + ", " + named(*input.node());
}

std::string shapes_of(std::span<const Variable* const> inputs, const Variable& output) {
  std::string text;
  for (const Variable* input : inputs) {
    if (!text.empty()) text += ", ";
    text += input->is_defined() ? to_string(input->shape()) : "none";
  }
  return text + " -> " + to_string(output.shape());
}

}  // namespace

void DetectAnomaly::operation_done(Op op, std::span<const Variable* const> inputs,
                                   const Variable& output, std::span<const Tensor>) {
  if (output.requires_grad() && !scopes_.empty()) {
    places_.push_back({output.node()->id(), scopes_.back()});
    if (places_.size() > remembered_places) places_.pop_front();
  }
  // What a vjp computes on its way is judged by what it passes on.
  if (walk_depth_ > 0) return;
  const std::string damage = damage_of(output.value(), options_.infinities);
  if (damage.empty()) return;
  const bool is_nan = damage.starts_with("NaN");
  if (!is_nan && fills(op)) return;
  std::string cause = "its inputs are finite";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string before = damage_of(inputs[i]->value(), true);
    if (before.empty()) continue;
    if (!is_nan) return;
    cause = fmt::format("{} has {} already", described(i, *inputs[i]), before);
    break;
  }
  const std::string module = scopes_.empty() ? "" : " in " + scopes_.back();
  const char* name = output.requires_grad() ? output.node()->name() : info_of(op).name;
  throw AnomalyError(fmt::format("anomaly: {}{} gave {}: {}; {}{}", name, module, damage,
                                 shapes_of(inputs, output), cause,
                                 forward_chain(output.node().get())));
}

void DetectAnomaly::scope_entered(const std::string& path) {
  scopes_.push_back(path);
}

void DetectAnomaly::scope_left() noexcept {
  if (!scopes_.empty()) scopes_.pop_back();
}

void DetectAnomaly::backward_begins(std::span<const Variable>) {
  if (walk_depth_++ == 0) visits_.clear();
}

void DetectAnomaly::backward_ends() noexcept {
  if (walk_depth_ > 0) --walk_depth_;
}

void DetectAnomaly::vjp_begins(const Node& node, const Variable&) {
  if (walk_depth_ > 1) return;
  Visit visit{node.id(), named(node) + place_of(node.id()), {}};
  for (const auto& input : node.inputs()) {
    if (input) visit.inputs.push_back(input->id());
  }
  visits_.push_back(std::move(visit));
  if (visits_.size() > remembered_visits) visits_.pop_front();
}

void DetectAnomaly::vjp_done(const Node& node, Grads& gradients) {
  if (walk_depth_ > 1) return;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].is_defined()) continue;
    const std::string damage = damage_of(gradients[i].value(), options_.infinities);
    if (damage.empty()) continue;
    throw AnomalyError(fmt::format(
        "anomaly: backward of {}{} gave {} in the gradient of input {}, {}; {}{}{}", named(node),
        place_of(node.id()), damage, i, node.inputs()[i] ? named(*node.inputs()[i]) : "a constant",
        info_of(node.op()).vjp, backward_chain(node.id()), forward_chain(&node)));
  }
}

std::string DetectAnomaly::place_of(std::uint64_t id) const {
  const auto found =
      std::lower_bound(places_.begin(), places_.end(), id,
                       [](const Place& place, std::uint64_t x) { return place.id < x; });
  return found != places_.end() && found->id == id ? " in " + found->path : "";
}

// From the operation back to a parameter, always by the input that was made last.
std::string DetectAnomaly::forward_chain(const Node* node) const {
  if (node == nullptr) return {};
  std::string text = "\n  forward came through:";
  for (int length = 0; node != nullptr; ++length) {
    if (length == chain_length) return text + "\n    …";
    text += fmt::format("\n    {}{}", named(*node), place_of(node->id()));
    const Node* latest = nullptr;
    for (const auto& input : node->inputs()) {
      if (input && (latest == nullptr || input->id() > latest->id())) latest = input.get();
    }
    node = latest;
  }
  return text;
}

// From the operation on to the output: what passed its gradient here.
std::string DetectAnomaly::backward_chain(std::uint64_t id) const {
  std::string text = "\n  the gradient came through:";
  int length = 0;
  for (auto visit = visits_.rbegin(); visit != visits_.rend(); ++visit) {
    const auto& inputs = visit->inputs;
    if (visit->id != id && std::find(inputs.begin(), inputs.end(), id) == inputs.end()) continue;
    if (length++ == chain_length) return text + "\n    …";
    text += "\n    " + visit->text;
    id = visit->id;
  }
  return text;
}

}  // namespace tensorette
