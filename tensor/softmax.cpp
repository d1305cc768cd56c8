#include <tensorette/tensor/reduce.hpp>

#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/softmax.hpp>

namespace tensorette {
namespace {

// The sizes before, along and after an axis.
struct Split {
  Index outer = 1;
  Index size = 1;
  Index inner = 1;
};

Split split_at(const Shape& shape, int axis) {
  Split split;
  for (int i = 0; i < axis; ++i) split.outer *= shape[i];
  split.size = shape[axis];
  for (int i = axis + 1; i < shape.rank(); ++i) split.inner *= shape[i];
  return split;
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) {
  kernels::require_defined("softmax", x);
  const int along = normalize_axis("softmax", axis, x.rank());
  return kernels::dispatch_floating("softmax", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Tensor y(x.shape(), x.dtype());
    if (y.element_count() == 0) return y;
    const Tensor dense = x.contiguous();
    const Split split = split_at(x.shape(), along);
    if (split.inner == 1)
      kernels::softmax_rows(dense.data<T>(), y.mutable_data<T>(), split.outer, split.size);
    else
      kernels::softmax_columns(dense.data<T>(), y.mutable_data<T>(), split.outer, split.size,
                               split.inner);
    return y;
  });
}

Tensor log_softmax(const Tensor& x, int axis) {
  kernels::require_defined("log_softmax", x);
  const int along = normalize_axis("log_softmax", axis, x.rank());
  return kernels::dispatch_floating("log_softmax", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Tensor y(x.shape(), x.dtype());
    if (y.element_count() == 0) return y;
    const Tensor dense = x.contiguous();
    const Split split = split_at(x.shape(), along);
    if (split.inner == 1)
      kernels::log_softmax_rows(dense.data<T>(), y.mutable_data<T>(), split.outer, split.size);
    else
      kernels::log_softmax_columns(dense.data<T>(), y.mutable_data<T>(), split.outer, split.size,
                                   split.inner);
    return y;
  });
}

}  // namespace tensorette
