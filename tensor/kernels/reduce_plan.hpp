// How a reduction walks over memory: the axes of a strided tensor boiled down to two loop nests.
// Next: reduce_rows.hpp, reduce.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette::kernels {

/// Nested loops, outermost first, each moving through the input and through the result.
struct LoopNest {
  int rank = 0;
  std::array<Index, max_rank> size;    // only the first `rank` are meaningful
  std::array<Index, max_rank> input;   // step through the input, in elements
  std::array<Index, max_rank> output;  // step through the result

  void push_back(Index loop_size, Index input_step, Index output_step) noexcept;
  [[nodiscard]] Index count() const noexcept;
  [[nodiscard]] Index inner_size() const noexcept { return rank == 0 ? 1 : size[last()]; }
  [[nodiscard]] Index inner_input() const noexcept { return rank == 0 ? 0 : input[last()]; }
  [[nodiscard]] Index inner_output() const noexcept { return rank == 0 ? 0 : output[last()]; }

 private:
  [[nodiscard]] std::size_t last() const noexcept { return static_cast<std::size_t>(rank - 1); }
};

/// Which of the two innermost loops lies denser in memory.
enum class ReducePattern {
  rows,     ///< the reduced one: each result is the sum of a row
  columns,  ///< the kept one: rows are added into a row of results
};

/// A reduction with its axes dropped (size 1), ordered by stride and merged where the layout
/// allows it. The result is dense in the logical order of the kept axes.
struct ReducePlan {
  LoopNest kept;     ///< without the columns
  LoopNest reduced;  ///< its output steps are 0
  ReducePattern pattern = ReducePattern::rows;
  Index columns = 1;        ///< results side by side; 1 in the row pattern
  Index column_input = 0;   ///< step from column to column in the input
  Index column_output = 0;  ///< and in the result
  Index result_count = 1;   ///< elements of the result
  Index reduced_count = 1;  ///< elements behind each of them
};

[[nodiscard]] ReducePlan plan_reduction(const Shape& shape, const Strides& strides,
                                        const std::array<bool, max_rank>& is_reduced) noexcept;

/// A reduction whose arguments have been checked.
struct CheckedReduction {
  ReducePlan plan;
  Shape result;
};

/// \throws Error for an undefined tensor, ShapeError for axes out of range or named twice.
[[nodiscard]] CheckedReduction check_reduction(const char* operation, const Tensor& x,
                                               const Axes& axes, KeepDims keepdims);

/// \throws ShapeError where a result would come from no element.
void require_elements(const char* operation, const Tensor& x, const ReducePlan& plan);

/// Calls `body(input, output, length)` for each run along the innermost loop that the iterations
/// [begin, end) of the nest touch; the offsets are those of the first element of the run.
template <class Body>
void for_each_run(const LoopNest& nest, Index begin, Index end, Body&& body) {
  if (begin >= end) return;
  if (nest.rank <= 1) {
    body(begin * nest.inner_input(), begin * nest.inner_output(), end - begin);
    return;
  }
  const auto inner = static_cast<std::size_t>(nest.rank - 1);
  std::array<Index, max_rank> position{};
  Index input = 0;
  Index output = 0;
  Index rest = begin;
  for (std::size_t axis = inner + 1; axis-- > 0 && rest > 0;) {
    position[axis] = rest % nest.size[axis];
    rest /= nest.size[axis];
    input += position[axis] * nest.input[axis];
    output += position[axis] * nest.output[axis];
  }
  for (Index done = begin;;) {
    const Index length = std::min(nest.size[inner] - position[inner], end - done);
    body(input, output, length);
    done += length;
    if (done == end) return;
    input -= position[inner] * nest.input[inner];
    output -= position[inner] * nest.output[inner];
    position[inner] = 0;
    std::size_t axis = inner - 1;
    while (++position[axis] == nest.size[axis]) {
      input -= (nest.size[axis] - 1) * nest.input[axis];
      output -= (nest.size[axis] - 1) * nest.output[axis];
      position[axis--] = 0;
    }
    input += nest.input[axis];
    output += nest.output[axis];
  }
}

}  // namespace tensorette::kernels
