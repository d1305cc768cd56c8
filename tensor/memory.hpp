/// \file
/// Memory of tensors: a caching allocator, so that a training loop in steady state asks the
/// system for nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tensorette::memory {

/// What the allocator holds at this moment, over all threads.
struct Statistics {
  std::int64_t live_bytes;          ///< in use by tensors and graph nodes
  std::int64_t cached_bytes;        ///< freed, kept for the next tensor of that size
  std::int64_t peak_live_bytes;     ///< highest live_bytes since reset_peak()
  std::int64_t system_allocations;  ///< how often the system was asked, since the start
};
[[nodiscard]] Statistics statistics() noexcept;

/// Starts a new measurement of the peak at the present live_bytes.
void reset_peak() noexcept;

/// Gives cached blocks of the calling thread and the shared cache back to the system.
void trim() noexcept;

/// Most bytes that the cache keeps before it gives blocks back; default 4 GiB.
void set_cache_limit(std::int64_t bytes) noexcept;

/// A block of at least `bytes` bytes, aligned to 64 bytes. \throws std::bad_alloc
[[nodiscard]] void* allocate(std::size_t bytes);
/// Gives a block back; `bytes` as asked for.
void deallocate(void* block, std::size_t bytes) noexcept;

}  // namespace tensorette::memory
