// Transposing a small block of elements.
#pragma once

#include <tensorette/tensor/shape.hpp>
#include <type_traits>
#include <xsimd/xsimd.hpp>

namespace tensorette::kernels {

/// Vectors of 128 bits, void if this processor has none for T.
template <class T>
using ShortBatch = xsimd::make_sized_batch_t<T, 16 / sizeof(T)>;

/// target[row, column] = source[column, row] for one square whose side is the length of a
/// ShortBatch: 4 x 4 elements of 4 bytes, 2 x 2 of 8. Steps are those between stored rows.
template <class T>
inline void transpose_square(const T* source, Index source_step, T* target,
                             Index target_step) noexcept {
  using Short = ShortBatch<T>;
  if constexpr (sizeof(T) == 4) {
    const Short row0 = Short::load_unaligned(source);
    const Short row1 = Short::load_unaligned(source + source_step);
    const Short row2 = Short::load_unaligned(source + 2 * source_step);
    const Short row3 = Short::load_unaligned(source + 3 * source_step);
    const Short even_low = xsimd::zip_lo(row0, row2), odd_low = xsimd::zip_lo(row1, row3);
    const Short even_high = xsimd::zip_hi(row0, row2), odd_high = xsimd::zip_hi(row1, row3);
    xsimd::zip_lo(even_low, odd_low).store_unaligned(target);
    xsimd::zip_hi(even_low, odd_low).store_unaligned(target + target_step);
    xsimd::zip_lo(even_high, odd_high).store_unaligned(target + 2 * target_step);
    xsimd::zip_hi(even_high, odd_high).store_unaligned(target + 3 * target_step);
  } else {
    const Short row0 = Short::load_unaligned(source);
    const Short row1 = Short::load_unaligned(source + source_step);
    xsimd::zip_lo(row0, row1).store_unaligned(target);
    xsimd::zip_hi(row0, row1).store_unaligned(target + target_step);
  }
}

/// target[row, column] = source[column, row] for `rows` x `columns` of the target.
template <class T>
inline void transpose_tile(const T* source, Index source_step, T* target, Index target_step,
                           Index rows, Index columns) noexcept {
  Index done_rows = 0, done_columns = 0;
  if constexpr (sizeof(T) >= 4 && !std::is_void_v<ShortBatch<T>>) {
    constexpr Index side = static_cast<Index>(16 / sizeof(T));
    done_rows = rows / side * side;
    done_columns = columns / side * side;
    // Along rows, so that each line of the target is complete before the next one is begun.
    for (Index row = 0; row < done_rows; row += side)
      for (Index column = 0; column < done_columns; column += side)
        transpose_square(source + column * source_step + row, source_step,
                         target + row * target_step + column, target_step);
  }
  for (Index row = 0; row < rows; ++row)
    for (Index column = row < done_rows ? done_columns : 0; column < columns; ++column)
      target[row * target_step + column] = source[column * source_step + row];
}

}  // namespace tensorette::kernels
