// Kernels made of functions: of SIMD batches for floating elements, of plain numbers for others.
// Included by .cpp files of kernels only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tensorette/tensor/kernels/elementwise.hpp>
#include <type_traits>
#include <utility>
#include <xsimd/xsimd.hpp>

namespace tensorette::kernels {

template <class T>
inline constexpr Index lanes_of = static_cast<Index>(xsimd::batch<T>::size);

/// The function with its parameters, or a plain one where it has none.
template <class Function>
Function function_from(const void* parameters) noexcept {
  if constexpr (std::is_empty_v<Function>) {
    return Function{};
  } else {
    return *static_cast<const Function*>(parameters);
  }
}

/// Calls `function` on batches of T. The last, incomplete batch is padded, so that an element's
/// value does not depend on where in a run it lies.
template <class T, class Function, std::size_t... input>
void run_batches(const Function& function, const Run& run, std::index_sequence<input...>) {
  using Batch = xsimd::batch<T>;
  constexpr Index lanes = lanes_of<T>;
  constexpr std::size_t input_count = sizeof...(input);
  const T* data[input_count] = {reinterpret_cast<const T*>(run.input[input])...};
  const Index step[input_count] = {(input_count == 1 ? 1 : run.step[input])...};
  T* const output = reinterpret_cast<T*>(run.output);
  const auto compute = [&](Index i) {
    function(Batch::load_unaligned(data[input] + i * step[input])...).store_unaligned(output + i);
  };
  const Index count = run.count;
  Index i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    if constexpr (Function::is_cheap) {
      compute(i);
      compute(i + lanes);
      compute(i + 2 * lanes);
      compute(i + 3 * lanes);
    } else {
      for (Index part = 0; part < 4; ++part) compute(i + part * lanes);
    }
  }
  for (; i + lanes <= count; i += lanes) compute(i);
  if (i == count) return;

  alignas(splat_bytes) T padded[input_count][static_cast<std::size_t>(lanes)] = {};
  const auto pad = [&](std::size_t k) {
    if (step[k] == 0) return data[k];
    for (Index j = 0; j < count - i; ++j) padded[k][j] = data[k][i + j];
    return static_cast<const T*>(padded[k]);
  };
  alignas(splat_bytes) T result[static_cast<std::size_t>(lanes)];
  function(Batch::load_unaligned(pad(input))...).store_unaligned(result);
  for (Index j = 0; j < count - i; ++j) output[i + j] = result[j];
}

/// A kernel of floating elements. `Function` maps `inputs` batches to one.
template <class T, std::size_t inputs, class Function>
void batch_kernel(const void* parameters, const Run& run) {
  run_batches<T>(function_from<Function>(parameters), run, std::make_index_sequence<inputs>{});
}

/// A kernel of one plain T to one plain R.
template <class T, class R, class Function>
void plain_unary_kernel(const void* parameters, const Run& run) {
  const Function function = function_from<Function>(parameters);
  const T* const x = reinterpret_cast<const T*>(run.input[0]);
  R* const output = reinterpret_cast<R*>(run.output);
  for (Index i = 0; i < run.count; ++i) output[i] = function(x[i]);
}

/// A kernel of two plain T to one plain R.
template <class T, class R, class Function>
void plain_binary_kernel(const void* parameters, const Run& run) {
  const Function function = function_from<Function>(parameters);
  const T* const a = reinterpret_cast<const T*>(run.input[0]);
  const T* const b = reinterpret_cast<const T*>(run.input[1]);
  R* const output = reinterpret_cast<R*>(run.output);
  if (run.step[0] == 1 && run.step[1] == 1) {
    for (Index i = 0; i < run.count; ++i) output[i] = function(a[i], b[i]);
  } else if (run.step[0] == 1) {
    const T same = *b;
    for (Index i = 0; i < run.count; ++i) output[i] = function(a[i], same);
  } else {
    const T same = *a;
    for (Index i = 0; i < run.count; ++i) output[i] = function(same, b[i * run.step[1]]);
  }
}

}  // namespace tensorette::kernels
