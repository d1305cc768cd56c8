#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/lanes.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette {
namespace {

using kernels::is_less;
using kernels::RowsAlongAxis;

// The first position in each row that no other element beats.
template <class Beats>
Tensor first_best(const char* operation, const Tensor& x, std::optional<int> axis,
                  KeepDims keepdims, Beats&& beats) {
  kernels::require_defined(operation, x);
  detail::require(x.element_count() > 0, "{}: nothing to choose from in shape {}", operation,
                  x.shape());
  const Tensor dense = x.contiguous();
  const Tensor rows = axis ? dense : reshape(dense, {-1});
  const int chosen = normalize_axis(operation, axis.value_or(0), rows.rank());
  const RowsAlongAxis along(rows.shape(), chosen);
  const Axes reduced = axis ? Axes(chosen) : Axes::all();
  Tensor y(reduced_shape(operation, x.shape(), reduced, keepdims), DType::i64);
  kernels::dispatch_any(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = rows.data<T>();
    Index* positions = y.mutable_data<Index>();
    for (Index row = 0; row < along.rows; ++row) {
      const T* first = source + along.start(row);
      Index best = 0;
      for (Index i = 1; i < along.size; ++i) {
        if (beats(first[i * along.step], first[best * along.step])) best = i;
      }
      positions[row] = best;
    }
  });
  return y;
}

}  // namespace

Tensor argmax(const Tensor& x, std::optional<int> axis, KeepDims keepdims) {
  return first_best("argmax", x, axis, keepdims, [](auto a, auto b) { return is_less(b, a); });
}

Tensor argmin(const Tensor& x, std::optional<int> axis, KeepDims keepdims) {
  // As in NumPy a NaN is what argmin finds, too.
  return first_best("argmin", x, axis, keepdims, [](auto a, auto b) {
    if constexpr (std::is_floating_point_v<decltype(a)>) {
      if (std::isnan(b)) return false;
      if (std::isnan(a)) return true;
    }
    return a < b;
  });
}

}  // namespace tensorette
