/// \file
/// The loops over rows of scores that softmax and its gradient consist of, on SIMD batches.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <xsimd/xsimd.hpp>

namespace tensorette::bench {

using FloatBatch = xsimd::batch<float>;
inline constexpr auto float_lanes = std::int64_t(FloatBatch::size);

/// How many of `size` elements fill whole batches.
inline std::int64_t whole_batches(std::int64_t size) {
  return size - size % float_lanes;
}

/// max row[i]
inline float largest_of(const float* row, std::int64_t size) {
  const std::int64_t whole = whole_batches(size);
  FloatBatch largest(-std::numeric_limits<float>::infinity());
  for (std::int64_t i = 0; i < whole; i += float_lanes) {
    largest = xsimd::max(largest, FloatBatch::load_unaligned(row + i));
  }
  alignas(FloatBatch) std::array<float, FloatBatch::size> lanes;
  largest.store_aligned(lanes.data());
  const float of_batches = *std::max_element(lanes.begin(), lanes.end());
  return std::accumulate(row + whole, row + size, of_batches,
                         [](float a, float b) { return std::max(a, b); });
}

/// row[i] = exp(row[i] − shift), in place; returns the sum.
inline float exponentials(float* row, std::int64_t size, float shift) {
  const std::int64_t whole = whole_batches(size);
  FloatBatch sums(0.F);
  for (std::int64_t i = 0; i < whole; i += float_lanes) {
    const FloatBatch e = xsimd::exp(FloatBatch::load_unaligned(row + i) - shift);
    e.store_unaligned(row + i);
    sums += e;
  }
  float sum = xsimd::hadd(sums);
  for (std::int64_t i = whole; i < size; ++i) {
    row[i] = std::exp(row[i] - shift);
    sum += row[i];
  }
  return sum;
}

/// row[i] = exp(row[i]) / Σ exp(row[j]), in place.
inline void softmax_row(float* row, std::int64_t size) {
  const float factor = 1 / exponentials(row, size, largest_of(row, size));
  const std::int64_t whole = whole_batches(size);
  for (std::int64_t i = 0; i < whole; i += float_lanes) {
    (FloatBatch::load_unaligned(row + i) * factor).store_unaligned(row + i);
  }
  for (std::int64_t i = whole; i < size; ++i) row[i] *= factor;
}

/// gradient[i] = scale · y[i] · (gradient[i] − dot), with dot = Σ y[j] · gradient[j]: from the
/// gradient of y = softmax(scale · x) to the gradient of x, in place.
inline void softmax_row_backward(const float* y, float* gradient, std::int64_t size, float dot,
                                 float scale) {
  const std::int64_t whole = whole_batches(size);
  for (std::int64_t i = 0; i < whole; i += float_lanes) {
    const FloatBatch g = FloatBatch::load_unaligned(gradient + i) - dot;
    (g * FloatBatch::load_unaligned(y + i) * scale).store_unaligned(gradient + i);
  }
  for (std::int64_t i = whole; i < size; ++i) gradient[i] = (gradient[i] - dot) * y[i] * scale;
}

/// Σ a[i] · b[i]
inline float dot_product(const float* a, const float* b, std::int64_t size) {
  const std::int64_t whole = whole_batches(size);
  FloatBatch sums(0.F);
  for (std::int64_t i = 0; i < whole; i += float_lanes) {
    sums = xsimd::fma(FloatBatch::load_unaligned(a + i), FloatBatch::load_unaligned(b + i), sums);
  }
  float sum = xsimd::hadd(sums);
  for (std::int64_t i = whole; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace tensorette::bench
