/// \file
/// Watching operations as they happen: what traces, profiles and the anomaly guard are made of.
/// Before: node.hpp, engine.hpp. Next: trace/recording.hpp, anomaly.hpp.
///
/// An observer is told of every operation of its thread, forward and backward, for as long as it
/// exists. Without one, an operation pays for looking at one pointer.
#pragma once

#include <span>
#include <string>
#include <tensorette/autograd/op_table.hpp>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

class Grads;
class Node;
class Variable;

/// Base of what watches. Made and destroyed on one thread, whose operations it sees; several may
/// watch at once. Every function does nothing unless overridden; one that throws stops the
/// computation with its exception. An observer that is made inside a scope or a walk sees only its
/// end.
class Observer {
 public:
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer();

  /// An operation has computed `output`: recorded, if the output has a node. Formulas of vjps are
  /// operations too: they are told between vjp_begins() and vjp_done(). `extra` is what it has
  /// computed besides and keeps for its vjp; of packed attention [batch, heads, queries], say.
  virtual void operation_done(Op op, std::span<const Variable* const> inputs,
                              const Variable& output, std::span<const Tensor> extra);

  /// What follows, until scope_left(), belongs to a part of a model, e.g.
  /// "Transformer.encoder.layers.0".
  virtual void scope_entered(const std::string& path);
  virtual void scope_left() noexcept;

  /// A walk back through the graph; walks can nest where a vjp starts one.
  virtual void backward_begins(std::span<const Variable> outputs);
  virtual void backward_ends() noexcept;
  /// The gradient of the node's output is complete, and its vjp runs next.
  virtual void vjp_begins(const Node& node, const Variable& gradient);
  /// The vjp has given gradients of the node's inputs, not yet summed to their shapes.
  virtual void vjp_done(const Node& node, Grads& gradients);
  /// The gradients have been added to those that wait at the inputs.
  virtual void gradients_delivered(const Node& node);
  /// A parameter's gradient is complete.
  virtual void leaf_reached(const Node& leaf, const Variable& gradient);

  /// The observer that was there before this one.
  [[nodiscard]] Observer* previous() const noexcept { return previous_; }

 protected:
  Observer() noexcept;

 private:
  Observer* previous_;
};

namespace detail {

/// The newest observer of this thread, or null.
extern constinit thread_local Observer* newest_observer;

[[nodiscard]] inline bool is_observed() noexcept {
  return newest_observer != nullptr;
}

/// Tells every observer of this thread: `tell([&](Observer& observer) { ... });`.
template <class Message>
void tell_observers(const Message& message) {
  for (Observer* observer = newest_observer; observer != nullptr; observer = observer->previous()) {
    message(*observer);
  }
}

/// The slow path of an observed operation.
void tell_operation_done(Op op, std::span<const Variable* const> inputs, const Variable& output,
                         std::span<const Tensor> extra);

/// The result of an operation, after observers have been told of it.
template <class Result>
[[nodiscard]] Result observed(Op op, std::span<const Variable* const> inputs, Result result,
                              std::span<const Tensor> extra = {}) {
  if (is_observed()) [[unlikely]]
    tell_operation_done(op, inputs, result, extra);
  return result;
}

}  // namespace detail

/// A named part of a computation, for observers: until its end, operations belong to it. nn enters
/// one for every module's forward; a function of one's own can do the same. Parts nest by the time
/// they are entered, not by their names.
class ObservedScope {
 public:
  explicit ObservedScope(const std::string& path);
  ObservedScope(const ObservedScope&) = delete;
  ObservedScope& operator=(const ObservedScope&) = delete;
  ~ObservedScope();
};

}  // namespace tensorette
