// kernels/dot_gemm.cpp: products of matrices as dot products of stored rows.
// Before: product.hpp.  Next: gemm.cpp, which decides when this is used.
#include <numeric>
#include <tensorette/tensor/kernels/multiply_add.hpp>
#include <tensorette/tensor/kernels/tile_gemm.hpp>
#include <xsimd/xsimd.hpp>

namespace tensorette::kernels {

namespace {

/// c[i] = alpha·⟨a, row i of b⟩ + beta·c[i] for `count` rows, whose sums run side by side. Each sum
/// is made in the same order whatever the count: lane by lane, the lanes, then what is left.
template <class T, int count>
void dot_rows(Index k, T alpha, const T* a, const T* b, Index ldb, T beta, T* c) noexcept {
  using Vector = xsimd::batch<T>;
  constexpr Index lanes = static_cast<Index>(Vector::size);
  Vector sums[count][2];
  for (auto& pair : sums) pair[0] = pair[1] = Vector(T{0});
  Index step = 0;
  for (; step + 2 * lanes <= k; step += 2 * lanes) {
    const Vector first = Vector::load_unaligned(a + step);
    const Vector second = Vector::load_unaligned(a + step + lanes);
    for (int i = 0; i < count; ++i) {
      const T* row = b + i * ldb + step;
      sums[i][0] = multiply_add(first, Vector::load_unaligned(row), sums[i][0]);
      sums[i][1] = multiply_add(second, Vector::load_unaligned(row + lanes), sums[i][1]);
    }
  }
  if (step + lanes <= k) {
    const Vector first = Vector::load_unaligned(a + step);
    for (int i = 0; i < count; ++i)
      sums[i][0] = multiply_add(first, Vector::load_unaligned(b + i * ldb + step), sums[i][0]);
    step += lanes;
  }
  for (int i = 0; i < count; ++i) {
    alignas(64) T by_lane[lanes];
    (sums[i][0] + sums[i][1]).store_aligned(by_lane);
    T sum = std::accumulate(by_lane, by_lane + lanes, T{0});
    for (Index rest = step; rest < k; ++rest) sum += a[rest] * b[i * ldb + rest];
    c[i] = beta == T{0} ? alpha * sum : alpha * sum + beta * c[i];
  }
}

}  // namespace

template <class T>
void dot_gemm(const Product<T>& p) noexcept {
  for (Index row = 0; row < p.m; ++row) {
    const T* a = p.a + row * p.lda;
    T* c = p.c + row * p.ldc;
    Index column = 0;
    for (; column + 4 <= p.n; column += 4)
      dot_rows<T, 4>(p.k, p.alpha, a, p.b + column * p.ldb, p.ldb, p.beta, c + column);
    for (; column < p.n; ++column)
      dot_rows<T, 1>(p.k, p.alpha, a, p.b + column * p.ldb, p.ldb, p.beta, c + column);
  }
}

template void dot_gemm(const Product<float>&) noexcept;
template void dot_gemm(const Product<double>&) noexcept;

}  // namespace tensorette::kernels
