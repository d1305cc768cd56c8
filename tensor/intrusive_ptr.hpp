/// \file
/// Reference counting inside the object: one word, one allocation.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace tensorette {

/// Base of objects held by intrusive_ptr. `T` provides `static void destroy(T*) noexcept`.
class RefCounted {
 public:
  RefCounted() noexcept = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  /// True when the last reference is gone.
  [[nodiscard]] bool drop() const noexcept {
    // A sole owner needs no locked instruction: nobody else can retain.
    if (references_.load(std::memory_order_acquire) == 1) return true;
    return references_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  [[nodiscard]] bool is_unique() const noexcept {
    return references_.load(std::memory_order_acquire) == 1;
  }

 protected:
  ~RefCounted() = default;

 private:
  mutable std::atomic<std::int32_t> references_{0};
};

/// A counted handle to a T derived from RefCounted.
template <class T>
class intrusive_ptr {
 public:
  constexpr intrusive_ptr() noexcept = default;
  explicit intrusive_ptr(T* object) noexcept : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  intrusive_ptr(const intrusive_ptr& other) noexcept : intrusive_ptr(other.object_) {}
  intrusive_ptr(intrusive_ptr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  intrusive_ptr& operator=(intrusive_ptr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~intrusive_ptr() { reset(); }

  void reset() noexcept {
    if (T* object = std::exchange(object_, nullptr); object != nullptr && object->drop()) {
      T::destroy(object);
    }
  }
  [[nodiscard]] T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  friend bool operator==(const intrusive_ptr& a, const intrusive_ptr& b) noexcept {
    return a.object_ == b.object_;
  }

 private:
  T* object_ = nullptr;
};

}  // namespace tensorette
