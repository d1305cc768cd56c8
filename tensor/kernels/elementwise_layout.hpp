// How operands of one shape are walked together: few axes, strides in bytes.
#pragma once

#include <array>
#include <cstring>
#include <span>
#include <tensorette/tensor/kernels/elementwise.hpp>

namespace tensorette::kernels {

/// Inputs and the output, which comes last.
inline constexpr int max_operands = max_inputs + 1;

/// The axes that are left after those of size 1 are dropped and neighbours merged wherever all
/// operands step evenly over both. Strides are in bytes; 0 repeats an element.
class Layout {
 public:
  Layout(std::span<const Operand> operands, const Shape& shape);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] Index size(int axis) const noexcept { return sizes_[to_size(axis)]; }
  [[nodiscard]] Index inner_size() const noexcept { return size(rank_ - 1); }
  [[nodiscard]] Index stride(int operand, int axis) const noexcept {
    return strides_[to_size(operand)][to_size(axis)];
  }
  [[nodiscard]] Index inner_stride(int operand) const noexcept {
    return stride(operand, rank_ - 1);
  }
  /// Elements follow one another over all axes.
  [[nodiscard]] bool is_dense(int operand, Index element_size) const noexcept;
  /// The same elements in every row along the inner axis.
  [[nodiscard]] bool repeats_rows(int operand) const noexcept;
  /// The same element everywhere.
  [[nodiscard]] bool is_single(int operand) const noexcept;

 private:
  static std::size_t to_size(int i) noexcept { return static_cast<std::size_t>(i); }
  void append(std::span<const Operand> operands, const Shape& shape, int axis);
  void sort_by_output(int operand_count);
  void merge_neighbours(int operand_count);
  void swap_axes(int a, int b, int operand_count) noexcept;

  int rank_ = 0;
  std::array<Index, max_rank> sizes_;
  std::array<std::array<Index, max_rank>, max_operands> strides_;
};

/// A place in a layout, for one operand: moves from row to row along the outer axes.
class OperandCursor {
 public:
  OperandCursor(const Layout& layout, int operand, Index row) noexcept;

  /// Offset in bytes of the row's first element.
  [[nodiscard]] Index offset() const noexcept { return offset_; }
  void advance() noexcept;

 private:
  const Layout* layout_;
  int operand_;
  Index offset_ = 0;
  std::array<Index, max_rank> position_;
};

}  // namespace tensorette::kernels
