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

// `rows` serves where the axis is the last, `columns` elsewhere.
template <class Rows, class Columns>
Tensor along_axis(const char* operation, const Tensor& x, int axis, Rows rows, Columns columns) {
  kernels::require_defined(operation, x);
  const int along = normalize_axis(operation, axis, x.rank());
  return kernels::dispatch_floating(operation, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Tensor y(x.shape(), x.dtype());
    if (y.element_count() == 0) return y;
    const Tensor dense = x.contiguous();
    const Split split = split_at(x.shape(), along);
    if (split.inner == 1)
      rows(dense.data<T>(), y.mutable_data<T>(), split.outer, split.size);
    else
      columns(dense.data<T>(), y.mutable_data<T>(), split.outer, split.size, split.inner);
    return y;
  });
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) {
  return along_axis(
      "softmax", x, axis, [](auto... arguments) { kernels::softmax_rows(arguments...); },
      [](auto... arguments) { kernels::softmax_columns(arguments...); });
}

Tensor log_softmax(const Tensor& x, int axis) {
  return along_axis(
      "log_softmax", x, axis, [](auto... arguments) { kernels::log_softmax_rows(arguments...); },
      [](auto... arguments) { kernels::log_softmax_columns(arguments...); });
}

}  // namespace tensorette
