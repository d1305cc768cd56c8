#include <dlfcn.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <complex>
#include <limits>
#include <tensorette/tensor/kernels/blas.hpp>
// The product only; xblas.hpp would bring in the expressions too.
#include <xtensor-blas/xblas_config.hpp>

#include <xflens/cxxblas/cxxblas.cxx>

namespace tensorette::kernels {

namespace {

/// How the BLAS library at hand makes threads.
enum class BlasThreads {
  none,     ///< none, or in a way of its own that keeps out of parallel regions
  pthread,  ///< by its own threads: told once to use none
  openmp,   ///< by OpenMP, as many as the calling thread may start
};

/// OpenBLAS is asked through symbols found at run time, so that any other BLAS links as well.
template <class Function>
Function* find_symbol(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

BlasThreads tame_threads() noexcept {
  const auto flavour = find_symbol<int()>("openblas_get_parallel");
  const auto set_threads = find_symbol<void(int)>("openblas_set_num_threads");
  if (flavour == nullptr || set_threads == nullptr) return BlasThreads::none;
  constexpr int pthread = 1, openmp = 2;  // OPENBLAS_THREAD and OPENBLAS_OPENMP of its cblas.h
  if (flavour() == openmp) return BlasThreads::openmp;
  if (flavour() != pthread) return BlasThreads::none;
  set_threads(1);
  return BlasThreads::pthread;
}

/// While it lives, BLAS starts no threads from the calling thread.
class OneThread {
 public:
  OneThread() noexcept {
    static const BlasThreads threads = tame_threads();
#ifdef _OPENMP
    if (threads == BlasThreads::openmp) {
      allowed_ = omp_get_max_threads();
      if (allowed_ > 1) omp_set_num_threads(1);
    }
#else
    (void)threads;
#endif
  }
  ~OneThread() {
#ifdef _OPENMP
    if (allowed_ > 1) omp_set_num_threads(allowed_);
#endif
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  [[maybe_unused]] int allowed_ = 0;
};

}  // namespace

bool fits_blas(Index m, Index n, Index k, Index lda, Index ldb, Index ldc) noexcept {
  return std::max({m, n, k, lda, ldb, ldc}) <= std::numeric_limits<xt::blas_index_t>::max();
}

template <class T>
void blas_gemm(bool transpose_a, bool transpose_b, Index m, Index n, Index k, T alpha, const T* a,
               Index lda, const T* b, Index ldb, T beta, T* c, Index ldc) {
  using Int = xt::blas_index_t;
  const auto operation = [](bool is_transposed) {
    return is_transposed ? cxxblas::Trans : cxxblas::NoTrans;
  };
  const OneThread one_thread;
  cxxblas::gemm(cxxblas::RowMajor, operation(transpose_a), operation(transpose_b),
                static_cast<Int>(m), static_cast<Int>(n), static_cast<Int>(k), alpha, a,
                static_cast<Int>(lda), b, static_cast<Int>(ldb), beta, c, static_cast<Int>(ldc));
}

template void blas_gemm(bool, bool, Index, Index, Index, float, const float*, Index, const float*,
                        Index, float, float*, Index);
template void blas_gemm(bool, bool, Index, Index, Index, double, const double*, Index,
                        const double*, Index, double, double*, Index);

}  // namespace tensorette::kernels
