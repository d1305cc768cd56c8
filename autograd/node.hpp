/// \file
/// The graph of operations, and how an operation records itself in it.
/// Before: variable.hpp. Next: engine.cpp, ops/arithmetic.cpp.
///
/// A node is one recorded operation (or a leaf). It knows the nodes its inputs came from, the
/// values its gradient formula needs, and the formula itself: a vjp (vector-Jacobian product),
/// which maps the gradient of the output to the gradients of the inputs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tensorette/autograd/grad_mode.hpp>
#include <tensorette/autograd/observer.hpp>
#include <tensorette/autograd/op_table.hpp>
#include <tensorette/autograd/variable.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace tensorette {

/// What a vjp returns: one gradient per input; undefined stands for zero. A gradient may have the
/// broadcast shape of the output: the engine sums it to the shape of the input.
class Grads {
 public:
  explicit Grads(std::size_t count) : count_(count) {
    if (count > inline_count) many_.resize(count);
  }
  template <class... Gradients>
  requires(sizeof...(Gradients) > 0 && sizeof...(Gradients) <= 4 &&
           (std::is_constructible_v<Variable, Gradients> && ...))
      Grads(Gradients&&... gradients)  // NOLINT(google-explicit-constructor): a list of gradients
      : few_{Variable(std::forward<Gradients>(gradients))...}, count_(sizeof...(Gradients)) {}

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  Variable& operator[](std::size_t i) noexcept {
    return count_ <= inline_count ? few_[i] : many_[i];
  }

 private:
  static constexpr std::size_t inline_count = 4;
  std::array<Variable, inline_count> few_;
  std::vector<Variable> many_;
  std::size_t count_;
};

/// Which inputs an operation keeps for its vjp, and whether it keeps its output.
struct Save {
  std::uint32_t inputs = 0;  ///< bit i: input i
  bool output = false;

  [[nodiscard]] static constexpr Save nothing() noexcept { return {}; }
  /// Keeps input i, if the condition holds: a value that only another input's gradient needs is
  /// not worth keeping when that input is a constant.
  [[nodiscard]] static constexpr Save input(unsigned i, bool condition = true) noexcept {
    return {.inputs = condition && i < 32 ? 1U << i : 0U};
  }
  [[nodiscard]] static constexpr Save result() noexcept { return {.output = true}; }
  friend constexpr Save operator|(Save a, Save b) noexcept {
    return {.inputs = a.inputs | b.inputs, .output = a.output || b.output};
  }
};

/// A value kept for the vjp, with the number of writes its storage had seen.
struct SavedTensor {
  static constexpr int output = -1;
  static constexpr int extra = -2;

  Tensor value;
  std::uint32_t version = 0;
  int source = extra;  ///< number of the input, or one of the two constants above
};

/// What a vjp sees.
class VjpContext {
 public:
  VjpContext(Node& node, const Variable& grad, std::span<const bool> needed) noexcept
      : node_(node), grad_(grad), needed_(needed) {}

  /// Gradient of the output; its shape and dtype are the output's.
  [[nodiscard]] const Variable& grad() const noexcept { return grad_; }
  /// Input i wants a gradient. \throws IndexError, as input() and input_shape() do, if there is no
  /// such input
  [[nodiscard]] bool needs(std::size_t i) const {
    if (i >= needed_.size()) fail_for_input(i);
    return needed_[i];
  }
  /// A saved input, connected to the graph. \throws GraphError if it has been written to since,
  /// or was not saved.
  [[nodiscard]] Variable input(std::size_t i) const;
  /// The saved output, connected to the graph.
  [[nodiscard]] Variable output() const;
  /// A tensor saved besides inputs and output.
  [[nodiscard]] const Tensor& extra(std::size_t i) const;
  /// Shape of an input that needs a gradient. \throws GraphError for a constant
  [[nodiscard]] const Shape& input_shape(std::size_t i) const;
  [[nodiscard]] const Shape& output_shape() const noexcept;
  [[nodiscard]] std::size_t input_count() const noexcept { return needed_.size(); }
  [[nodiscard]] Node& node() const noexcept { return node_; }

 private:
  [[noreturn]] void fail_for_input(std::size_t i) const;

  Node& node_;
  const Variable& grad_;
  std::span<const bool> needed_;
};

/// One recorded operation, or a leaf.
class Node : public RefCounted {
 public:
  Node(Op op, const Shape& output_shape, DType dtype) noexcept;
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  static void destroy(Node* node) noexcept;

  [[nodiscard]] Op op() const noexcept { return op_; }
  /// The operation's name; an operation of the user's has its own.
  [[nodiscard]] const char* name() const noexcept {
    return op_ == Op::custom ? custom_name() : info_of(op_).name;
  }
  /// Grows with creation, so inputs have smaller ids than what is made from them.
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  /// Shape and dtype of the output.
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  /// The nodes of the inputs; empty pointers for constants.
  [[nodiscard]] std::span<const intrusive_ptr<Node>> inputs() const noexcept { return inputs_; }
  [[nodiscard]] std::span<const SavedTensor> saved() const noexcept { return saved_; }
  [[nodiscard]] bool is_leaf() const noexcept { return op_ == Op::leaf; }
  [[nodiscard]] bool is_released() const noexcept { return is_released_; }
  /// \throws GraphError once released, naming the operation.
  void check_not_released() const;

  /// Gradients of the inputs that are `needed`. \throws GraphError once released, or if a saved
  /// value has changed.
  [[nodiscard]] Grads vjp(const Variable& grad, std::span<const bool> needed);
  /// Drops saved values, formula and inputs.
  void release() noexcept;

  /// What only few nodes have.
  struct Extras {
    Variable grad;  ///< leaf: collected; others: of the last backward, if retained
    bool retains_grad = false;
    std::string name;
    std::uint64_t next_hook = 0;
    std::vector<std::pair<std::uint64_t, Variable::Hook>> hooks;
  };
  [[nodiscard]] Extras& extras();
  [[nodiscard]] Extras* extras_if_any() const noexcept { return extras_.get(); }

  /// For record(): connects the inputs and keeps what `save` asks for.
  void connect(std::span<const Variable* const> inputs, const Tensor& output, Save save,
               std::span<const Tensor> extra);

  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory, std::size_t bytes) noexcept;

 protected:
  [[nodiscard]] virtual Grads run(const VjpContext& context) = 0;
  virtual void drop_formula() noexcept = 0;
  [[nodiscard]] virtual const char* custom_name() const noexcept { return info_of(op_).name; }

 private:
  friend class VjpContext;
  [[nodiscard]] const Tensor& saved_value(int source, std::size_t nth = 0) const;

  static constexpr std::size_t inline_inputs = 4;
  static constexpr std::size_t inline_saved = 2;

  std::uint64_t id_;
  Op op_;
  DType dtype_;
  bool is_released_ = false;
  Shape shape_;
  std::span<intrusive_ptr<Node>> inputs_;
  std::span<SavedTensor> saved_;
  std::array<intrusive_ptr<Node>, inline_inputs> few_inputs_;
  std::array<SavedTensor, inline_saved> few_saved_;
  std::vector<intrusive_ptr<Node>> many_inputs_;
  std::vector<SavedTensor> many_saved_;
  std::unique_ptr<Extras> extras_;
};

/// Number of nodes alive in the process, parameters included: proves that graphs are freed.
[[nodiscard]] std::int64_t live_nodes() noexcept;

/// The id that the next node will have, or a smaller one than that: what is recorded from here on
/// is not below it.
[[nodiscard]] std::uint64_t next_node_id() noexcept;

namespace detail {

/// A node whose vjp is the callable `Formula`, stored inside it.
template <class Formula>
class FormulaNode final : public Node {
 public:
  FormulaNode(Op op, const Shape& shape, DType dtype, Formula formula)
      : Node(op, shape, dtype), formula_(std::move(formula)) {}

 private:
  Grads run(const VjpContext& context) override { return (*formula_)(context); }
  void drop_formula() noexcept override { formula_.reset(); }

  std::optional<Formula> formula_;
};

/// One input of an operation: lets `record(op, {a, b}, ...)` take variables without copying them.
struct InputReference {
  InputReference(const Variable& variable) noexcept  // NOLINT(google-explicit-constructor)
      : pointer(&variable) {}
  const Variable* pointer;
};

[[nodiscard]] inline bool wants_recording(std::span<const Variable* const> inputs) noexcept {
  if (!is_recording()) return false;
  for (const Variable* input : inputs) {
    if (input->requires_grad()) return true;
  }
  return false;
}

template <class Formula>
[[nodiscard]] Variable record_list(Op op, std::span<const Variable* const> inputs, Tensor output,
                                   Save save, Formula&& formula, std::span<const Tensor> extra) {
  intrusive_ptr<Node> node;
  if (wants_recording(inputs)) {
    using Stored = FormulaNode<std::decay_t<Formula>>;
    node = intrusive_ptr<Node>(
        new Stored(op, output.shape(), output.dtype(), std::forward<Formula>(formula)));
    node->connect(inputs, output, save, extra);
  }
  return observed(op, inputs, Variable(std::move(output), std::move(node)), extra);
}

}  // namespace detail

/// Makes `output` the result of an operation on `inputs`: where recording is on and an input
/// requires a gradient, with a node that holds `formula`, a callable Grads(const VjpContext&)
/// written in differentiable operations (then second and higher order come by themselves).
template <class Formula>
[[nodiscard]] Variable record(Op op, std::initializer_list<detail::InputReference> inputs,
                              Tensor output, Save save, Formula&& formula,
                              std::initializer_list<Tensor> extra = {}) {
  constexpr std::size_t few = 16;
  std::array<const Variable*, few> few_pointers;
  std::vector<const Variable*> many_pointers(inputs.size() > few ? inputs.size() : 0);
  const Variable** const pointers =
      many_pointers.empty() ? few_pointers.data() : many_pointers.data();
  std::size_t count = 0;
  for (const detail::InputReference& input : inputs) pointers[count++] = input.pointer;
  return detail::record_list(op, {pointers, count}, std::move(output), save,
                             std::forward<Formula>(formula), {extra.begin(), extra.size()});
}
/// The same for any number of inputs.
template <class Formula>
[[nodiscard]] Variable record(Op op, std::span<const Variable> inputs, Tensor output, Save save,
                              Formula&& formula, std::initializer_list<Tensor> extra = {}) {
  std::vector<const Variable*> pointers;
  pointers.reserve(inputs.size());
  for (const Variable& input : inputs) pointers.push_back(&input);
  return detail::record_list(op, pointers, std::move(output), save, std::forward<Formula>(formula),
                             {extra.begin(), extra.size()});
}

/// Gradients of a fused operation for create_graph: differentiates `reference`, the same function
/// spelled in small differentiable operations, at the saved inputs (the operation saves all of
/// its inputs that are defined; an undefined input stays undefined). The reference takes
/// std::span<const Variable>.
[[nodiscard]] Grads vjp_of_reference(
    const VjpContext& context, const std::function<Variable(std::span<const Variable>)>& reference);

}  // namespace tensorette
