// Scratch memory of a thread.
#pragma once

#include <cstddef>
#include <tensorette/tensor/memory.hpp>
#include <tensorette/tensor/shape.hpp>

namespace tensorette::kernels {

/// Scratch memory from the cache of blocks.
template <class T>
class Scratch {
 public:
  explicit Scratch(Index count)
      : bytes_(static_cast<std::size_t>(count) * sizeof(T)),
        data_(static_cast<T*>(memory::allocate(bytes_))) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { memory::deallocate(data_, bytes_); }
  [[nodiscard]] T* data() const noexcept { return data_; }

 private:
  std::size_t bytes_;
  T* data_;
};

}  // namespace tensorette::kernels
