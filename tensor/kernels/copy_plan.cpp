#include <tensorette/tensor/kernels/copy_plan.hpp>

#include <algorithm>

namespace tensorette::kernels {

namespace {

bool is_one_axis(const CopyAxis& outer, const CopyAxis& inner) noexcept {
  return outer.source_step == inner.source_step * inner.size &&
         outer.target_step == inner.target_step * inner.size;
}

}  // namespace

CopyPlan make_copy_plan(const Shape& shape, const Strides& source, const Strides& target) noexcept {
  CopyPlan plan;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;
    const CopyAxis loop{shape[axis], source[axis], target[axis]};
    int position = plan.rank++;
    for (; position > 0 && plan[position - 1].target_step < loop.target_step; --position)
      plan[position] = plan[position - 1];
    plan[position] = loop;
  }
  if (plan.rank == 0) {
    plan[plan.rank++] = {1, 1, 1};
    return plan;
  }
  int last = 0;
  for (int axis = 1; axis < plan.rank; ++axis) {
    if (is_one_axis(plan[last], plan[axis]))
      plan[last] = {plan[last].size * plan[axis].size, plan[axis].source_step,
                    plan[axis].target_step};
    else
      plan[++last] = plan[axis];
  }
  plan.rank = last + 1;
  return plan;
}

}  // namespace tensorette::kernels
