#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/kernels/reduce_operations.hpp>
#include <tensorette/tensor/reduce.hpp>

namespace tensorette {
namespace {

// Running sums along the middle axis of [outer, size, inner], the columns side by side.
template <class T>
void running_sums(const T* x, T* y, Index outer, Index size, Index inner) {
  constexpr Index tile = 64;
  const Index tiles = (inner + tile - 1) / tile;
  const Index grain =
      std::max<Index>(1, kernels::elements_per_thread / (size * std::min(inner, tile)));
  kernels::parallel_for(outer * tiles, grain, [&](Index begin, Index end) {
    for (Index job = begin; job < end; ++job) {
      const Index column = job % tiles * tile;
      const Index columns = std::min(tile, inner - column);
      std::array<kernels::TotalOf<T>, static_cast<std::size_t>(tile)> totals{};
      Index at = job / tiles * size * inner + column;
      for (Index i = 0; i < size; ++i, at += inner) {
        for (Index c = 0; c < columns; ++c) {
          auto& total = totals[static_cast<std::size_t>(c)];
          total += static_cast<kernels::TotalOf<T>>(x[at + c]);
          y[at + c] = static_cast<T>(total);
        }
      }
    }
  });
}

}  // namespace

Tensor cumsum(const Tensor& x, int axis) {
  kernels::require_defined("cumsum", x);
  const int along = normalize_axis("cumsum", axis, x.rank());
  const Tensor counted = x.dtype() == DType::boolean ? x.to(DType::i64) : x;
  return kernels::dispatch_numeric("cumsum", counted.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Tensor y(x.shape(), counted.dtype());
    if (y.element_count() == 0) return y;
    const Tensor dense = counted.contiguous();
    Index outer = 1;
    Index inner = 1;
    for (int i = 0; i < along; ++i) outer *= x.shape()[i];
    for (int i = along + 1; i < x.rank(); ++i) inner *= x.shape()[i];
    running_sums(dense.data<T>(), y.mutable_data<T>(), outer, x.shape()[along], inner);
    return y;
  });
}

}  // namespace tensorette
