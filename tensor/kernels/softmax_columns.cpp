// Softmax along an axis that is not the innermost: a tile of columns at a time, so that the four
// passes over it find it in the cache.
#include <cmath>
#include <limits>

#include <tensorette/tensor/kernels/reduce_rows.hpp>
#include <tensorette/tensor/kernels/row_passes.hpp>
#include <tensorette/tensor/kernels/softmax.hpp>

namespace tensorette::kernels {
namespace {

constexpr Index tile_width = 64;

template <class T>
using TileRow = std::array<T, static_cast<std::size_t>(tile_width)>;

// A tile: `size` rows of `columns` elements, `step` apart.
struct Tile {
  Index size;
  Index columns;
  Index step;
};

template <class T>
void largest_of_columns(const T* x, const Tile& tile, TileRow<T>& largest) {
  ColumnAccumulator<Largest<T>> accumulator(tile.columns, 1, nullptr);
  accumulator.add_rows(x, tile.size, tile.step);
  accumulator.finish([&](Index c, T value) { largest[static_cast<std::size_t>(c)] = value; });
}

// Σ exp(x − largest) down each column; exp(−∞ − 0) = 0 where all are −∞.
template <class T>
void total_of_columns(const T* x, const Tile& tile, const TileRow<T>& shifts,
                      TileRow<double>& totals) {
  ColumnAccumulator<LogSumExp<T>> accumulator(tile.columns, 1, shifts.data());
  accumulator.add_rows(x, tile.size, tile.step);
  accumulator.finish([&](Index c, double value) { totals[static_cast<std::size_t>(c)] = value; });
}

// y = exp(x − shift) · factor or, for logarithms, x − shift − factor.
template <class T, bool is_log>
void write_tile(const T* x, T* y, const Tile& tile, const TileRow<T>& shifts,
                const TileRow<T>& factors) {
  for (Index row = 0; row < tile.size; ++row, x += tile.step, y += tile.step) {
    for_each_pack<T>(tile.columns, [&](auto tag, Index c) {
      using V = typename decltype(tag)::type;
      const V shifted = load_at<V>(x + c) - load_at<V>(shifts.data() + c);
      const V factor = load_at<V>(factors.data() + c);
      if constexpr (is_log)
        store_at(y + c, shifted - factor);
      else
        store_at(y + c, exponential(shifted) * factor);
    });
  }
}

template <class T, bool is_log>
void softmax_tile(const T* x, T* y, const Tile& tile) {
  TileRow<T> shifts;
  TileRow<double> totals;
  TileRow<T> factors;
  largest_of_columns(x, tile, shifts);
  const auto columns = static_cast<std::size_t>(tile.columns);
  for (std::size_t c = 0; c < columns; ++c)
    if (shifts[c] == -std::numeric_limits<T>::infinity()) shifts[c] = 0;
  total_of_columns(x, tile, shifts, totals);
  for (std::size_t c = 0; c < columns; ++c) {
    if (totals[c] == 0)
      factors[c] = 0;  // all −∞: zeros, or −∞ as they are
    else
      factors[c] = static_cast<T>(is_log ? std::log(totals[c]) : 1 / totals[c]);
  }
  write_tile<T, is_log>(x, y, tile, shifts, factors);
}

template <class T, bool is_log>
void softmax_along_columns(const T* x, T* y, Index outer, Index size, Index inner) {
  const Index tiles = (inner + tile_width - 1) / tile_width;
  for_each_row(outer * tiles, size * std::min(inner, tile_width), elements_per_thread / 2,
               [&](Index job) {
                 const Index column = job % tiles * tile_width;
                 const Index first = job / tiles * size * inner + column;
                 const Tile tile{size, std::min(tile_width, inner - column), inner};
                 softmax_tile<T, is_log>(x + first, y + first, tile);
               });
}

}  // namespace

template <class T>
void softmax_columns(const T* x, T* y, Index outer, Index size, Index inner) {
  softmax_along_columns<T, false>(x, y, outer, size, inner);
}

template <class T>
void log_softmax_columns(const T* x, T* y, Index outer, Index size, Index inner) {
  softmax_along_columns<T, true>(x, y, outer, size, inner);
}

template void softmax_columns(const float*, float*, Index, Index, Index);
template void softmax_columns(const double*, double*, Index, Index, Index);
template void log_softmax_columns(const float*, float*, Index, Index, Index);
template void log_softmax_columns(const double*, double*, Index, Index, Index);

}  // namespace tensorette::kernels
