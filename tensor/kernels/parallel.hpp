// Splitting work over threads. Included by kernels only.
#pragma once

#include <tensorette/tensor/parallel.hpp>
#include <tensorette/tensor/shape.hpp>
#include <type_traits>

namespace tensorette::kernels {

/// Runs `body(begin, end)` over parts of [0, count), a few for each thread and none much shorter
/// than `grain`: one part where count <= grain or when already inside a parallel region. Which
/// thread runs a part, and in which order, is not fixed. Exceptions must not leave `body`.
void parallel_run(Index count, Index grain, void (*body)(void*, Index, Index), void* context);

template <class Body>
void parallel_for(Index count, Index grain, Body&& body) {
  if (count <= grain) {
    if (count > 0) body(Index{0}, count);
    return;
  }
  using Plain = std::remove_reference_t<Body>;
  parallel_run(
      count, grain,
      [](void* context, Index begin, Index end) { (*static_cast<Plain*>(context))(begin, end); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

/// Number of cheap element operations below which a second thread costs more than it brings.
inline constexpr Index elements_per_thread = 16384;

}  // namespace tensorette::kernels
