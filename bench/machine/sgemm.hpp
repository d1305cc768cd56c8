/// \file
/// cblas_sgemm with row-major matrices, as the framework-free programs call it.
#pragma once

#include <cblas.h>

#include <algorithm>
#include <cstdint>

namespace tensorette::bench {

/// A row-major matrix in memory, or the transpose of one.
struct MatrixView {
  const float* data;
  std::int64_t stride;      ///< floats from one row in memory to the next
  bool transposed = false;  ///< the operand is the transpose of what is in memory
};

/// c[m, n] = alpha · a[m, k] · b[k, n] + beta · c
inline void sgemm(std::int64_t m, std::int64_t n, std::int64_t k, float alpha, MatrixView a,
                  MatrixView b, float beta, float* c, std::int64_t c_stride) {
  const auto order = [](const MatrixView& view) {
    return view.transposed ? CblasTrans : CblasNoTrans;
  };
  cblas_sgemm(CblasRowMajor, order(a), order(b), int(m), int(n), int(k), alpha, a.data,
              int(a.stride), b.data, int(b.stride), beta, c, int(c_stride));
}

/// Where part `part` of `parts` nearly equal parts of `0 .. size` begins; whole cache lines of
/// floats while there are enough of them.
inline std::int64_t part_begin(std::int64_t size, std::int64_t parts, std::int64_t part) {
  constexpr std::int64_t line = 16;
  const std::int64_t lines = (size + line - 1) / line;
  return std::min(size, lines * part / parts * line);
}

}  // namespace tensorette::bench
