// Products of matrices too large for the cache.
#pragma once

#include <tensorette/tensor/kernels/product.hpp>

namespace tensorette::kernels {

/// Whether this is compiled for vectors with which packed_gemm() keeps up with the fastest BLAS.
inline constexpr bool has_wide_vectors =
#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
    true;
#else
    false;
#endif

/// The product on the calling thread, by way of copies of blocks of both operands. An element's
/// bits follow from its row of op(a), its column of op(b) and k alone, not from the size of c.
///
/// \throws std::bad_alloc if there is no memory for the copies
template <class T>
void packed_gemm(const Product<T>& product);

}  // namespace tensorette::kernels
