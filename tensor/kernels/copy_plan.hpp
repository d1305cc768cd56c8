// How a copy walks memory: the fewest axes that describe both layouts.
#pragma once

#include <array>
#include <tensorette/tensor/shape.hpp>

namespace tensorette::kernels {

/// One loop of a copy: its length, and the step in either tensor, in elements.
struct CopyAxis {
  Index size;
  Index source_step;
  Index target_step;
};

/// The loops of a copy, outermost first. Axes of size 1 are gone, the others are ordered by the
/// target's steps (so that it is written in the order of memory), and neighbours that both tensors
/// walk as one axis are merged. At least one axis is left.
struct CopyPlan {
  std::array<CopyAxis, max_rank> axes;
  int rank = 0;

  [[nodiscard]] const CopyAxis& operator[](int axis) const noexcept {
    return axes[static_cast<std::size_t>(axis)];
  }
  [[nodiscard]] CopyAxis& operator[](int axis) noexcept {
    return axes[static_cast<std::size_t>(axis)];
  }
  [[nodiscard]] const CopyAxis& inner() const noexcept { return (*this)[rank - 1]; }
  /// Number of steps of all loops but the innermost one.
  [[nodiscard]] Index outer_count() const noexcept {
    Index count = 1;
    for (int axis = 0; axis + 1 < rank; ++axis) count *= (*this)[axis].size;
    return count;
  }
};

[[nodiscard]] CopyPlan make_copy_plan(const Shape& shape, const Strides& source,
                                      const Strides& target) noexcept;

/// Walks the outer axes of a plan: where the row with a given number starts in both tensors.
class RowCursor {
 public:
  /// Stands on row `row` of the rows formed by the first `outer_rank` axes of the plan.
  RowCursor(const CopyPlan& plan, int outer_rank, Index row) noexcept
      : plan_(plan), outer_rank_(outer_rank) {
    for (int axis = outer_rank_ - 1; axis >= 0; --axis) {
      const Index position = row % plan_[axis].size;
      row /= plan_[axis].size;
      positions_[static_cast<std::size_t>(axis)] = position;
      source_offset_ += position * plan_[axis].source_step;
      target_offset_ += position * plan_[axis].target_step;
    }
  }

  void advance() noexcept {
    for (int axis = outer_rank_ - 1; axis >= 0; --axis) {
      const CopyAxis& loop = plan_[axis];
      Index& position = positions_[static_cast<std::size_t>(axis)];
      source_offset_ += loop.source_step;
      target_offset_ += loop.target_step;
      if (++position < loop.size) return;
      position = 0;
      source_offset_ -= loop.size * loop.source_step;
      target_offset_ -= loop.size * loop.target_step;
    }
  }

  [[nodiscard]] Index source_offset() const noexcept { return source_offset_; }
  [[nodiscard]] Index target_offset() const noexcept { return target_offset_; }

 private:
  const CopyPlan& plan_;
  int outer_rank_;
  std::array<Index, max_rank> positions_{};
  Index source_offset_ = 0;
  Index target_offset_ = 0;
};

}  // namespace tensorette::kernels
