#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/lanes.hpp>
#include <tensorette/tensor/reduce.hpp>

namespace tensorette {

Tensor cumsum(const Tensor& x, int axis) {
  kernels::require_defined("cumsum", x);
  const int chosen = normalize_axis("cumsum", axis, x.rank());
  const Tensor dense = x.contiguous();
  Tensor y(x.shape(), x.dtype());
  const kernels::RowsAlongAxis along(x.shape(), chosen);
  kernels::dispatch_numeric("cumsum", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    // A long f32 row is added up in double, so that its end is as exact as its beginning.
    using Total = std::conditional_t<std::is_same_v<T, float>, double, T>;
    const T* source = dense.data<T>();
    T* target = y.mutable_data<T>();
    for (Index row = 0; row < along.rows; ++row) {
      Total total = 0;
      Index at = along.start(row);
      for (Index i = 0; i < along.size; ++i, at += along.step) {
        total += static_cast<Total>(source[at]);
        target[at] = static_cast<T>(total);
      }
    }
  });
  return y;
}

}  // namespace tensorette
