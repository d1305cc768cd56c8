// The node that recompute() leaves in the graph.
#pragma once

#include <tensorette/autograd/functional.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/tensor/detail/draws.hpp>
#include <vector>

namespace tensorette::detail {

/// Stands for the graph of a function. Its inputs are the function's own, then the nodes of what
/// the function captures. It has no vjp: the engine puts the function's graph in its place.
class RecomputeNode final : public Node {
 public:
  RecomputeNode(const Tensor& output, FunctionOfMany f, std::size_t input_count,
                std::vector<Draw> draws)
      : Node(Op::recompute, output.shape(), output.dtype()),
        f_(std::move(f)),
        input_count_(input_count),
        draws_(std::move(draws)) {}

  /// The function's result with its graph, which is connected to what this node is connected to.
  /// \throws GraphError if something the function depends on has changed
  [[nodiscard]] Variable compute_again();

 private:
  [[nodiscard]] Grads run(const VjpContext& context) override;
  void drop_formula() noexcept override;

  FunctionOfMany f_;
  std::size_t input_count_;
  std::vector<Draw> draws_;
};

}  // namespace tensorette::detail
