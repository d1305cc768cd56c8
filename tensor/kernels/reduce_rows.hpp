// The two inner loops of every reduction, on raw pointers: one row to one total, and many rows
// to a row of totals.
//
// Error of a floating sum: within a block each lane adds at most steps_per_block elements and
// four lanes meet in T; everything after that is double. So for f32 |error| <= (steps_per_block +
// 2) u Σ|x|, u = 2^-24, for any number of elements.
#pragma once

#include <algorithm>
#include <array>

#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/reduce_operations.hpp>
#include <tensorette/tensor/kernels/reduce_plan.hpp>

namespace tensorette::kernels {

/// Columns that are reduced together: their accumulators fit the first-level cache.
inline constexpr Index column_tile = 512;

template <class Op>
[[nodiscard]] constexpr typename Op::Total identity_of() noexcept {
  return static_cast<typename Op::Total>(Op::identity);
}

/// All lanes of a pack in one total, halving.
template <class Op>
[[nodiscard]] inline typename Op::Total fold_lanes(const Pack<typename Op::Block>& pack) {
  using Block = typename Op::Block;
  using Total = typename Op::Total;
  constexpr auto width = static_cast<std::size_t>(lanes<Block>);
  alignas(64) std::array<Block, width> lane;
  pack.store_aligned(lane.data());
  std::array<Total, width> total;
  for (std::size_t i = 0; i < width; ++i) total[i] = static_cast<Total>(lane[i]);
  for (std::size_t half = width / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) total[i] = Op::combine(total[i], total[i + half]);
  return total[0];
}

/// The total of `size` neighbouring elements.
template <class Op>
[[nodiscard]] typename Op::Total reduce_dense_row(const typename Op::Element* x, Index size,
                                                  typename Op::Element parameter) {
  using Block = typename Op::Block;
  using Total = typename Op::Total;
  using Lanes = Pack<Block>;
  constexpr Index width = lanes<Block>;
  const auto block_parameter = static_cast<Block>(parameter);
  Total total = identity_of<Op>();
  Index i = 0;
  if (size >= width) {
    const Lanes p(block_parameter);
    while (size - i >= 4 * width) {
      const Index stop =
          std::min(size / (4 * width) * (4 * width), i + 4 * width * steps_per_block);
      std::array<Lanes, 4> sums;
      for (std::size_t k = 0; k < 4; ++k)
        sums[k] = Op::map(load<Block>(x + i + static_cast<Index>(k) * width), p);
      for (i += 4 * width; i < stop; i += 4 * width)
        for (std::size_t k = 0; k < 4; ++k)
          sums[k] =
              Op::combine(sums[k], Op::map(load<Block>(x + i + static_cast<Index>(k) * width), p));
      total = Op::combine(total, fold_lanes<Op>(Op::combine(Op::combine(sums[0], sums[1]),
                                                            Op::combine(sums[2], sums[3]))));
    }
    if (size - i >= width) {
      Lanes rest = Op::map(load<Block>(x + i), p);
      for (i += width; i + width <= size; i += width)
        rest = Op::combine(rest, Op::map(load<Block>(x + i), p));
      total = Op::combine(total, fold_lanes<Op>(rest));
    }
  }
  for (; i < size; ++i)
    total =
        Op::combine(total, static_cast<Total>(Op::map(static_cast<Block>(x[i]), block_parameter)));
  return total;
}

/// The total of `size` elements `step` apart.
template <class Op>
[[nodiscard]] typename Op::Total reduce_strided_row(const typename Op::Element* x, Index size,
                                                    Index step, typename Op::Element parameter) {
  using Block = typename Op::Block;
  using Total = typename Op::Total;
  const auto p = static_cast<Block>(parameter);
  const auto element = [&](Index i) {
    return static_cast<Total>(Op::map(static_cast<Block>(x[i * step]), p));
  };
  std::array<Total, 4> totals;
  totals.fill(identity_of<Op>());
  Index i = 0;
  for (; i + 4 <= size; i += 4)
    for (std::size_t k = 0; k < 4; ++k)
      totals[k] = Op::combine(totals[k], element(i + static_cast<Index>(k)));
  for (; i < size; ++i) totals[0] = Op::combine(totals[0], element(i));
  return Op::combine(Op::combine(totals[0], totals[1]), Op::combine(totals[2], totals[3]));
}

template <class Op>
[[nodiscard]] inline typename Op::Total reduce_row(const typename Op::Element* x, Index size,
                                                   Index step, typename Op::Element parameter) {
  return step == 1 ? reduce_dense_row<Op>(x, size, parameter)
                   : reduce_strided_row<Op>(x, size, step, parameter);
}

/// Adds rows into a row of totals, a block of rows at a time.
template <class Op>
class ColumnAccumulator {
 public:
  using Element = typename Op::Element;
  using Block = typename Op::Block;
  using Total = typename Op::Total;

  /// `columns` <= column_tile results, `column_step` apart in the input; one parameter each.
  ColumnAccumulator(Index columns, Index column_step, const Element* parameters)
      : columns_(columns), column_step_(column_step) {
    if constexpr (Op::has_parameter)
      for (Index c = 0; c < columns; ++c) parameters_[at(c)] = static_cast<Block>(parameters[c]);
  }

  /// Adds `rows` rows that lie `row_step` apart.
  void add_rows(const Element* x, Index rows, Index row_step) {
    while (rows > 0) {
      const Index taken = std::min(rows, group * steps_per_block - rows_in_block_);
      if (column_step_ == 1)
        add_dense(x, taken, row_step);
      else
        add_strided(x, taken, row_step);
      x += taken * row_step;
      rows -= taken;
      if (rows_in_block_ == group * steps_per_block) flush();
    }
  }

  /// Calls `store(column, total)` for each column.
  template <class Store>
  void finish(Store&& store) {
    if (!has_totals_) {
      for (Index c = 0; c < columns_; ++c)
        store(c, rows_in_block_ == 0 ? identity_of<Op>() : static_cast<Total>(sums_[at(c)]));
      return;
    }
    if (rows_in_block_ > 0) flush();
    for (Index c = 0; c < columns_; ++c) store(c, totals_[at(c)]);
  }

 private:
  // Rows added to each other before they meet the accumulators.
  static constexpr Index group = 4;

  static std::size_t at(Index column) { return static_cast<std::size_t>(column); }

  [[nodiscard]] const Block* parameter([[maybe_unused]] Index column) const {
    if constexpr (Op::has_parameter)
      return parameters_.data() + column;
    else
      return nullptr;
  }

  template <class V>
  static V value(const Element* x, [[maybe_unused]] const Block* p) {
    if constexpr (std::is_arithmetic_v<V>) {
      return Op::map(static_cast<V>(*x), Op::has_parameter ? *p : V{});
    } else if constexpr (Op::has_parameter) {
      return Op::map(load<Block>(x), V::load_aligned(p));
    } else {
      return Op::map(load<Block>(x), V(Block{}));
    }
  }

  void add_dense(const Element* x, Index rows, Index row_step) {
    const auto add = [&](auto body) {
      const Index packed = columns_ / lanes<Block> * lanes<Block>;
      for (Index c = 0; c < packed; c += lanes<Block>) body(TypeTag<Pack<Block>>{}, c);
      for (Index c = packed; c < columns_; ++c) body(TypeTag<Block>{}, c);
    };
    for (Index taken = 0; rows > 0; x += taken * row_step, rows -= taken) {
      const bool is_first = rows_in_block_ == 0;
      taken = rows >= group ? group : 1;
      if (taken == group && is_first)
        add([&](auto tag, Index c) {
          write(c, four_rows<typename decltype(tag)::type>(x + c, row_step, parameter(c)));
        });
      else if (taken == group)
        add([&](auto tag, Index c) {
          include(c, four_rows<typename decltype(tag)::type>(x + c, row_step, parameter(c)));
        });
      else if (is_first)
        add([&](auto tag, Index c) {
          write(c, value<typename decltype(tag)::type>(x + c, parameter(c)));
        });
      else
        add([&](auto tag, Index c) {
          include(c, value<typename decltype(tag)::type>(x + c, parameter(c)));
        });
      rows_in_block_ += taken;
    }
  }

  void add_strided(const Element* x, Index rows, Index row_step) {
    for (; rows > 0; --rows, x += row_step, ++rows_in_block_) {
      for (Index c = 0; c < columns_; ++c) {
        const Block element = value<Block>(x + c * column_step_, parameter(c));
        if (rows_in_block_ == 0)
          write(c, element);
        else
          include(c, element);
      }
    }
  }

  template <class V>
  [[nodiscard]] static V four_rows(const Element* x, Index row_step, const Block* p) {
    const Element* x2 = x + 2 * row_step;
    return Op::combine(Op::combine(value<V>(x, p), value<V>(x + row_step, p)),
                       Op::combine(value<V>(x2, p), value<V>(x2 + row_step, p)));
  }

  template <class V>
  void write(Index column, V values) {
    if constexpr (std::is_arithmetic_v<V>)
      sums_[at(column)] = values;
    else
      values.store_aligned(sums_.data() + column);
  }

  template <class V>
  void include(Index column, V values) {
    if constexpr (std::is_arithmetic_v<V>)
      sums_[at(column)] = Op::combine(sums_[at(column)], values);
    else
      write(column, Op::combine(V::load_aligned(sums_.data() + column), values));
  }

  void flush() {
    for (Index c = 0; c < columns_; ++c)
      totals_[at(c)] = has_totals_ ? Op::combine(totals_[at(c)], static_cast<Total>(sums_[at(c)]))
                                   : static_cast<Total>(sums_[at(c)]);
    has_totals_ = true;
    rows_in_block_ = 0;
  }

  Index columns_;
  Index column_step_;
  Index rows_in_block_ = 0;
  bool has_totals_ = false;
  // Left uninitialised: written by the first row and the first flush.
  alignas(64) std::array<Block, static_cast<std::size_t>(column_tile)> sums_;
  alignas(64) std::array<Total, static_cast<std::size_t>(column_tile)> totals_;
  alignas(64)
      std::array<Block, static_cast<std::size_t>(Op::has_parameter ? column_tile : 0)> parameters_;
};

}  // namespace tensorette::kernels
