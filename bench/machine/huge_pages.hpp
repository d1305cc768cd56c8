/// \file
/// Memory taken once, on huge pages where the system gives them, and touched before it is timed.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace tensorette::bench {

/// An array of floats, zero at first, that starts at a huge page when it is large.
class FloatArray {
 public:
  FloatArray() = default;
  explicit FloatArray(std::size_t size) : data_(allocate(size)), size_(size) {}
  explicit FloatArray(std::int64_t size) : FloatArray(static_cast<std::size_t>(size)) {}

  [[nodiscard]] float* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<float> span() const { return {data_.get(), size_}; }
  float& operator[](std::size_t i) const { return data_[i]; }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };

  static std::unique_ptr<float[], Free> allocate(std::size_t size) {
    constexpr std::size_t huge_page = std::size_t{2} << 20;
    constexpr std::size_t cache_line = 64;
    const std::size_t bytes = size * sizeof(float);
    const std::size_t alignment = bytes >= huge_page ? huge_page : cache_line;
    const std::size_t rounded = (bytes + alignment) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    if (alignment == huge_page) madvise(memory, rounded, MADV_HUGEPAGE);
    std::unique_ptr<float[], Free> array(static_cast<float*>(memory));
    for (std::size_t i = 0; i < size; ++i) array[i] = 0;
    return array;
  }

  std::unique_ptr<float[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace tensorette::bench
