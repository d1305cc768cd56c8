/// \file
/// Shapes, strides and axes: short lists of numbers held inline.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace tensorette {

/// Sizes, strides, offsets and element indices.
using Index = std::int64_t;

/// Highest number of axes a tensor can have.
inline constexpr int max_rank = 8;

/// Sizes of a tensor, outermost first (row-major); a scalar has rank 0. Negative sizes and rank
/// above max_rank are refused where a tensor is made, not here.
class Shape {
 public:
  constexpr Shape() noexcept = default;
  constexpr Shape(std::initializer_list<Index> sizes) { assign(sizes.begin(), sizes.size()); }
  explicit Shape(std::span<const Index> sizes) { assign(sizes.data(), sizes.size()); }
  explicit Shape(const std::vector<Index>& sizes) { assign(sizes.data(), sizes.size()); }
  /// `rank` axes, all of size `size`.
  static Shape filled(int rank, Index size);

  [[nodiscard]] constexpr int rank() const noexcept { return rank_; }
  /// Unchecked access; `axis` in [0, rank).
  [[nodiscard]] constexpr Index operator[](int axis) const noexcept {
    return sizes_[static_cast<std::size_t>(axis)];
  }
  [[nodiscard]] constexpr Index& operator[](int axis) noexcept {
    return sizes_[static_cast<std::size_t>(axis)];
  }
  [[nodiscard]] constexpr const Index* begin() const noexcept { return sizes_.data(); }
  [[nodiscard]] constexpr const Index* end() const noexcept { return sizes_.data() + rank_; }

  /// Product of the sizes: 1 for a scalar.
  [[nodiscard]] constexpr Index element_count() const noexcept {
    Index count = 1;
    for (int axis = 0; axis < rank_; ++axis) count *= (*this)[axis];
    return count;
  }

  void push_back(Index size);
  void insert(int position, Index size);
  void erase(int position) noexcept;

  friend constexpr bool operator==(const Shape& a, const Shape& b) noexcept {
    return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  constexpr void assign(const Index* sizes, std::size_t count) {
    if (count > static_cast<std::size_t>(max_rank)) throw_rank_too_high(count);
    rank_ = static_cast<int>(count);
    std::copy(sizes, sizes + count, sizes_.begin());
  }
  [[noreturn]] static void throw_rank_too_high(std::size_t count);

  std::array<Index, max_rank> sizes_;  // only the first rank_ are meaningful
  int rank_ = 0;
};

/// Steps between neighbours along each axis, in elements; 0 along an expanded axis.
using Strides = Shape;

/// "[2, 3, 4]"; a scalar's shape prints as "[]".
[[nodiscard]] std::string to_string(const Shape& shape);

/// Strides of a dense row-major tensor.
[[nodiscard]] Strides row_major_strides(const Shape& shape) noexcept;

/// The shape both broadcast to by NumPy's rules.
/// \throws ShapeError naming `operation` and both shapes where they do not fit.
[[nodiscard]] Shape broadcast_shapes(const char* operation, const Shape& a, const Shape& b);

/// True where `from` can be expanded to `to` by NumPy's rules.
[[nodiscard]] bool is_broadcastable_to(const Shape& from, const Shape& to) noexcept;

/// `axis` counted from the front. \throws ShapeError outside [-rank, rank).
[[nodiscard]] int normalize_axis(const char* operation, int axis, int rank);

/// A set of axes of a tensor: one axis, a list, or all of them. Negative axes count from the end.
class Axes {
 public:
  Axes(int axis) : axes_{axis} {}  // NOLINT(google-explicit-constructor): one axis is a set
  Axes(std::initializer_list<int> axes) : axes_(axes) {}
  Axes(std::vector<int> axes) : axes_(std::move(axes)) {}  // NOLINT(google-explicit-constructor)
  /// Every axis.
  [[nodiscard]] static Axes all();

  [[nodiscard]] bool is_all() const noexcept { return is_all_; }
  [[nodiscard]] const std::vector<int>& list() const noexcept { return axes_; }

  /// Which axes of a tensor of this rank are meant.
  /// \throws ShapeError for an axis out of range or named twice.
  [[nodiscard]] std::array<bool, max_rank> resolve(const char* operation, int rank) const;

 private:
  std::vector<int> axes_;
  bool is_all_ = false;
};

/// Whether a reduction leaves its axes behind with size 1.
enum class KeepDims : bool { no, yes };

/// Shape of a reduction over `axes`.
[[nodiscard]] Shape reduced_shape(const char* operation, const Shape& shape, const Axes& axes,
                                  KeepDims keepdims);

}  // namespace tensorette
