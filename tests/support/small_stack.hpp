/// \file
/// Running something with a stack that recursion would soon overflow.
#pragma once

#include <pthread.h>

#include <functional>
#include <stdexcept>

namespace tensorette::testing {

/// Runs the work in a thread with a stack of 512 KiB.
inline void with_small_stack(const std::function<void()>& work) {
  constexpr std::size_t small_stack = 512 * 1024;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0 ||
      pthread_attr_setstacksize(&attributes, small_stack) != 0) {
    throw std::runtime_error("no thread with a small stack");
  }
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  auto* argument = const_cast<std::function<void()>*>(&work);
  const bool ran = pthread_create(&thread, &attributes, run, argument) == 0 &&
                   pthread_join(thread, nullptr) == 0;
  pthread_attr_destroy(&attributes);
  if (!ran) throw std::runtime_error("no thread with a small stack");
}

}  // namespace tensorette::testing
