/// \file
/// A tensor that remembers how it was made. Before: tensor.hpp. Next: node.hpp, engine.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <tensorette/autograd/grad_mode.hpp>
#include <tensorette/tensor/intrusive_ptr.hpp>
#include <tensorette/tensor/tensor.hpp>
#include <utility>

namespace tensorette {

class Node;

/// Options of Variable::backward().
struct BackwardOptions {
  bool retain_graph = false;  ///< keep the graph for another backward
  bool create_graph = false;  ///< make the gradients differentiable; implies retain_graph
};

/// A value and the node that made it. Three kinds: a constant (no node), a parameter (a leaf that
/// collects a gradient; made by parameter()) and a result of recorded operations.
///
/// Copying a Variable copies a handle: both name the same value and gradient. A Tensor converts
/// to a constant.
class Variable {
 public:
  /// Undefined.
  Variable() noexcept;
  Variable(Tensor value) noexcept;  // NOLINT(google-explicit-constructor): a tensor is a constant
  Variable(Tensor value, intrusive_ptr<Node> node) noexcept;
  Variable(const Variable&) noexcept;
  Variable(Variable&&) noexcept;
  Variable& operator=(const Variable&) noexcept;
  Variable& operator=(Variable&&) noexcept;
  ~Variable();

  [[nodiscard]] bool is_defined() const noexcept { return value_.is_defined(); }
  [[nodiscard]] const Tensor& value() const& noexcept { return value_; }
  /// Of a temporary: a handle of its own, which outlives it.
  [[nodiscard]] Tensor value() && noexcept { return std::move(value_); }
  /// For writing in place (optimisers). Graphs that saved the value notice and refuse backward.
  [[nodiscard]] Tensor& mutable_value() noexcept { return value_; }
  [[nodiscard]] const Shape& shape() const& noexcept { return value_.shape(); }
  [[nodiscard]] Shape shape() && noexcept { return value_.shape(); }
  [[nodiscard]] int rank() const noexcept { return value_.rank(); }
  [[nodiscard]] Index size(int axis) const { return value_.size(axis); }
  [[nodiscard]] DType dtype() const noexcept { return value_.dtype(); }
  [[nodiscard]] Index element_count() const noexcept { return value_.element_count(); }
  /// The only element, as a double.
  [[nodiscard]] double item() const { return value_.item(); }

  /// A gradient can flow through this variable.
  [[nodiscard]] bool requires_grad() const noexcept { return static_cast<bool>(node_); }
  /// A parameter or a constant: not the result of a recorded operation.
  [[nodiscard]] bool is_leaf() const noexcept;
  [[nodiscard]] const intrusive_ptr<Node>& node() const noexcept { return node_; }

  /// The gradient collected so far; undefined if there is none. For results of operations only
  /// after retain_grad().
  [[nodiscard]] Variable grad() const;
  /// Forgets the collected gradient.
  void zero_grad() const;
  /// Replaces the collected gradient. \throws GraphError for a constant; ShapeError, DTypeError
  void set_grad(const Variable& gradient) const;
  /// Makes grad() available on the result of an operation too. \throws GraphError for a constant
  void retain_grad() const;

  /// A function that sees, and may replace, the gradient of this variable during backward; it
  /// returns the gradient to go on with, or an undefined Variable to leave it as it is.
  using Hook = std::function<Variable(const Variable& gradient)>;
  /// Adds a hook; hooks run in the order they were added. Returns a number for remove_hook().
  /// \throws GraphError for a constant
  std::uint64_t add_hook(Hook hook) const;
  void remove_hook(std::uint64_t number) const;

  /// The same value as a constant.
  [[nodiscard]] Variable detach() const noexcept { return Variable(value_); }

  /// A name for messages and pictures; parameters only.
  void set_name(const std::string& name) const;
  [[nodiscard]] std::string name() const;

  /// Adds d(this)/d(parameter) to the gradient of each parameter this depends on. The variable
  /// has one element; else pass the upstream gradient. \throws GraphError, ShapeError: no gradient
  /// has changed then, but what has been walked of a graph that is not retained is released.
  void backward(BackwardOptions options = {}) const;
  void backward(const Variable& gradient, BackwardOptions options = {}) const;

 private:
  Tensor value_;
  intrusive_ptr<Node> node_;
};

/// A leaf that collects a gradient. \throws DTypeError unless floating.
[[nodiscard]] Variable parameter(Tensor value);
/// A named parameter.
[[nodiscard]] Variable parameter(Tensor value, const std::string& name);

std::ostream& operator<<(std::ostream& stream, const Variable& variable);

}  // namespace tensorette
