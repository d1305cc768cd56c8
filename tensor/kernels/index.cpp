#include <algorithm>
#include <cstring>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/index.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/kernels/reduce_plan.hpp>

namespace tensorette::kernels {

void require_ids(const char* operation, const Tensor& ids) {
  require_defined(operation, ids);
  detail::require<DTypeError>(ids.dtype() == DType::i64, "{}: ids are i64, got {}", operation,
                              ids.dtype());
}

void check_ids(const char* operation, const Tensor& ids, Index size) {
  const Index* id = ids.data<Index>();
  const Index count = ids.element_count();
  // One comparison an id: a negative one is a large unsigned number.
  const auto limit = static_cast<std::uint64_t>(size);
  bool all_inside = true;
  for (Index i = 0; i < count; ++i) all_inside &= static_cast<std::uint64_t>(id[i]) < limit;
  if (all_inside) return;
  Index bad = 0;
  while (static_cast<std::uint64_t>(id[bad]) < limit) ++bad;
  Shape position = ids.shape();
  Index rest = bad;
  for (int axis = ids.rank() - 1; axis >= 0; --axis) {
    position[axis] = rest % ids.shape()[axis];
    rest /= ids.shape()[axis];
  }
  detail::fail<IndexError>("{}: id {} at position {} is outside [0, {})", operation, id[bad],
                           position, size);
}

void take_slices(const Tensor& x, int axis, const Index* ids, Index count, Tensor& y) {
  if (y.element_count() == 0) return;
  const Tensor dense = x.contiguous();
  Index outer = 1;
  Index inner = 1;
  for (int i = 0; i < axis; ++i) outer *= x.shape()[i];
  for (int i = axis + 1; i < x.rank(); ++i) inner *= x.shape()[i];
  const Index size = x.shape()[axis];
  dispatch_any(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = dense.data<T>();
    T* to = y.mutable_data<T>();
    const Index grain = std::max<Index>(1, elements_per_thread / inner);
    parallel_for(outer * count, grain, [&](Index begin, Index end) {
      for (Index slice = begin; slice < end; ++slice) {
        const Index source = slice / count * size + ids[slice % count];
        std::memcpy(to + slice * inner, from + source * inner,
                    static_cast<std::size_t>(inner) * sizeof(T));
      }
    });
  });
}

template <class T>
void add_rows(const T* updates, const Index* ids, Index count, Index width, T* sums) {
  // Threads share out the columns, a cache line each at least, and walk the ids in order.
  constexpr Index strip = 16;
  const Index strips = (width + strip - 1) / strip;
  const Index grain = std::max<Index>(1, elements_per_thread / (strip * std::max<Index>(count, 1)));
  parallel_for(strips, grain, [&](Index begin, Index end) {
    const Index first = begin * strip;
    const Index last = std::min(width, end * strip);
    for (Index i = 0; i < count; ++i) {
      const T* from = updates + i * width;
      T* to = sums + ids[i] * width;
      for (Index c = first; c < last; ++c) to[c] += from[c];
    }
  });
}

template void add_rows(const float*, const Index*, Index, Index, float*);
template void add_rows(const double*, const Index*, Index, Index, double*);
template void add_rows(const std::int64_t*, const Index*, Index, Index, std::int64_t*);

void gather_elements(const Tensor& x, int axis, const Tensor& ids, Tensor& y) {
  if (y.element_count() == 0) return;
  // Every loop but the chosen axis moves through x; through ids and y all of them do.
  LoopNest nest;
  const Strides dense = row_major_strides(ids.shape());
  for (int i = 0; i < ids.rank(); ++i)
    nest.push_back(ids.shape()[i], i == axis ? 0 : x.strides()[i], dense[i]);
  const Index axis_step = x.strides()[axis];
  const Index step = nest.inner_input();
  const Index* id = ids.data<Index>();
  dispatch_any(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    parallel_for(ids.element_count(), elements_per_thread, [&](Index begin, Index end) {
      for_each_run(nest, begin, end, [&](Index input, Index output, Index length) {
        for (Index i = 0; i < length; ++i)
          to[output + i] = from[input + i * step + id[output + i] * axis_step];
      });
    });
  });
}

template <class T>
void scatter_elements(const Tensor& source, int axis, const Tensor& ids, Tensor& y) {
  if (ids.element_count() == 0) return;
  // What meets in one place differs along the axis alone: that loop goes innermost, and threads
  // share out the others.
  LoopNest lines;
  Index line_step = 0;
  const Strides dense = row_major_strides(ids.shape());
  for (int i = 0; i < ids.rank(); ++i) {
    if (i == axis)
      line_step = dense[i];
    else
      lines.push_back(ids.shape()[i], dense[i], y.strides()[i]);
  }
  const Index length = ids.shape()[axis];
  const Index axis_step = y.strides()[axis];
  const Index from_step = lines.inner_input();
  const Index to_step = lines.inner_output();
  const Index* id = ids.data<Index>();
  const T* from = source.data<T>();
  T* to = y.mutable_data<T>();
  parallel_for(lines.count(), std::max<Index>(1, elements_per_thread / length),
               [&](Index begin, Index end) {
                 for_each_run(lines, begin, end, [&](Index input, Index output, Index count) {
                   for (Index i = 0; i < length; ++i)
                     for (Index line = 0; line < count; ++line) {
                       const Index at = input + line * from_step + i * line_step;
                       to[output + line * to_step + id[at] * axis_step] += from[at];
                     }
                 });
               });
}

template void scatter_elements<float>(const Tensor&, int, const Tensor&, Tensor&);
template void scatter_elements<double>(const Tensor&, int, const Tensor&, Tensor&);
template void scatter_elements<std::int64_t>(const Tensor&, int, const Tensor&, Tensor&);

}  // namespace tensorette::kernels
