#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <array>
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

#ifdef _OPENMP
/// Parts of a loop that one thread does first, near in memory to what it did in the loop before.
/// Who is done with his share helps with the others': cores are not equally fast at every moment,
/// least of all where other programs run on them.
struct alignas(64) Share {
  std::atomic<Index> next;
  Index end;
};
constexpr Index most_shares = 128;
constexpr Index parts_of_a_share = 4;
#endif

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
  grain = std::max<Index>(grain, 1);
  const Index threads = std::min<Index>({num_threads(), most_shares, (count + grain - 1) / grain});
  if (threads > 1 && omp_in_parallel() == 0) {
    const Index parts = threads * std::clamp<Index>(count / (grain * threads), 1, parts_of_a_share);
    const Index length = (count + parts - 1) / parts;
    std::array<Share, most_shares> shares;
    for (Index i = 0; i < threads; ++i) {
      shares[static_cast<std::size_t>(i)].next.store(i * parts / threads);
      shares[static_cast<std::size_t>(i)].end = (i + 1) * parts / threads;
    }
#pragma omp parallel num_threads(static_cast <int>(threads))
    for (Index i = 0; i < threads; ++i) {
      Share& share = shares[static_cast<std::size_t>((omp_get_thread_num() + i) % threads)];
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const Index part = share.next.fetch_add(1, std::memory_order_relaxed);
        const Index begin = std::min(count, part * length);
        const Index end = std::min(count, begin + length);
        if (part < share.end && begin < end) body(context, begin, end);
      }
    }
    return;
  }
#endif
  (void)grain;
  if (count > 0) body(context, 0, count);
}

}  // namespace tensorette
