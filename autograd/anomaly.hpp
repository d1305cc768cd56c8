/// \file
/// Finding the operation that made the first NaN or infinity. Before: observer.hpp.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <tensorette/autograd/observer.hpp>
#include <tensorette/autograd/variable.hpp>
#include <tensorette/tensor/error.hpp>
#include <vector>

namespace tensorette {

/// A NaN or an infinity where DetectAnomaly watches. The text names the operation, forward or
/// backward, its module, its shapes, and the chain of operations that led there.
class AnomalyError : public Error {
 public:
  using Error::Error;
};

struct AnomalyOptions {
  bool infinities = true;  ///< infinities count, not only NaN
};

/// While it exists, every operation of its thread is looked at, forward and backward, and the first
/// whose result is not finite throws AnomalyError.
///
///     const tt::DetectAnomaly guard;
///     const tt::Variable loss = nn::cross_entropy(model.forward(x), labels);
///     loss.backward();
///
/// Infinities that were there before are let through (a mask of −∞ is no accident), and so are
/// those that masked_fill and where put in by request; a NaN never is. Looking takes about as long
/// as a cheap operation on the same tensor: for finding errors, not for training runs.
class DetectAnomaly final : public Observer {
 public:
  explicit DetectAnomaly(const AnomalyOptions& options = {}) : options_(options) {}

  void operation_done(Op op, std::span<const Variable* const> inputs, const Variable& output,
                      std::span<const Tensor> extra) override;
  void scope_entered(const std::string& path) override;
  void scope_left() noexcept override;
  void backward_begins(std::span<const Variable> outputs) override;
  void backward_ends() noexcept override;
  void vjp_begins(const Node& node, const Variable& gradient) override;
  void vjp_done(const Node& node, Grads& gradients) override;

 private:
  struct Place {
    std::uint64_t id;  // of the node made there
    std::string path;
  };
  // One node that a walk back has come through.
  struct Visit {
    std::uint64_t id;
    std::string text;
    std::vector<std::uint64_t> inputs;
  };

  [[nodiscard]] std::string place_of(std::uint64_t id) const;
  [[nodiscard]] std::string forward_chain(const Node* node) const;
  [[nodiscard]] std::string backward_chain(std::uint64_t id) const;

  AnomalyOptions options_;
  std::vector<std::string> scopes_;
  std::deque<Place> places_;  // of the last operations, by increasing id
  std::deque<Visit> visits_;  // of the walk that runs, by decreasing id
  int walk_depth_ = 0;
};

}  // namespace tensorette
