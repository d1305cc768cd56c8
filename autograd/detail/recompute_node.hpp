// The nodes that recompute() leaves in the graph.
#pragma once

#include <tensorette/autograd/functional.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/tensor/detail/draws.hpp>
#include <vector>

namespace tensorette::detail {

/// What a result of the function was like the first time.
struct RecomputedResult {
  bool is_recorded = false;  ///< gradients reach it through the nodes below
  Shape shape{};
  DType dtype = DType::f32;
};

/// Stands for the graph of a function, and for the first of its results that are recorded. Its
/// inputs are the function's own, then the nodes of what the function captures. It has no vjp: the
/// engine puts the function's graph in its place.
class RecomputeNode final : public Node {
 public:
  RecomputeNode(FunctionsOfMany f, std::size_t input_count, std::vector<RecomputedResult> results,
                std::size_t number, std::vector<Draw> draws)
      : Node(Op::recompute, results[number].shape, results[number].dtype),
        f_(std::move(f)),
        input_count_(input_count),
        results_(std::move(results)),
        number_(number),
        draws_(std::move(draws)) {}

  /// Which of the results this node is.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }

  /// The results with their graph, which is connected to what this node is connected to.
  /// \throws GraphError if something the function depends on has changed
  [[nodiscard]] std::vector<Variable> compute_again();

 private:
  void check_result(std::size_t i, const Variable& again) const;
  [[nodiscard]] Grads run(const VjpContext& context) override;
  void drop_formula() noexcept override;

  FunctionsOfMany f_;
  std::size_t input_count_;
  std::vector<RecomputedResult> results_;
  std::size_t number_;
  std::vector<Draw> draws_;
};

/// A further result of the function; its only input is the RecomputeNode, which is older.
class FurtherResultNode final : public Node {
 public:
  FurtherResultNode(const Tensor& value, std::size_t number)
      : Node(Op::recompute, value.shape(), value.dtype()), number_(number) {}

  [[nodiscard]] std::size_t number() const noexcept { return number_; }

 private:
  [[nodiscard]] Grads run(const VjpContext& context) override;
  void drop_formula() noexcept override {}

  std::size_t number_;
};

}  // namespace tensorette::detail
