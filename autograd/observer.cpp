#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/observer.hpp>
#include <utility>

namespace tensorette {

namespace detail {

constinit thread_local Observer* newest_observer = nullptr;

void tell_operation_done(Op op, std::span<const Variable* const> inputs, const Variable& output,
                         std::span<const Tensor> extra) {
  tell_observers([&](Observer& observer) { observer.operation_done(op, inputs, output, extra); });
}

}  // namespace detail

Observer::Observer() noexcept : previous_(std::exchange(detail::newest_observer, this)) {}

Observer::~Observer() {
  // Mostly the newest one; but two that are members of objects may end in any order.
  Observer** link = &detail::newest_observer;
  while (*link != nullptr && *link != this) link = &(*link)->previous_;
  if (*link == this) *link = previous_;
}

void Observer::operation_done(Op, std::span<const Variable* const>, const Variable&,
                              std::span<const Tensor>) {}
void Observer::scope_entered(const std::string&) {}
void Observer::scope_left() noexcept {}
void Observer::backward_begins(std::span<const Variable>) {}
void Observer::backward_ends() noexcept {}
void Observer::vjp_begins(const Node&, const Variable&) {}
void Observer::vjp_done(const Node&, Grads&) {}
void Observer::gradients_delivered(const Node&) {}
void Observer::leaf_reached(const Node&, const Variable&) {}

ObservedScope::ObservedScope(const std::string& path) {
  detail::tell_observers([&](Observer& observer) { observer.scope_entered(path); });
}

ObservedScope::~ObservedScope() {
  detail::tell_observers([](Observer& observer) { observer.scope_left(); });
}

}  // namespace tensorette
