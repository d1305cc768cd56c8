#include <tensorette/tensor/kernels/elementwise_layout.hpp>
#include <utility>

namespace tensorette::kernels {

Layout::Layout(std::span<const Operand> operands, const Shape& shape) {
  const int operand_count = static_cast<int>(operands.size());
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != 1) append(operands, shape, axis);
  }
  if (rank_ == 0) {  // a single element: one axis that nobody steps along
    rank_ = 1;
    sizes_[0] = 1;
    for (int operand = 0; operand < operand_count; ++operand) {
      strides_[to_size(operand)][0] = operands[to_size(operand)].element_size;
    }
    return;
  }
  sort_by_output(operand_count);
  merge_neighbours(operand_count);
}

void Layout::append(std::span<const Operand> operands, const Shape& shape, int axis) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& operand = operands[i];
    const int own_axis = axis - (shape.rank() - operand.shape->rank());
    const bool repeats = own_axis < 0 || (*operand.shape)[own_axis] == 1;
    strides_[i][to_size(rank_)] = repeats ? 0 : (*operand.strides)[own_axis] * operand.element_size;
  }
  sizes_[to_size(rank_)] = shape[axis];
  ++rank_;
}

// Memory is written in its own order, whatever order the axes have (a transposed target).
void Layout::sort_by_output(int operand_count) {
  const int output = operand_count - 1;
  for (int axis = 1; axis < rank_; ++axis) {
    for (int a = axis; a > 0 && stride(output, a - 1) < stride(output, a); --a) {
      swap_axes(a - 1, a, operand_count);
    }
  }
}

void Layout::swap_axes(int a, int b, int operand_count) noexcept {
  std::swap(sizes_[to_size(a)], sizes_[to_size(b)]);
  for (int operand = 0; operand < operand_count; ++operand) {
    auto& strides = strides_[to_size(operand)];
    std::swap(strides[to_size(a)], strides[to_size(b)]);
  }
}

void Layout::merge_neighbours(int operand_count) {
  int last = 0;
  for (int axis = 1; axis < rank_; ++axis) {
    bool even = true;
    for (int operand = 0; operand < operand_count && even; ++operand) {
      even = stride(operand, last) == stride(operand, axis) * size(axis);
    }
    if (even) {
      sizes_[to_size(last)] *= size(axis);
    } else {
      ++last;
      sizes_[to_size(last)] = size(axis);
    }
    for (int operand = 0; operand < operand_count; ++operand) {
      strides_[to_size(operand)][to_size(last)] = stride(operand, axis);
    }
  }
  rank_ = last + 1;
}

bool Layout::is_dense(int operand, Index element_size) const noexcept {
  Index step = element_size;
  for (int axis = rank_ - 1; axis >= 0; --axis) {
    if (stride(operand, axis) != step) return false;
    step *= size(axis);
  }
  return true;
}

bool Layout::repeats_rows(int operand) const noexcept {
  for (int axis = 0; axis < rank_ - 1; ++axis) {
    if (stride(operand, axis) != 0) return false;
  }
  return true;
}

bool Layout::is_single(int operand) const noexcept {
  return inner_stride(operand) == 0 && repeats_rows(operand);
}

OperandCursor::OperandCursor(const Layout& layout, int operand, Index row) noexcept
    : layout_(&layout), operand_(operand) {
  for (int axis = layout.rank() - 2; axis >= 0; --axis) {
    const Index position = row % layout.size(axis);
    row /= layout.size(axis);
    position_[static_cast<std::size_t>(axis)] = position;
    offset_ += position * layout.stride(operand, axis);
  }
}

void OperandCursor::advance() noexcept {
  for (int axis = layout_->rank() - 2; axis >= 0; --axis) {
    Index& position = position_[static_cast<std::size_t>(axis)];
    const Index stride = layout_->stride(operand_, axis);
    offset_ += stride;
    if (++position < layout_->size(axis)) return;
    offset_ -= position * stride;
    position = 0;
  }
}

}  // namespace tensorette::kernels
