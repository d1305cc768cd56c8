/// \file
/// Remembering a computation while it happens. Before: observer.hpp. Next: trace.hpp.
#pragma once

#include <chrono>
#include <memory>
#include <tensorette/autograd/observer.hpp>
#include <tensorette/autograd/trace/trace.hpp>
#include <unordered_map>

namespace tensorette {

struct RecordingOptions {
  Index element_limit = 64;              ///< tensors with at most as many elements are kept whole
  std::size_t operation_limit = 200000;  ///< operations beyond it are not remembered
};

/// While it exists, remembers of every recorded operation of its thread: time, value, module, and
/// what backward does there. trace() reads it. Looking at values takes longer than many operations
/// do; that is not in the times.
///
/// A forward time reaches from the end of what was observed before (an operation, a scope, a walk
/// back) to the end of the operation. What a program does besides operations in between is in it.
class Recording final : public Observer {
 public:
  explicit Recording(const RecordingOptions& options = {});
  ~Recording() override;

  /// An operation that was recorded, its inputs by their ids.
  struct Operation {
    TraceNode node{};
    std::vector<std::optional<std::uint64_t>> inputs{};  ///< ids; none for constants
    /// Storages of what is saved, for counting each once; compared only, never read.
    std::vector<const void*> saved_storages{};
    std::uint32_t version = 0;  ///< of a parameter's value when it was looked at
  };
  /// What a walk back did at a node.
  struct Gradient {
    std::size_t walk = 0;  ///< number of the walk
    TensorSummary summary{};
    std::optional<double> seconds{};
  };
  /// Null if the node was made before, or beyond the limit.
  [[nodiscard]] const Operation* find(std::uint64_t id) const noexcept;
  /// What the last walk back from this output alone did at a node; null if it has not been there.
  [[nodiscard]] const Gradient* find_gradient(std::uint64_t output,
                                              std::uint64_t id) const noexcept;
  /// Forgets everything so far.
  void clear() noexcept;
  [[nodiscard]] const std::vector<TraceScope>& scopes() const noexcept { return scopes_; }

  /// The newest recording of this thread, or null.
  [[nodiscard]] static const Recording* current() noexcept;

  void operation_done(Op op, std::span<const Variable* const> inputs, const Variable& output,
                      std::span<const Tensor> extra) override;
  void scope_entered(const std::string& path) override;
  void scope_left() noexcept override;
  void backward_begins(std::span<const Variable> outputs) override;
  void backward_ends() noexcept override;
  void vjp_begins(const Node& node, const Variable& gradient) override;
  void gradients_delivered(const Node& node) override;
  void leaf_reached(const Node& leaf, const Variable& gradient) override;

 private:
  using Clock = std::chrono::steady_clock;

  Operation* remember(const Node& node);
  void remember_leaf(const Variable& leaf);
  Gradient* remember_gradient(const Node& node, const Variable& gradient);

  RecordingOptions options_;
  std::unordered_map<std::uint64_t, Operation> operations_;
  std::unordered_map<std::uint64_t, Gradient> gradients_;
  std::unordered_map<std::uint64_t, std::size_t> walks_;  // of outputs: the last walk from each
  std::size_t walk_ = 0;
  int walk_depth_ = 0;
  std::vector<TraceScope> scopes_;
  std::int64_t scope_ = -1;
  Clock::time_point last_event_;
  std::vector<Clock::time_point> running_vjps_;  // when each began: vjps nest
};

}  // namespace tensorette
