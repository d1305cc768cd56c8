// One pass over a dense row: the loops that softmax and the norms are made of.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/kernels/reduce_pack.hpp>

namespace tensorette::kernels {

/// One element, or as many as V holds.
template <class V, class T>
[[nodiscard]] inline V load_at(const T* from) {
  if constexpr (std::is_arithmetic_v<V>)
    return *from;
  else
    return V::load_unaligned(from);
}

template <class V, class T>
inline void store_at(T* to, V values) {
  if constexpr (std::is_arithmetic_v<V>)
    *to = values;
  else
    values.store_unaligned(to);
}

/// Calls `body(TypeTag<V>{}, i)` along a row, with V = Pack<T> as long as there are enough
/// elements, then with V = T.
template <class T, class Body>
inline void for_each_pack(Index size, Body&& body) {
  Index i = 0;
  for (; i + lanes<T> <= size; i += lanes<T>) body(TypeTag<Pack<T>>{}, i);
  for (; i < size; ++i) body(TypeTag<T>{}, i);
}

template <class T>
[[nodiscard]] inline double sum_of_lanes(const Pack<T>& pack) {
  alignas(64) std::array<T, static_cast<std::size_t>(lanes<T>)> lane;
  pack.store_aligned(lane.data());
  std::array<double, lane.size()> sums;
  std::copy(lane.begin(), lane.end(), sums.begin());
  for (std::size_t half = lane.size() / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  return sums[0];
}

/// Σ term(TypeTag<V>{}, i) along a row; blocks of at most 64 terms a lane meet in double.
template <class T, class Term>
[[nodiscard]] inline double sum_of_terms(Index size, Term&& term) {
  constexpr TypeTag<Pack<T>> pack;
  constexpr Index block = 128 * lanes<T>;
  double total = 0;
  Index i = 0;
  while (size - i >= lanes<T>) {
    const Index stop = std::min(size, i + block);
    Pack<T> even = term(pack, i);
    Pack<T> odd(T{});
    for (i += lanes<T>; i + 2 * lanes<T> <= stop; i += 2 * lanes<T>) {
      odd += term(pack, i);
      even += term(pack, i + lanes<T>);
    }
    if (i + lanes<T> <= stop) {
      odd += term(pack, i);
      i += lanes<T>;
    }
    total += sum_of_lanes<T>(even + odd);
  }
  for (; i < size; ++i) total += static_cast<double>(term(TypeTag<T>{}, i));
  return total;
}

/// The largest of the numbers of a row, −∞ for none. NaN is passed over: who needs to know of it
/// meets it again on the next pass, and looking out for it here would take three times as long.
template <class T>
[[nodiscard]] inline T largest_number(const T* x, Index size) {
  T largest = -std::numeric_limits<T>::infinity();
  const auto pack_at = [x](Index i) { return load<T>(x + i); };
  Index i = 0;
  if (size >= lanes<T>) {
    std::array<Pack<T>, 4> packs;
    packs.fill(Pack<T>(largest));
    // Where one of the two is NaN, max gives the second.
    for (; i + 4 * lanes<T> <= size; i += 4 * lanes<T>)
      for (std::size_t k = 0; k < 4; ++k)
        packs[k] = xsimd::max(pack_at(i + static_cast<Index>(k) * lanes<T>), packs[k]);
    for (; i + lanes<T> <= size; i += lanes<T>) packs[0] = xsimd::max(pack_at(i), packs[0]);
    alignas(64) std::array<T, static_cast<std::size_t>(lanes<T>)> lane;
    xsimd::max(xsimd::max(packs[0], packs[1]), xsimd::max(packs[2], packs[3]))
        .store_aligned(lane.data());
    for (std::size_t half = lane.size() / 2; half > 0; half /= 2)
      for (std::size_t k = 0; k < half; ++k) lane[k] = std::max(lane[k], lane[k + half]);
    largest = lane[0];
  }
  for (; i < size; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

/// All elements of a row are −∞; `largest` is its largest number, which is that of a row of NaN
/// too.
template <class T>
[[nodiscard]] inline bool is_hidden(const T* x, Index size, T largest) {
  constexpr T hidden = -std::numeric_limits<T>::infinity();
  return largest == hidden && std::all_of(x, x + size, [](T element) { return element == hidden; });
}

/// y = exp(x − shift) along a row whose largest element is `shift`, and its sum; 0 where the result
/// would be denormal or nearly so. The last elements take the same path as the others, so that a
/// value does not depend on its place.
template <class T>
inline double exponentials(const T* x, T shift, T* y, Index size) {
  const Pack<T> shifts(shift);
  const Index packed = size / lanes<T> * lanes<T>;
  double total = sum_of_terms<T>(packed, [=](auto tag, Index i) {
    using V = typename decltype(tag)::type;
    if constexpr (std::is_arithmetic_v<V>) {
      return V{};  // not reached: there are whole packs only
    } else {
      const V value = math::exp_or_zero<T>(V::load_unaligned(x + i) - shifts);
      value.store_unaligned(y + i);
      return value;
    }
  });
  if (packed == size) return total;
  alignas(64) std::array<T, static_cast<std::size_t>(lanes<T>)> rest;
  rest.fill(shift);
  std::copy(x + packed, x + size, rest.begin());
  math::exp_or_zero<T>(Pack<T>::load_aligned(rest.data()) - shifts).store_aligned(rest.data());
  for (Index i = packed; i < size; ++i) {
    y[i] = rest[static_cast<std::size_t>(i - packed)];
    total += static_cast<double>(y[i]);
  }
  return total;
}

/// Calls `body(row)` for all rows, on several threads where there is enough to do.
template <class Body>
inline void for_each_row(Index rows, Index width, Index elements_per_job, Body&& body) {
  const Index grain = std::max<Index>(1, elements_per_job / std::max<Index>(width, 1));
  parallel_for(rows, grain, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) body(row);
  });
}

}  // namespace tensorette::kernels
