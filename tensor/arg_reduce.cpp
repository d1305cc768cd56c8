// argmax and argmin: the extreme element first, at memory speed, then where it stands.
#include <cmath>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/kernels/reduce_plan.hpp>
#include <tensorette/tensor/kernels/row_passes.hpp>
#include <tensorette/tensor/reduce.hpp>

namespace tensorette {
namespace {

template <class V>
auto is_match(V x, V wanted) {
  if constexpr (std::is_floating_point_v<V>)
    return x == wanted || (std::isnan(x) && std::isnan(wanted));
  else if constexpr (requires { requires std::is_floating_point_v<typename V::value_type>; })
    return (x == wanted) | (xsimd::isnan(x) & xsimd::isnan(wanted));
  else
    return x == wanted;
}

// Position of the first element of a dense row that is `wanted`, which is there.
template <class T>
Index first_match(const T* x, Index size, T wanted) {
  using Lanes = kernels::Pack<T>;
  const Lanes pattern(wanted);
  Index i = 0;
  while (i + kernels::lanes<T> <= size &&
         !xsimd::any(is_match(Lanes::load_unaligned(x + i), pattern)))
    i += kernels::lanes<T>;
  while (i + 1 < size && !is_match(x[i], wanted)) ++i;
  return i;
}

// Positions in [outer, size, inner] along the middle axis.
template <class T>
void first_matches(const T* x, const T* wanted, Index* position, Index outer, Index size,
                   Index inner) {
  const Index grain = std::max<Index>(1, kernels::elements_per_thread / (size * inner));
  kernels::parallel_for(outer, grain, [&](Index begin, Index end) {
    for (Index o = begin; o < end; ++o) {
      const T* from = x + o * size * inner;
      if (inner == 1) {
        position[o] = first_match(from, size, wanted[o]);
        continue;
      }
      // From the last row to the first, so that the first match stays.
      for (Index i = size; i-- > 0;)
        for (Index c = 0; c < inner; ++c)
          if (is_match(from[i * inner + c], wanted[o * inner + c])) position[o * inner + c] = i;
    }
  });
}

using Reduction = Tensor (*)(const Tensor&, const Axes&, KeepDims);

Tensor position_of_extreme(const char* operation, Reduction extreme, const Tensor& x,
                           std::optional<int> axis, KeepDims keepdims) {
  kernels::require_defined(operation, x);
  const Axes axes = axis ? Axes(*axis) : Axes::all();
  const auto reduction = kernels::check_reduction(operation, x, axes, keepdims);
  return kernels::dispatch_numeric(operation, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    kernels::require_elements(operation, x, reduction.plan);
    const Tensor extremes = extreme(x, axes, keepdims);
    Tensor positions(reduction.result, DType::i64);
    if (positions.element_count() == 0) return positions;
    const Tensor dense = x.contiguous();
    Index outer = 1;
    Index inner = 1;
    if (axis) {
      const int along = normalize_axis(operation, *axis, x.rank());
      for (int i = 0; i < along; ++i) outer *= x.shape()[i];
      for (int i = along + 1; i < x.rank(); ++i) inner *= x.shape()[i];
    }
    first_matches(dense.data<T>(), extremes.data<T>(), positions.mutable_data<Index>(), outer,
                  reduction.plan.reduced_count, inner);
    return positions;
  });
}

}  // namespace

Tensor argmax(const Tensor& x, std::optional<int> axis, KeepDims keepdims) {
  return position_of_extreme("argmax", max, x, axis, keepdims);
}

Tensor argmin(const Tensor& x, std::optional<int> axis, KeepDims keepdims) {
  return position_of_extreme("argmin", min, x, axis, keepdims);
}

}  // namespace tensorette
