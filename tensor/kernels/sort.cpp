#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/kernels/reduce_pack.hpp>
#include <tensorette/tensor/kernels/reduce_rows.hpp>
#include <tensorette/tensor/kernels/sort.hpp>

namespace tensorette::kernels {
namespace {

constexpr Index elements_per_job = 1024;  // sorting an element costs dozens of additions

template <class T>
bool is_less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a < b || (std::isnan(b) && !std::isnan(a));
  else
    return a < b;
}

// Does position a come before position b? The position decides between equals, so that no two
// are ever equal and any sorting algorithm is a stable one.
template <class T>
struct Ascending {
  const T* x;
  bool operator()(Index a, Index b) const {
    if (is_less(x[a], x[b])) return true;
    return !is_less(x[b], x[a]) && a < b;
  }
};

template <class T>
struct Descending {
  const T* x;
  bool operator()(Index a, Index b) const {
    if (is_less(x[b], x[a])) return true;
    return !is_less(x[a], x[b]) && a < b;
  }
};

// A float as an unsigned number of the same order: -0 joins 0, and every NaN is the largest.
std::uint32_t ordered_bits(float value) {
  if (std::isnan(value)) return std::numeric_limits<std::uint32_t>::max();
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}

// Keys and positions side by side in one number sort twice as fast as positions alone.
void sort_float_row(const float* x, Index* positions, Index size, Order order) {
  auto* entries = reinterpret_cast<std::uint64_t*>(positions);
  for (Index i = 0; i < size; ++i) {
    const std::uint32_t key = ordered_bits(x[i]);
    const std::uint64_t high = order == Order::ascending ? key : ~key;
    entries[i] = (high << 32) | static_cast<std::uint64_t>(i);
  }
  std::sort(entries, entries + size);
  for (Index i = 0; i < size; ++i) entries[i] &= 0xFFFFFFFFU;
}

template <class T>
void sort_row(const T* x, Index* positions, Index size, Order order) {
  if constexpr (std::is_same_v<T, float>) {
    if (size <= std::numeric_limits<std::uint32_t>::max())
      return sort_float_row(x, positions, size, order);
  }
  for (Index i = 0; i < size; ++i) positions[i] = i;
  if (order == Order::ascending)
    std::sort(positions, positions + size, Ascending<T>{x});
  else
    std::sort(positions, positions + size, Descending<T>{x});
}

// The first of the elements [from, size) that is larger than `bound` or NaN.
template <class T>
Index next_candidate(const T* x, Index from, Index size, T bound) {
  const Pack<T> bounds(bound);
  while (from + lanes<T> <= size) {
    const auto values = Pack<T>::load_unaligned(x + from);
    if (xsimd::any((values > bounds) | xsimd::isnan(values))) break;
    from += lanes<T>;
  }
  while (from < size && !is_less(bound, x[from])) ++from;
  return from;
}

// Keeps the k best so far in a heap with the worst on top; what follows a position loses ties.
template <class T>
void select_row(const T* x, Index* positions, Index size, Index k) {
  const Descending<T> before{x};
  for (Index i = 0; i < k; ++i) positions[i] = i;
  std::make_heap(positions, positions + k, before);
  for (Index i = next_candidate(x, k, size, x[positions[0]]); i < size;
       i = next_candidate(x, i + 1, size, x[positions[0]])) {
    std::pop_heap(positions, positions + k, before);
    positions[k - 1] = i;
    std::push_heap(positions, positions + k, before);
  }
  std::sort_heap(positions, positions + k, before);
}

}  // namespace

template <class T>
void sort_rows(const T* x, T* values, Index* positions, Index rows, Index size, Order order) {
  const Index grain = std::max<Index>(1, elements_per_job / size);
  parallel_for(rows, grain, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index first = row * size;
      sort_row(x + first, positions + first, size, order);
      for (Index i = 0; i < size; ++i) values[first + i] = x[first + positions[first + i]];
    }
  });
}

template <class T>
void topk_rows(const T* x, T* values, Index* positions, Index rows, Index size, Index k) {
  const Index grain = std::max<Index>(1, elements_per_thread / size);
  parallel_for(rows, grain, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      Index* best = positions + row * k;
      select_row(x + row * size, best, size, k);
      for (Index i = 0; i < k; ++i) values[row * k + i] = x[row * size + best[i]];
    }
  });
}

template <class T>
void log_softmax_topk_rows(const T* x, T* values, Index* positions, Index rows, Index size,
                           Index k) {
  const Index grain = std::max<Index>(1, elements_per_thread / 2 / size);
  parallel_for(rows, grain, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const T* scores = x + row * size;
      Index* best = positions + row * k;
      T* result = values + row * k;
      select_row(scores, best, size, k);
      const T largest = scores[best[0]];
      if (largest == -std::numeric_limits<T>::infinity()) {
        std::fill_n(result, k, largest);
        continue;
      }
      const auto log_total =
          static_cast<T>(std::log(reduce_dense_row<LogSumExp<T>>(scores, size, largest)));
      for (Index i = 0; i < k; ++i) result[i] = scores[best[i]] - largest - log_total;
    }
  });
}

template void sort_rows(const float*, float*, Index*, Index, Index, Order);
template void sort_rows(const double*, double*, Index*, Index, Index, Order);
template void sort_rows(const std::int64_t*, std::int64_t*, Index*, Index, Index, Order);
template void topk_rows(const float*, float*, Index*, Index, Index, Index);
template void topk_rows(const double*, double*, Index*, Index, Index, Index);
template void topk_rows(const std::int64_t*, std::int64_t*, Index*, Index, Index, Index);

template void log_softmax_topk_rows(const float*, float*, Index*, Index, Index, Index);
template void log_softmax_topk_rows(const double*, double*, Index*, Index, Index, Index);

}  // namespace tensorette::kernels
