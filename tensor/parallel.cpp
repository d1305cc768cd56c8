#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <atomic>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>

namespace tensorette {
namespace {

std::atomic<int> chosen_threads{0};  // 0: the default

int default_threads() noexcept {
#ifdef _OPENMP
  static const int threads = omp_get_max_threads();
  return threads;
#else
  return 1;
#endif
}

}  // namespace

int num_threads() noexcept {
  const int chosen = chosen_threads.load(std::memory_order_relaxed);
  return chosen > 0 ? chosen : default_threads();
}

void set_num_threads(int count) {
  detail::require<Error>(count >= 0, "set_num_threads: a negative count: {}", count);
  chosen_threads.store(count, std::memory_order_relaxed);
}

void kernels::parallel_run(Index count, Index grain, void (*body)(void*, Index, Index),
                           void* context) {
#ifdef _OPENMP
  const Index parts =
      std::min<Index>(num_threads(), (count + grain - 1) / std::max<Index>(grain, 1));
  if (parts > 1 && omp_in_parallel() == 0) {
    const Index length = (count + parts - 1) / parts;
#pragma omp parallel num_threads(static_cast <int>(parts))
    {
      // The runtime may give fewer threads than asked for: each takes every n-th part.
      for (Index part = omp_get_thread_num(); part < parts; part += omp_get_num_threads()) {
        const Index begin = std::min(count, part * length);
        const Index end = std::min(count, begin + length);
        if (begin < end) body(context, begin, end);
      }
    }
    return;
  }
#endif
  (void)grain;
  if (count > 0) body(context, 0, count);
}

}  // namespace tensorette
