// Products of matrices small enough to stay in cache, without the overhead of a BLAS call.
#pragma once

#include <tensorette/tensor/kernels/product.hpp>

namespace tensorette::kernels {

/// The length of the parts in which tile_gemm() sums over k. Taken from a whole product and used
/// for all blocks of it, so that an element's bits do not depend on where the product was cut.
template <class T>
[[nodiscard]] Index k_block_of(const Product<T>& product) noexcept;

/// The product on the calling thread, by tiles of c that fit in registers; k is not 0. Blocks of a
/// product give the bits of the whole if they begin at multiples of column_block.
template <class T>
void tile_gemm(const Product<T>& product, Index k_block) noexcept;

/// A multiple of the width of all tiles.
inline constexpr Index column_block = 64;

/// The product on the calling thread where a is not transposed and b is: each element of c is the
/// dot product of two stored rows. For few rows or few columns, where tiles do not pay.
template <class T>
void dot_gemm(const Product<T>& product) noexcept;

}  // namespace tensorette::kernels
