// kernels/copy.cpp: copies between layouts and dtypes.
// Before: copy_plan.hpp.
//
// A plan says which loops are left once both layouts are taken together. Its innermost loop
// decides how elements move: blocks of memory, a repeated element, or steps; and where the source
// is dense along another axis than the target, square tiles, so that both sides use each cache
// line whole before it is evicted.
#include <tensorette/tensor/kernels/copy.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tensorette/tensor/kernels/copy_plan.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/kernels/transpose_tile.hpp>

namespace tensorette::kernels {

namespace {

// Copying is cheaper than arithmetic: a second thread pays off later.
constexpr Index copies_per_thread = 2 * elements_per_thread;

/// Calls `row(source, target, count)` for all runs of the innermost axis, over several threads;
/// a long run may come in pieces.
template <class Source, class Target, class Row>
void for_each_run(const CopyPlan& plan, const Source* source, Target* target, Row&& row) {
  const CopyAxis& inner = plan.inner();
  const Index count = plan.outer_count() * inner.size;
  parallel_for(count, copies_per_thread, [&](Index begin, Index end) {
    RowCursor cursor(plan, plan.rank - 1, begin / inner.size);
    Index start = begin % inner.size;
    while (begin < end) {
      const Index length = std::min(inner.size - start, end - begin);
      row(source + cursor.source_offset() + start * inner.source_step,
          target + cursor.target_offset() + start * inner.target_step, length);
      begin += length;
      start = 0;
      cursor.advance();
    }
  });
}

/// The same as transpose_tile() for a full square, through a buffer: with steps that are powers of
/// two all source rows compete for the same few cache lines, so each is read just once, in one go.
template <class T, Index size>
void transpose_full_tile(const T* source, Index source_step, T* target,
                         Index target_step) noexcept {
  alignas(64) T tile[size * size];
  for (Index column = 0; column < size; ++column)
    std::memcpy(tile + column * size, source + column * source_step, size * sizeof(T));
  transpose_tile(tile, size, target, target_step, size, size);
}

/// The axis along which the source is dense moves to the place before the innermost one, the
/// relative order of the others stays.
void move_before_inner(CopyPlan& plan, int axis) noexcept {
  const auto first = plan.axes.begin();
  std::rotate(first + axis, first + axis + 1, first + plan.rank - 1);
}

/// A tile is one cache line of 4-byte or 8-byte elements wide and high.
template <class T>
inline constexpr Index tile = std::min<Index>(16, 64 / static_cast<Index>(sizeof(T)));
/// Tiles are taken in blocks that visit few pages of memory, and each of these seldom: what costs
/// most in a large transposition is finding the pages.
inline constexpr Index block_rows = 256, block_columns = 64;

template <class T>
void transpose_block(const T* source, Index source_step, T* target, Index target_step, Index rows,
                     Index columns) noexcept {
  for (Index row = 0; row < rows; row += tile<T>) {
    const Index height = std::min(tile<T>, rows - row);
    for (Index column = 0; column < columns; column += tile<T>) {
      const Index width = std::min(tile<T>, columns - column);
      const T* from = source + column * source_step + row;
      T* to = target + row * target_step + column;
      if (height == tile<T> && width == tile<T>)
        transpose_full_tile<T, tile<T>>(from, source_step, to, target_step);
      else
        transpose_tile(from, source_step, to, target_step, height, width);
    }
  }
}

/// Copies where the source is dense along the last axis but one and the target along the last.
template <class T>
void copy_transposed(const CopyPlan& plan, const T* source, T* target) {
  const CopyAxis rows = plan[plan.rank - 2];
  const CopyAxis columns = plan[plan.rank - 1];
  const Index bands = (rows.size + block_rows - 1) / block_rows;
  const Index matrices = plan.outer_count() / rows.size;
  const Index grain = std::max<Index>(1, copies_per_thread / (block_rows * columns.size));
  parallel_for(matrices * bands, grain, [&](Index begin, Index end) {
    for (Index step = begin; step < end; ++step) {
      const RowCursor matrix(plan, plan.rank - 2, step / bands);
      const Index row = step % bands * block_rows;
      const T* from = source + matrix.source_offset() + row;
      T* to = target + matrix.target_offset() + row * rows.target_step;
      for (Index column = 0; column < columns.size; column += block_columns)
        transpose_block(from + column * columns.source_step, columns.source_step, to + column,
                        rows.target_step, std::min(block_rows, rows.size - row),
                        std::min(block_columns, columns.size - column));
    }
  });
}

/// Runs too short to be worth a call each: two loops at a time.
template <class T>
void copy_short_runs(const CopyPlan& plan, const T* source, T* target) {
  const CopyAxis rows = plan[plan.rank - 2];
  const CopyAxis inner = plan.inner();
  const Index matrices = plan.outer_count() / rows.size;
  parallel_for(matrices * rows.size, copies_per_thread / inner.size, [&](Index begin, Index end) {
    RowCursor matrix(plan, plan.rank - 2, begin / rows.size);
    for (Index row = begin % rows.size; begin < end; row = 0, matrix.advance()) {
      const Index last = std::min(rows.size, row + end - begin);
      begin += last - row;
      const T* from = source + matrix.source_offset() + row * rows.source_step;
      T* to = target + matrix.target_offset() + row * rows.target_step;
      for (; row < last; ++row, from += rows.source_step, to += rows.target_step)
        for (Index i = 0; i < inner.size; ++i)
          to[i * inner.target_step] = from[i * inner.source_step];
    }
  });
}

/// The axis other than the innermost along which the source is dense, or −1.
int source_dense_axis(const CopyPlan& plan) noexcept {
  for (int axis = plan.rank - 2; axis >= 0; --axis)
    if (plan[axis].source_step == 1) return axis;
  return -1;
}

template <class T>
void copy_typed(CopyPlan& plan, const T* source, T* target) {
  const CopyAxis inner = plan.inner();
  const int dense = source_dense_axis(plan);
  if (dense >= 0 && inner.target_step == 1 && inner.source_step > 1) {
    move_before_inner(plan, dense);
    copy_transposed(plan, source, target);
  } else if (inner.size < 8 && plan.rank > 1) {
    copy_short_runs(plan, source, target);
  } else if (inner.source_step == 1 && inner.target_step == 1) {
    for_each_run(plan, source, target, [](const T* from, T* to, Index count) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
    });
  } else if (inner.source_step == 0 && inner.target_step == 1) {
    for_each_run(plan, source, target,
                 [](const T* from, T* to, Index count) { std::fill_n(to, count, *from); });
  } else if (inner.source_step == -1 && inner.target_step == 1) {
    for_each_run(plan, source, target, [](const T* from, T* to, Index count) {
      std::reverse_copy(from - count + 1, from + 1, to);
    });
  } else {
    for_each_run(plan, source, target, [inner](const T* from, T* to, Index count) {
      for (Index i = 0; i < count; ++i) to[i * inner.target_step] = from[i * inner.source_step];
    });
  }
}

template <class To, class From>
To convert(From value) noexcept {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_same_v<To, std::int64_t> && std::is_floating_point_v<From>) {
    // -2^63 is a value of both types, 2^63 the first one beyond.
    constexpr From limit = From{9223372036854775808.0};
    if (std::isnan(value)) return 0;
    if (value >= limit) return std::numeric_limits<std::int64_t>::max();
    if (value <= -limit) return std::numeric_limits<std::int64_t>::min();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace

void copy_elements(const Tensor& source, Tensor& target) {
  const Index count = target.element_count();
  if (count == 0) return;
  dispatch_any(source.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = source.data<T>();
    T* to = target.mutable_data<T>();
    if (count <= elements_per_thread && source.is_contiguous() && target.is_contiguous()) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
      return;
    }
    CopyPlan plan = make_copy_plan(source.shape(), source.strides(), target.strides());
    copy_typed(plan, from, to);
  });
}

void convert_elements(const Tensor& source, Tensor& target) {
  if (target.element_count() == 0) return;
  const CopyPlan plan = make_copy_plan(source.shape(), source.strides(), target.strides());
  const Index step = plan.inner().source_step;
  dispatch_any(source.dtype(), [&](auto source_tag) {
    using From = typename decltype(source_tag)::type;
    dispatch_any(target.dtype(), [&](auto target_tag) {
      using To = typename decltype(target_tag)::type;
      for_each_run(plan, source.data<From>(), target.mutable_data<To>(),
                   [step](const From* from, To* to, Index length) {
                     if (step == 1)
                       for (Index i = 0; i < length; ++i) to[i] = convert<To>(from[i]);
                     else
                       for (Index i = 0; i < length; ++i) to[i] = convert<To>(from[i * step]);
                   });
    });
  });
}

}  // namespace tensorette::kernels
