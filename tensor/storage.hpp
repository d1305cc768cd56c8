/// \file
/// The memory behind one or more tensors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <tensorette/tensor/intrusive_ptr.hpp>

namespace tensorette {

/// A block of elements, shared by all views of it. Header and elements are one allocation.
class Storage final : public RefCounted {
 public:
  /// Uninitialised memory for `bytes` bytes of elements.
  [[nodiscard]] static intrusive_ptr<Storage> make(std::size_t bytes);
  static void destroy(Storage* storage) noexcept;

  [[nodiscard]] std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this) + header; }
  [[nodiscard]] const std::byte* data() const noexcept {
    return reinterpret_cast<const std::byte*>(this) + header;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Counts the writes, so that autograd notices a value that changed after it was saved.
  [[nodiscard]] std::uint32_t version() const noexcept {
    return version_.load(std::memory_order_relaxed);
  }
  void bump_version() noexcept {
    version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

 private:
  explicit Storage(std::size_t bytes) noexcept : bytes_(bytes) {}
  static constexpr std::size_t header = 64;  // keeps the elements aligned to a cache line

  std::atomic<std::uint32_t> version_{0};
  std::size_t bytes_;
};

}  // namespace tensorette
