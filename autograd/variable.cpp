#include <array>
#include <ostream>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/variable.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette {
namespace {

using detail::require;

// A leaf has no inputs; its gradient is collected, not passed on.
class LeafNode final : public Node {
 public:
  using Node::Node;

 private:
  Grads run(const VjpContext&) override { return Grads(0); }
  void drop_formula() noexcept override {}
};

Node& node_of(const Variable& variable, const char* operation) {
  require<GraphError>(variable.requires_grad(),
                      "{}: the variable of shape {} is a constant and has no gradient", operation,
                      variable.shape());
  return *variable.node();
}

}  // namespace

Variable::Variable() noexcept = default;
Variable::Variable(Tensor value) noexcept : value_(std::move(value)) {}
Variable::Variable(Tensor value, intrusive_ptr<Node> node) noexcept
    : value_(std::move(value)), node_(std::move(node)) {}
Variable::Variable(const Variable&) noexcept = default;
Variable::Variable(Variable&&) noexcept = default;
Variable& Variable::operator=(const Variable&) noexcept = default;
Variable& Variable::operator=(Variable&&) noexcept = default;
Variable::~Variable() = default;

bool Variable::is_leaf() const noexcept {
  return !node_ || node_->is_leaf();
}

Variable Variable::grad() const {
  const Node::Extras* extras = node_ ? node_->extras_if_any() : nullptr;
  return extras != nullptr ? extras->grad : Variable();
}

void Variable::zero_grad() const {
  Node::Extras* extras = node_ ? node_->extras_if_any() : nullptr;
  if (extras != nullptr) extras->grad = Variable();
}

void Variable::set_grad(const Variable& gradient) const {
  Node& node = node_of(*this, "set_grad");
  if (gradient.is_defined()) {
    require(gradient.shape() == shape(), "set_grad: the gradient has shape {}, the variable {}",
            gradient.shape(), shape());
    require<DTypeError>(gradient.dtype() == dtype(),
                        "set_grad: the gradient is {}, the variable {}", gradient.dtype(), dtype());
  }
  node.extras().grad = gradient;
}

void Variable::retain_grad() const {
  node_of(*this, "retain_grad").extras().retains_grad = true;
}

std::uint64_t Variable::add_hook(Hook hook) const {
  Node::Extras& extras = node_of(*this, "add_hook").extras();
  extras.hooks.emplace_back(extras.next_hook, std::move(hook));
  return extras.next_hook++;
}

void Variable::remove_hook(std::uint64_t number) const {
  std::erase_if(node_of(*this, "remove_hook").extras().hooks,
                [number](const auto& entry) { return entry.first == number; });
}

void Variable::set_name(const std::string& name) const {
  node_of(*this, "set_name").extras().name = name;
}

std::string Variable::name() const {
  const Node::Extras* extras = node_ ? node_->extras_if_any() : nullptr;
  return extras != nullptr ? extras->name : std::string();
}

void Variable::backward(BackwardOptions options) const {
  backward(Variable(), options);
}

void Variable::backward(const Variable& gradient, BackwardOptions options) const {
  tensorette::backward({this, 1}, {&gradient, 1}, options);
}

Variable parameter(Tensor value) {
  require<Error>(value.is_defined(), "parameter: the tensor is undefined");
  require<DTypeError>(is_floating(value.dtype()), "parameter: takes f32 or f64, got {}",
                      value.dtype());
  intrusive_ptr<Node> leaf(new LeafNode(Op::leaf, value.shape(), value.dtype()));
  return Variable(std::move(value), std::move(leaf));
}

Variable parameter(Tensor value, const std::string& name) {
  Variable result = parameter(std::move(value));
  result.set_name(name);
  return result;
}

std::ostream& operator<<(std::ostream& stream, const Variable& variable) {
  return stream << variable.value();
}

}  // namespace tensorette
