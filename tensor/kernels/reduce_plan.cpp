#include <tensorette/tensor/kernels/reduce_plan.hpp>

#include <limits>
#include <utility>

#include <tensorette/tensor/kernels/dispatch.hpp>

namespace tensorette::kernels {

void LoopNest::push_back(Index loop_size, Index input_step, Index output_step) noexcept {
  const auto position = static_cast<std::size_t>(rank++);
  size[position] = loop_size;
  input[position] = input_step;
  output[position] = output_step;
}

Index LoopNest::count() const noexcept {
  Index product = 1;
  for (int loop = 0; loop < rank; ++loop) product *= size[static_cast<std::size_t>(loop)];
  return product;
}

namespace {

// Axes that repeat their elements (stride 0) belong outside, where they cost least.
Index distance(Index stride) noexcept {
  return stride == 0 ? std::numeric_limits<Index>::max() : stride;
}

void sort_by_stride(LoopNest& nest) noexcept {
  for (int next = 1; next < nest.rank; ++next) {
    for (auto i = static_cast<std::size_t>(next);
         i > 0 && distance(nest.input[i - 1]) < distance(nest.input[i]); --i) {
      std::swap(nest.size[i - 1], nest.size[i]);
      std::swap(nest.input[i - 1], nest.input[i]);
      std::swap(nest.output[i - 1], nest.output[i]);
    }
  }
}

// Two loops are one where the outer one continues the inner one in input and result.
void merge(LoopNest& nest) noexcept {
  if (nest.rank < 2) return;
  std::size_t top = 0;
  for (std::size_t next = 1; next < static_cast<std::size_t>(nest.rank); ++next) {
    if (nest.input[top] == nest.input[next] * nest.size[next] &&
        nest.output[top] == nest.output[next] * nest.size[next]) {
      nest.size[top] *= nest.size[next];
    } else {
      nest.size[++top] = nest.size[next];
    }
    nest.input[top] = nest.input[next];
    nest.output[top] = nest.output[next];
  }
  nest.rank = static_cast<int>(top) + 1;
}

}  // namespace

ReducePlan plan_reduction(const Shape& shape, const Strides& strides,
                          const std::array<bool, max_rank>& is_reduced) noexcept {
  ReducePlan plan;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    (is_reduced[static_cast<std::size_t>(axis)] ? plan.reduced_count : plan.result_count) *=
        shape[axis];
  }
  if (plan.result_count == 0 || plan.reduced_count == 0) return plan;

  Index output = plan.result_count;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (is_reduced[static_cast<std::size_t>(axis)]) {
      if (shape[axis] > 1) plan.reduced.push_back(shape[axis], strides[axis], 0);
    } else {
      output /= shape[axis];
      if (shape[axis] > 1) plan.kept.push_back(shape[axis], strides[axis], output);
    }
  }
  sort_by_stride(plan.kept);
  sort_by_stride(plan.reduced);
  merge(plan.kept);
  merge(plan.reduced);

  const bool by_rows = plan.kept.rank == 0 ||
                       (plan.reduced.rank > 0 &&
                        distance(plan.reduced.inner_input()) < distance(plan.kept.inner_input()));
  if (!by_rows) {
    plan.pattern = ReducePattern::columns;
    plan.columns = plan.kept.inner_size();
    plan.column_input = plan.kept.inner_input();
    plan.column_output = plan.kept.inner_output();
    --plan.kept.rank;
  }
  return plan;
}

CheckedReduction check_reduction(const char* operation, const Tensor& x, const Axes& axes,
                                 KeepDims keepdims) {
  require_defined(operation, x);
  const auto is_reduced = axes.resolve(operation, x.rank());
  CheckedReduction checked{plan_reduction(x.shape(), x.strides(), is_reduced), {}};
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (!is_reduced[static_cast<std::size_t>(axis)])
      checked.result.push_back(x.shape()[axis]);
    else if (keepdims == KeepDims::yes)
      checked.result.push_back(1);
  }
  return checked;
}

void require_elements(const char* operation, const Tensor& x, const ReducePlan& plan) {
  detail::require(
      plan.reduced_count > 0 || plan.result_count == 0,
      "{}: there is nothing to choose from: the reduced axes of shape {} hold no element",
      operation, x.shape());
}

}  // namespace tensorette::kernels
