// A caching allocator. On virtual machines the first touch of a page costs far more than the work
// done on it, so freed blocks are kept, by size class, for the next tensor of that size: small
// ones in the thread that freed them, large ones in a cache shared by all threads.
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <tensorette/tensor/memory.hpp>
#include <utility>

namespace tensorette::memory {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool caching = false;  // the sanitizer must see each block come and go
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool caching = false;
#else
constexpr bool caching = true;
#endif
#else
constexpr bool caching = true;
#endif

constexpr std::size_t alignment = 64;
constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::size_t linear_limit = 1024;  // below: classes 64 bytes apart; above: 4 per octave
constexpr std::size_t linear_classes = linear_limit / alignment;
constexpr std::size_t class_count = linear_classes + 4 * 40;
constexpr std::size_t largest_block = std::size_t{1} << 47;  // a process can't address more
constexpr std::size_t shared_from = std::size_t{1} << 20;
constexpr std::int64_t thread_limit = std::int64_t{1} << 28;
constexpr std::int64_t report_step = std::int64_t{1} << 16;

struct SizeClass {
  std::size_t index;
  std::size_t bytes;
};

SizeClass size_class(std::size_t bytes) noexcept {
  if (bytes <= linear_limit) {
    const std::size_t units = bytes == 0 ? 1 : (bytes + alignment - 1) / alignment;
    return {units - 1, units * alignment};
  }
  const auto octave = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 1;
  const std::size_t base = std::size_t{1} << octave;
  const std::size_t step = base / 4;
  const std::size_t quarter = (bytes - base + step - 1) / step;
  return {linear_classes + (octave - 10) * 4 + (quarter - 1), base + quarter * step};
}

std::atomic<std::int64_t> live{0};
std::atomic<std::int64_t> peak{0};
std::atomic<std::int64_t> cached{0};
std::atomic<std::int64_t> asked{0};
std::atomic<std::int64_t> cache_limit{std::int64_t{1} << 32};

void report_live(std::int64_t change) noexcept {
  const std::int64_t now = live.fetch_add(change, std::memory_order_relaxed) + change;
  std::int64_t highest = peak.load(std::memory_order_relaxed);
  while (now > highest && !peak.compare_exchange_weak(highest, now, std::memory_order_relaxed)) {
  }
}

void* system_allocate(std::size_t bytes) {
  asked.fetch_add(1, std::memory_order_relaxed);
  const bool huge = bytes >= huge_page;
  void* block = std::aligned_alloc(huge ? huge_page : alignment,
                                   huge ? (bytes + huge_page - 1) & ~(huge_page - 1) : bytes);
  if (block == nullptr) {
    trim();
    throw std::bad_alloc();
  }
#ifdef MADV_HUGEPAGE
  if (huge) madvise(block, bytes, MADV_HUGEPAGE);
#endif
  return block;
}

struct FreeBlock {
  FreeBlock* next;
};

class FreeLists {
 public:
  void* take(const SizeClass& wanted) noexcept {
    FreeBlock*& head = heads_[wanted.index];
    FreeBlock* block = head;
    if (block == nullptr) return nullptr;
    head = block->next;
    return block;
  }
  void keep(const SizeClass& size, void* memory) noexcept {
    FreeBlock*& head = heads_[size.index];
    head = ::new (memory) FreeBlock{head};
  }
  void free_all() noexcept {
    for (FreeBlock*& head : heads_) {
      while (head != nullptr) std::free(std::exchange(head, head->next));
    }
  }

 private:
  std::array<FreeBlock*, class_count> heads_{};
};

struct SharedCache {
  std::mutex mutex;
  FreeLists lists;
  std::int64_t bytes = 0;
};

SharedCache& shared_cache() {
  // Never destroyed: tensors with static storage may be freed after any destructor of ours.
  static auto* cache = new SharedCache;
  return *cache;
}

struct ThreadCache {
  FreeLists lists;
  std::int64_t bytes = 0;
  std::int64_t reported_bytes = 0;
  std::int64_t unreported_live = 0;

  // Counts go to the shared counters in steps: a locked instruction an allocation would cost more
  // than the allocation.
  void count(std::int64_t change) noexcept {
    unreported_live += change;
    if (unreported_live > report_step || unreported_live < -report_step) report();
  }
  void report() noexcept {
    report_live(std::exchange(unreported_live, 0));
    cached.fetch_add(bytes - std::exchange(reported_bytes, bytes), std::memory_order_relaxed);
  }
  void trim() noexcept {
    lists.free_all();
    bytes = 0;
    report();
  }
};

// A thread's cache may be gone while its last tensors still live; this flag needs no destructor.
thread_local bool thread_cache_gone = false;

struct ThreadCacheOwner {
  ThreadCache cache;
  ~ThreadCacheOwner() {
    thread_cache_gone = true;
    cache.trim();
  }
};

ThreadCache* thread_cache() noexcept {
  if (thread_cache_gone) return nullptr;
  thread_local ThreadCacheOwner owner;
  return &owner.cache;
}

void* take_shared(const SizeClass& wanted) {
  SharedCache& shared = shared_cache();
  const std::lock_guard lock(shared.mutex);
  void* block = shared.lists.take(wanted);
  if (block != nullptr) {
    shared.bytes -= static_cast<std::int64_t>(wanted.bytes);
    cached.fetch_sub(static_cast<std::int64_t>(wanted.bytes), std::memory_order_relaxed);
  }
  return block;
}

bool keep_shared(const SizeClass& size, void* block) {
  const auto bytes = static_cast<std::int64_t>(size.bytes);
  if (cached.load(std::memory_order_relaxed) + bytes > cache_limit.load(std::memory_order_relaxed))
    return false;
  SharedCache& shared = shared_cache();
  const std::lock_guard lock(shared.mutex);
  shared.lists.keep(size, block);
  shared.bytes += bytes;
  cached.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (bytes > largest_block) throw std::bad_alloc();
  const SizeClass wanted = size_class(bytes);
  const auto size = static_cast<std::int64_t>(wanted.bytes);
  ThreadCache* mine = thread_cache();
  void* block = nullptr;
  if (caching && wanted.bytes >= shared_from) {
    block = take_shared(wanted);
  } else if (caching && mine != nullptr) {
    block = mine->lists.take(wanted);
    if (block != nullptr) mine->bytes -= size;
  }
  if (block == nullptr) block = system_allocate(wanted.bytes);
  if (mine != nullptr) {
    mine->count(size);
  } else {
    report_live(size);
  }
  return block;
}

void deallocate(void* block, std::size_t bytes) noexcept {
  const SizeClass given = size_class(bytes);
  const auto size = static_cast<std::int64_t>(given.bytes);
  ThreadCache* mine = thread_cache();
  if (mine != nullptr) {
    mine->count(-size);
  } else {
    report_live(-size);
  }
  if (caching && given.bytes >= shared_from) {
    if (keep_shared(given, block)) return;
  } else if (caching && mine != nullptr) {
    // A full cache holds what is not wanted any more: it begins anew.
    if (mine->bytes + size > thread_limit) mine->trim();
    mine->lists.keep(given, block);
    mine->bytes += size;
    return;
  }
  std::free(block);
}

Statistics statistics() noexcept {
  if (ThreadCache* mine = thread_cache()) mine->report();
  return {.live_bytes = live.load(std::memory_order_relaxed),
          .cached_bytes = cached.load(std::memory_order_relaxed),
          .peak_live_bytes = peak.load(std::memory_order_relaxed),
          .system_allocations = asked.load(std::memory_order_relaxed)};
}

void reset_peak() noexcept {
  if (ThreadCache* mine = thread_cache()) mine->report();
  peak.store(live.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void trim() noexcept {
  if (ThreadCache* mine = thread_cache()) mine->trim();
  SharedCache& shared = shared_cache();
  const std::lock_guard lock(shared.mutex);
  shared.lists.free_all();
  cached.fetch_sub(std::exchange(shared.bytes, 0), std::memory_order_relaxed);
}

void set_cache_limit(std::int64_t bytes) noexcept {
  cache_limit.store(bytes, std::memory_order_relaxed);
}

}  // namespace tensorette::memory
