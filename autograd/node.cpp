#include <algorithm>
#include <atomic>
#include <bit>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops/basic.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/memory.hpp>

namespace tensorette {
namespace {

using detail::fail;
using detail::require;

std::atomic<std::uint64_t> nodes_made{0};
std::atomic<std::uint64_t> nodes_destroyed{0};

// Nodes whose last reference went away while another node was being destroyed. Destroying them
// from a list instead of from each other's destructors keeps the stack flat for any length of
// chain.
thread_local std::vector<Node*>* doomed = nullptr;

}  // namespace

Node::Node(Op op, const Shape& output_shape, DType dtype) noexcept
    : id_(nodes_made.fetch_add(1, std::memory_order_relaxed)),
      op_(op),
      dtype_(dtype),
      shape_(output_shape) {}

Node::~Node() {
  nodes_destroyed.fetch_add(1, std::memory_order_relaxed);
}

std::int64_t live_nodes() noexcept {
  const auto destroyed = nodes_destroyed.load(std::memory_order_relaxed);
  return static_cast<std::int64_t>(nodes_made.load(std::memory_order_relaxed) - destroyed);
}

std::uint64_t next_node_id() noexcept {
  return nodes_made.load(std::memory_order_relaxed);
}

void Node::destroy(Node* node) noexcept {
  if (doomed != nullptr) {
    doomed->push_back(node);
    return;
  }
  std::vector<Node*> list;
  doomed = &list;
  delete node;
  while (!list.empty()) {
    Node* next = list.back();
    list.pop_back();
    delete next;
  }
  doomed = nullptr;
}

void* Node::operator new(std::size_t bytes) {
  return memory::allocate(bytes);
}
void Node::operator delete(void* block, std::size_t bytes) noexcept {
  memory::deallocate(block, bytes);
}

Node::Extras& Node::extras() {
  if (!extras_) extras_ = std::make_unique<Extras>();
  return *extras_;
}

void Node::connect(std::span<const Variable* const> inputs, const Tensor& output, Save save,
                   std::span<const Tensor> extra) {
  if (inputs.size() > inline_inputs) {
    many_inputs_.resize(inputs.size());
    inputs_ = many_inputs_;
  } else {
    inputs_ = {few_inputs_.data(), inputs.size()};
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs_[i] = inputs[i]->node();

  const auto saved_count =
      static_cast<std::size_t>(std::popcount(save.inputs)) + (save.output ? 1U : 0U) + extra.size();
  if (saved_count > inline_saved) {
    many_saved_.resize(saved_count);
    saved_ = many_saved_;
  } else {
    saved_ = {few_saved_.data(), saved_count};
  }
  std::size_t next = 0;
  const auto keep = [&](const Tensor& value, int source) {
    SavedTensor& slot = saved_[next++];
    slot.value = value;
    slot.version = value.is_defined() ? value.version() : 0;
    slot.source = source;
  };
  for (std::uint32_t bits = save.inputs; bits != 0; bits &= bits - 1) {
    const int i = std::countr_zero(bits);
    keep(inputs[static_cast<std::size_t>(i)]->value(), i);
  }
  if (save.output) keep(output, SavedTensor::output);
  for (const Tensor& tensor : extra) keep(tensor, SavedTensor::extra);
}

const Tensor& Node::saved_value(int source, std::size_t nth) const {
  for (const SavedTensor& saved : saved_) {
    if (saved.source != source || nth-- != 0) continue;
    if (!saved.value.is_defined() || saved.value.version() == saved.version) return saved.value;
    std::string what = source >= 0                     ? fmt::format("input {}", source)
                       : source == SavedTensor::output ? std::string("the output")
                                                       : std::string("a saved tensor");
    if (source >= 0) {
      const Node* maker = inputs_[static_cast<std::size_t>(source)].get();
      const Extras* named = maker != nullptr ? maker->extras_if_any() : nullptr;
      if (named != nullptr && !named->name.empty()) what += fmt::format(" \"{}\"", named->name);
      if (maker != nullptr && !maker->is_leaf()) what += fmt::format(" (from {})", maker->name());
    }
    fail<GraphError>(
        "backward: {} of {}, shape {}, was written to after {} had saved it ({} writes then, {} "
        "now); write to a clone, or run backward first",
        what, name(), saved.value.shape(), name(), saved.version, saved.value.version());
  }
  fail<GraphError>("{}: its gradient asks for a value that it did not save", name());
}

void Node::check_not_released() const {
  require<GraphError>(!is_released_,
                      "backward: the graph at {} (shape {}) was released by an earlier backward; "
                      "pass retain_graph to use it twice",
                      name(), shape_);
}

Grads Node::vjp(const Variable& grad, std::span<const bool> needed) {
  check_not_released();
  Grads grads = run(VjpContext(*this, grad, needed));
  require<GraphError>(grads.size() == inputs_.size(), "{}: its vjp gave {} gradients for {} inputs",
                      name(), grads.size(), inputs_.size());
  return grads;
}

void Node::release() noexcept {
  if (is_leaf()) return;
  is_released_ = true;
  drop_formula();
  for (SavedTensor& saved : saved_) saved.value = Tensor();
  for (intrusive_ptr<Node>& input : inputs_) input.reset();
  saved_ = {};
  inputs_ = {};
}

void VjpContext::fail_for_input(std::size_t i) const {
  fail<IndexError>("{}: its gradient asks for input {}, there are {}", node_.name(), i,
                   node_.inputs_.size());
}

Variable VjpContext::input(std::size_t i) const {
  if (i >= node_.inputs_.size()) fail_for_input(i);
  return Variable(node_.saved_value(static_cast<int>(i)), node_.inputs_[i]);
}

Variable VjpContext::output() const {
  return Variable(node_.saved_value(SavedTensor::output), intrusive_ptr<Node>(&node_));
}

const Tensor& VjpContext::extra(std::size_t i) const {
  return node_.saved_value(SavedTensor::extra, i);
}

const Shape& VjpContext::input_shape(std::size_t i) const {
  if (i >= node_.inputs_.size()) fail_for_input(i);
  require<GraphError>(node_.inputs_[i].get() != nullptr,
                      "{}: its gradient asks for the shape of input {}, which is a constant",
                      node_.name(), i);
  return node_.inputs_[i]->shape();
}

const Shape& VjpContext::output_shape() const noexcept {
  return node_.shape_;
}

Grads vjp_of_reference(const VjpContext& context,
                       const std::function<Variable(std::span<const Variable>)>& reference) {
  const std::size_t count = context.input_count();
  // Aliases stand between the inputs and what they were made from: where one input depends on
  // another, its path must not be counted twice.
  std::vector<Variable> inputs(count);
  std::vector<Variable> wanted;
  const EnableGrad recording;
  for (std::size_t i = 0; i < count; ++i) {
    const Variable input = context.input(i);
    if (!input.is_defined()) continue;
    inputs[i] = context.needs(i) ? alias(input) : input;
    if (context.needs(i)) wanted.push_back(inputs[i]);
  }
  const Variable output = reference(inputs);
  const std::vector<Variable> gradients =
      grad({&output, 1}, wanted, {&context.grad(), 1}, {.create_graph = true});
  Grads result(count);
  std::size_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (context.needs(i)) result[i] = gradients[next++];
  }
  return result;
}

}  // namespace tensorette
