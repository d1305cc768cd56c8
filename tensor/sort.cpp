#include <algorithm>
#include <numeric>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/lanes.hpp>
#include <vector>

namespace tensorette {
namespace {

using kernels::is_less;
using kernels::RowsAlongAxis;

// The first `kept` positions of each row in the given order, ties in order of position.
ValuesAndIndices ordered(const char* operation, const Tensor& x, int axis, Index kept,
                         Order order) {
  Shape shape = x.shape();
  shape[axis] = kept;
  ValuesAndIndices result{Tensor(shape, x.dtype()), Tensor(shape, DType::i64)};
  const Tensor dense = x.contiguous();
  const RowsAlongAxis from(x.shape(), axis);
  const RowsAlongAxis to(shape, axis);
  kernels::dispatch_numeric(operation, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = dense.data<T>();
    T* values = result.values.mutable_data<T>();
    Index* indices = result.indices.mutable_data<Index>();
    std::vector<Index> positions(static_cast<std::size_t>(from.size));
    for (Index row = 0; row < (kept > 0 ? from.rows : 0); ++row) {
      const T* first = source + from.start(row);
      const auto comes_first = [&](Index a, Index b) {
        const T left = first[a * from.step];
        const T right = first[b * from.step];
        if (is_less(left, right)) return order == Order::ascending;
        if (is_less(right, left)) return order == Order::descending;
        return a < b;
      };
      std::iota(positions.begin(), positions.end(), Index{0});
      std::partial_sort(positions.begin(), positions.begin() + kept, positions.end(), comes_first);
      const Index start = to.start(row);
      for (Index i = 0; i < kept; ++i) {
        const Index position = positions[static_cast<std::size_t>(i)];
        values[start + i * to.step] = first[position * from.step];
        indices[start + i * to.step] = position;
      }
    }
  });
  return result;
}

}  // namespace

ValuesAndIndices topk(const Tensor& x, Index k, int axis) {
  kernels::require_defined("topk", x);
  const int chosen = normalize_axis("topk", axis, x.rank());
  detail::require(k >= 0 && k <= x.shape()[chosen], "topk: k = {} of {} elements (axis {} of {})",
                  k, x.shape()[chosen], chosen, x.shape());
  return ordered("topk", x, chosen, k, Order::descending);
}

ValuesAndIndices sort(const Tensor& x, int axis, Order order) {
  kernels::require_defined("sort", x);
  const int chosen = normalize_axis("sort", axis, x.rank());
  return ordered("sort", x, chosen, x.shape()[chosen], order);
}

}  // namespace tensorette
