#include <array>
#include <bit>
#include <tensorette/autograd/custom_operation.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/reduce.hpp>

namespace tensorette {
namespace {

using detail::fail;
using detail::require;

constexpr std::size_t most_inputs = 32;

// A gradient that is not zero and has no graph.
bool is_loose(const Variable& gradient) {
  return gradient.is_defined() && !gradient.requires_grad() &&
         any(not_equal(gradient.value(), 0)).item() != 0;
}

class CustomNode final : public Node {
 public:
  CustomNode(const Tensor& output, std::string name, std::function<Grads(const VjpContext&)> vjp)
      : Node(Op::custom, output.shape(), output.dtype()),
        name_(std::move(name)),
        vjp_(std::move(vjp)) {}

 private:
  [[nodiscard]] const char* custom_name() const noexcept override { return name_.c_str(); }
  Grads run(const VjpContext& context) override {
    Grads gradients = vjp_(context);
    if (is_recording()) check_differentiable(context, gradients);
    return gradients;
  }
  void drop_formula() noexcept override { vjp_ = nullptr; }

  // A vjp is linear in the gradient it is given, so what it makes of one that can be differentiated
  // can be differentiated, or is zero. Anything else was calculated on tensors.
  void check_differentiable(const VjpContext& context, Grads& gradients) const {
    const auto has_loose = [](Grads& grads) {
      for (std::size_t i = 0; i < grads.size(); ++i) {
        if (is_loose(grads[i])) return true;
      }
      return false;
    };
    if (!has_loose(gradients)) return;
    bool is_broken = context.grad().requires_grad();
    if (!is_broken) {
      // The gradient given is a constant: a vjp that depends on nothing else looks the same.
      const Variable probe = parameter(context.grad().value());
      std::array<bool, most_inputs> needed{};
      for (std::size_t i = 0; i < context.input_count(); ++i) needed[i] = context.needs(i);
      Grads again = vjp_(VjpContext(context.node(), probe, {needed.data(), context.input_count()}));
      is_broken = has_loose(again);
    }
    require<GraphError>(!is_broken,
                        "{}: its vjp calculates on tensors, so it can't be differentiated again; "
                        "write it in operations on Variables",
                        name_);
  }

  std::string name_;
  std::function<Grads(const VjpContext&)> vjp_;
};

}  // namespace

Variable custom_operation(const std::vector<Variable>& inputs, CustomOperation operation) {
  const std::string& name = operation.name;
  require<Error>(static_cast<bool>(operation.forward) && static_cast<bool>(operation.vjp),
                 "{}: a custom operation needs both forward and vjp", name);
  require<Error>(inputs.size() <= most_inputs,
                 "{}: a custom operation takes up to {} inputs, got {}", name, most_inputs,
                 inputs.size());
  std::vector<Tensor> values;
  std::vector<const Variable*> pointers;
  Save save = Save::result();
  for (const Variable& input : inputs) {
    require<Error>(input.is_defined(), "{}: input {} is undefined", name, values.size());
    save = save | Save::input(static_cast<unsigned>(values.size()));
    values.push_back(input.value());
    pointers.push_back(&input);
  }
  const std::uint32_t unknown = operation.save.value_or(save).inputs & ~save.inputs;
  require<IndexError>(unknown == 0, "{}: input {} is to be saved, there are {}", name,
                      std::countr_zero(unknown), inputs.size());
  Tensor output = operation.forward(values);
  require<Error>(output.is_defined(), "{}: forward gave an undefined tensor", name);
  if (!detail::wants_recording(pointers)) {
    return detail::observed(Op::custom, pointers, Variable(std::move(output)));
  }
  require<DTypeError>(
      is_floating(output.dtype()),
      "{}: forward gave {}; with an input that requires a gradient it must give f32 "
      "or f64",
      name, output.dtype());
  intrusive_ptr<Node> node(
      new CustomNode(output, std::move(operation.name), std::move(operation.vjp)));
  node->connect(pointers, output, operation.save.value_or(save), {});
  return detail::observed(Op::custom, pointers, Variable(std::move(output), std::move(node)));
}

}  // namespace tensorette
