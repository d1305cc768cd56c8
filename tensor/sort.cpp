#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/sort.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette {
namespace {

// x with `axis` swapped to the end, dense; the same swap moves results back.
Tensor rows_along(const Tensor& x, int axis) {
  return transpose(x, axis, -1).contiguous();
}

Tensor moved_back(const Tensor& rows, int axis) {
  return transpose(rows, axis, -1).contiguous();
}

}  // namespace

ValuesAndIndices topk(const Tensor& x, Index k, int axis) {
  kernels::require_defined("topk", x);
  const int along = normalize_axis("topk", axis, x.rank());
  const Index size = x.shape()[along];
  detail::require(k >= 0 && k <= size, "topk: {} of {} elements asked for (shape {}, axis {})", k,
                  size, x.shape(), along);
  return kernels::dispatch_numeric("topk", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Tensor rows = rows_along(x, along);
    Shape shape = rows.shape();
    shape[x.rank() - 1] = k;
    ValuesAndIndices best{Tensor(shape, x.dtype()), Tensor(shape, DType::i64)};
    if (best.values.element_count() > 0)
      kernels::topk_rows(rows.data<T>(), best.values.mutable_data<T>(),
                         best.indices.mutable_data<Index>(), rows.element_count() / size, size, k);
    return ValuesAndIndices{moved_back(best.values, along), moved_back(best.indices, along)};
  });
}

ValuesAndIndices log_softmax_topk(const Tensor& x, Index k) {
  kernels::require_defined("log_softmax_topk", x);
  const int last = normalize_axis("log_softmax_topk", -1, x.rank());
  const Index size = x.shape()[last];
  detail::require(k >= 0 && k <= size,
                  "log_softmax_topk: {} of {} elements asked for (shape {}, axis {})", k, size,
                  x.shape(), last);
  return kernels::dispatch_floating("log_softmax_topk", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Tensor rows = x.contiguous();
    Shape shape = x.shape();
    shape[last] = k;
    ValuesAndIndices best{Tensor(shape, x.dtype()), Tensor(shape, DType::i64)};
    if (best.values.element_count() > 0)
      kernels::log_softmax_topk_rows(rows.data<T>(), best.values.mutable_data<T>(),
                                     best.indices.mutable_data<Index>(),
                                     rows.element_count() / size, size, k);
    return best;
  });
}

ValuesAndIndices sort(const Tensor& x, int axis, Order order) {
  kernels::require_defined("sort", x);
  const int along = normalize_axis("sort", axis, x.rank());
  return kernels::dispatch_numeric("sort", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Tensor rows = rows_along(x, along);
    ValuesAndIndices sorted{Tensor(rows.shape(), x.dtype()), Tensor(rows.shape(), DType::i64)};
    const Index size = x.shape()[along];
    if (rows.element_count() > 0)
      kernels::sort_rows(rows.data<T>(), sorted.values.mutable_data<T>(),
                         sorted.indices.mutable_data<Index>(), rows.element_count() / size, size,
                         order);
    return ValuesAndIndices{moved_back(sorted.values, along), moved_back(sorted.indices, along)};
  });
}

}  // namespace tensorette
