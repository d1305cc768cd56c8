// Products of matrices in memory against triple loops in double.
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <tensorette/tensor/kernels/gemm.hpp>
#include <tensorette/tensor/kernels/packed_gemm.hpp>
#include <tensorette/tensor/parallel.hpp>
#include <vector>

#include "tensorette_test.hpp"

namespace tt = tensorette;
using tt::Index;
using tt::kernels::BatchAxis;

namespace {

struct Sizes {
  Index m, n, k;
};

/// One product with its operands, rows padded so that leading dimensions exceed the sizes.
template <class T>
struct Problem {
  Sizes sizes;
  bool transpose_a, transpose_b;
  Index lda, ldb, ldc;
  std::vector<T> a, b, c;

  Problem(Sizes s, bool ta, bool tb, Index padding, unsigned seed = 1)
      : sizes(s), transpose_a(ta), transpose_b(tb) {
    lda = (ta ? s.m : s.k) + padding;
    ldb = (tb ? s.k : s.n) + padding;
    ldc = s.n + padding;
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto fill = [&](std::vector<T>& values, Index count) {
      values.resize(static_cast<std::size_t>(count + 1));
      for (T& value : values) value = static_cast<T>(uniform(engine));
    };
    fill(a, (ta ? s.k : s.m) * lda);
    fill(b, (tb ? s.n : s.k) * ldb);
    fill(c, s.m * ldc);
  }

  /// Largest |difference| to the triple loop, in units of the rounding of a sum of k terms;
  /// infinite if an element beside the result was written.
  [[nodiscard]] double error(const std::vector<T>& result, T alpha, T beta) const {
    // Bare pointers in the innermost loop: tests run without optimization too.
    const Index step_a = transpose_a ? lda : 1;
    const Index step_b = transpose_b ? 1 : ldb;
    double worst = 0;
    for (Index i = 0; i < sizes.m; ++i) {
      for (Index j = 0; j < ldc; ++j) {
        const auto place = static_cast<std::size_t>(i * ldc + j);
        if (j >= sizes.n) {
          if (result[place] != c[place]) return std::numeric_limits<double>::infinity();
          continue;
        }
        const T* x = a.data() + i * (transpose_a ? 1 : lda);
        const T* y = b.data() + j * (transpose_b ? ldb : 1);
        double sum = 0, magnitude = 0;
        for (Index l = 0; l < sizes.k; ++l) {
          const double term = static_cast<double>(alpha) * static_cast<double>(x[l * step_a]) *
                              static_cast<double>(y[l * step_b]);
          sum += term;
          magnitude += std::abs(term);
        }
        if (beta != T{0}) {
          sum += static_cast<double>(beta) * static_cast<double>(c[place]);
          magnitude += std::abs(static_cast<double>(beta) * static_cast<double>(c[place]));
        }
        const double rounding = std::numeric_limits<T>::epsilon() *
                                (2 + std::sqrt(static_cast<double>(sizes.k))) * magnitude;
        const double difference = std::abs(static_cast<double>(result[place]) - sum);
        if (difference > 0) worst = std::max(worst, difference / rounding);
        if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
      }
    }
    return worst;
  }
};

template <class T>
std::vector<T> run(const Problem<T>& p, T alpha, T beta) {
  std::vector<T> c = p.c;
  tt::kernels::gemm(p.transpose_a, p.transpose_b, p.sizes.m, p.sizes.n, p.sizes.k, alpha,
                    p.a.data(), p.lda, p.b.data(), p.ldb, beta, c.data(), p.ldc);
  return c;
}

template <class T>
std::vector<T> run_parallel(const Problem<T>& p, T alpha, T beta) {
  std::vector<T> c = p.c;
  tt::kernels::parallel_gemm(p.transpose_a, p.transpose_b, p.sizes.m, p.sizes.n, p.sizes.k, alpha,
                             p.a.data(), p.lda, p.b.data(), p.ldb, beta, c.data(), p.ldc);
  return c;
}

template <class T>
tt::kernels::Product<T> product_of(const Problem<T>& p, T alpha, T beta, std::vector<T>& c) {
  return {p.transpose_a, p.transpose_b, p.sizes.m, p.sizes.n, p.sizes.k, alpha, p.a.data(),
          p.lda,         p.b.data(),    p.ldb,     beta,      c.data(),  p.ldc};
}

/// By copies of blocks, however small the product is.
template <class T>
std::vector<T> run_packed(const Problem<T>& p, T alpha, T beta) {
  std::vector<T> c = p.c;
  tt::kernels::packed_gemm(product_of(p, alpha, beta, c));
  return c;
}

}  // namespace

TEMPLATE_TEST_CASE("gemm equals the triple loop for all sizes around its tiles", "[gemm]", float,
                   double) {
  using T = TestType;
  std::mt19937 engine(2);
  const auto size = [&](unsigned most) { return 1 + static_cast<Index>(engine() % most); };
  for (int round = 0; round < 400; ++round) {
    const Sizes s{size(40), size(70), size(90)};
    const Problem<T> p(s, round & 1, round & 2, round % 3, static_cast<unsigned>(round));
    const T alpha = round % 5 == 0 ? T(-0.5) : T(1);
    const T beta = round % 4 == 0 ? T(1) : round % 7 == 0 ? T(0.25) : T(0);
    CAPTURE(s.m, s.n, s.k, p.transpose_a, p.transpose_b, alpha, beta);
    REQUIRE(p.error(run(p, alpha, beta), alpha, beta) < 1);
  }
}

TEMPLATE_TEST_CASE("gemm equals the triple loop for vectors, long sums and large matrices",
                   "[gemm]", float, double) {
  using T = TestType;
  const Sizes list[] = {{1, 1, 1},    {1, 1, 700},  {1, 300, 400}, {300, 1, 400},  {2, 90, 1200},
                        {90, 3, 100}, {5, 7, 1100}, {64, 64, 768}, {200, 150, 90}, {340, 330, 320},
                        {400, 1, 1},  {1, 400, 2},  {3, 3, 600}};
  for (const Sizes& s : list) {
    for (int variant = 0; variant < 8; ++variant) {
      const Problem<T> p(s, variant & 1, variant & 2, variant & 4 ? 5 : 0);
      const T beta = variant & 4 ? T(1) : T(0);
      CAPTURE(s.m, s.n, s.k, variant);
      REQUIRE(p.error(run(p, T(1), beta), T(1), beta) < 1);
    }
  }
}

TEMPLATE_TEST_CASE("packed_gemm equals the triple loop for all sizes around its blocks", "[gemm]",
                   float, double) {
  using T = TestType;
  std::mt19937 engine(3);
  const auto size = [&](unsigned most) { return 1 + static_cast<Index>(engine() % most); };
  std::vector<Sizes> list = {{3, 40, 1030},   {130, 5, 513},  {125, 300, 40}, {2, 2000, 70},
                             {121, 257, 512}, {13, 33, 1600}, {1, 1, 1},      {240, 16, 100}};
  for (int round = 0; round < 100; ++round) list.push_back({size(40), size(150), size(90)});
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Problem<T> p(list[i], i & 1, i & 2, static_cast<Index>(i % 3), static_cast<unsigned>(i));
    const T alpha = i % 5 == 0 ? T(-0.5) : T(1);
    const T beta = i % 4 == 0 ? T(1) : i % 7 == 0 ? T(0.25) : T(0);
    CAPTURE(list[i].m, list[i].n, list[i].k, p.transpose_a, p.transpose_b, alpha, beta);
    REQUIRE(p.error(run_packed(p, alpha, beta), alpha, beta) < 1);
  }
}

TEMPLATE_TEST_CASE("an element of packed_gemm does not depend on the size of the result", "[gemm]",
                   float, double) {
  using T = TestType;
  const Sizes whole{50, 300, 700};
  for (int variant = 0; variant < 8; ++variant) {
    const Problem<T> p(whole, variant & 1, variant & 2, 3);
    const T beta = variant & 4 ? T(0.3) : T(0);
    const std::vector<T> expected = run_packed(p, T(1), beta);
    for (const auto& [row, rows, column, columns] :
         {std::array<Index, 4>{0, 7, 0, 300}, {3, 20, 17, 41}, {49, 1, 299, 1}, {0, 50, 32, 200}}) {
      std::vector<T> c = p.c;
      tt::kernels::packed_gemm(product_of(p, T(1), beta, c).block(row, rows, column, columns));
      for (Index i = row; i < row + rows; ++i)
        for (Index j = column; j < column + columns; ++j) {
          const auto place = static_cast<std::size_t>(i * p.ldc + j);
          REQUIRE(c[place] == expected[place]);
        }
    }
  }
}

TEMPLATE_TEST_CASE("any number of threads gives the same bits", "[gemm]", float, double) {
  using T = TestType;
  const Sizes list[] = {{97, 61, 130},   {768, 64, 64},   {64, 64, 2000}, {1, 3000, 300},
                        {3000, 1, 300},  {3, 1000, 200},  {500, 4, 400},  {330, 390, 310},
                        {450, 470, 500}, {100, 2000, 130}};
  for (const Sizes& s : list) {
    for (int variant = 0; variant < 4; ++variant) {
      const Problem<T> p(s, variant & 1, variant & 2, 0);
      CAPTURE(s.m, s.n, s.k, variant);
      const std::vector<T> serial = run(p, T(0.5), T(1));
      for (const int threads : {1, 2, 3}) {
        tt::set_num_threads(threads);
        CHECK(run_parallel(p, T(0.5), T(1)) == serial);
      }
      tt::set_num_threads(0);
    }
  }
}

TEMPLATE_TEST_CASE("beta = 0 does not read the result", "[gemm]", float, double) {
  using T = TestType;
  for (const Sizes& s : {Sizes{5, 7, 3}, Sizes{1, 9, 40}, Sizes{9, 1, 40}, Sizes{340, 340, 340}}) {
    Problem<T> p(s, false, true, 0);
    std::fill(p.c.begin(), p.c.end(), std::numeric_limits<T>::quiet_NaN());
    CHECK(p.error(run(p, T(1), T(0)), T(1), T(0)) < 1);
  }
}

TEMPLATE_TEST_CASE("a sum over nothing is 0, and c is scaled alone", "[gemm]", float, double) {
  using T = TestType;
  const Problem<T> p({6, 5, 0}, false, false, 2);
  CHECK(p.error(run(p, T(1), T(0)), T(1), T(0)) == 0);
  CHECK(p.error(run(p, T(1), T(1)), T(1), T(1)) == 0);
  CHECK(p.error(run(p, T(1), T(0.5)), T(1), T(0.5)) == 0);
}

TEMPLATE_TEST_CASE("NaN and infinity pass zeros", "[gemm]", float, double) {
  using T = TestType;
  for (const Sizes& s : {Sizes{5, 9, 6}, Sizes{1, 40, 30}, Sizes{2, 5, 40}, Sizes{340, 340, 340}}) {
    for (int variant = 0; variant < 4; ++variant) {
      Problem<T> p(s, variant & 1, variant & 2, 0);
      std::fill(p.b.begin(), p.b.end(), T{0});
      p.a[0] = std::numeric_limits<T>::quiet_NaN();  // row 0 of op(a), transposed or not
      const std::vector<T> c = run(p, T(1), T(0));
      CAPTURE(s.m, s.n, s.k, variant);
      for (Index j = 0; j < s.n; ++j) CHECK(std::isnan(c[static_cast<std::size_t>(j)]));
      p.a[0] = std::numeric_limits<T>::infinity();
      CHECK(std::isnan(run(p, T(1), T(0))[0]));
    }
  }
}

TEMPLATE_TEST_CASE("operands may be the same memory", "[gemm]", float, double) {
  using T = TestType;
  for (const Index size : {Index{6}, Index{40}, Index{340}}) {
    Problem<T> p({size, size, size}, false, true, 0);
    p.b = p.a;
    std::vector<T> c = p.c;
    tt::kernels::gemm(false, true, size, size, size, T(1), p.a.data(), size, p.a.data(), size, T(0),
                      c.data(), size);
    CHECK(p.error(c, T(1), T(0)) < 1);
  }
}

TEMPLATE_TEST_CASE("a batch is its products one by one", "[gemm]", float, double) {
  using T = TestType;
  for (const Sizes& s :
       {Sizes{5, 6, 7}, Sizes{1, 8, 33}, Sizes{64, 64, 64}, Sizes{330, 320, 340}}) {
    // Two batch axes: a repeats along the inner one, b along the outer one.
    const Index outer = 3, inner = 2;
    const Problem<T> operands({outer * s.m, s.n, s.k}, false, false, 0);
    const Problem<T> more({s.m, s.n, inner * s.k}, false, false, 0, 5);
    const Index size_c = s.m * s.n;
    const BatchAxis axes[] = {{outer, s.m * s.k, 0, inner * size_c}, {inner, 0, s.k * s.n, size_c}};
    std::vector<T> expected(static_cast<std::size_t>(outer * inner * size_c), T(2));
    std::vector<T> got = expected;
    for (Index i = 0; i < outer; ++i)
      for (Index j = 0; j < inner; ++j)
        tt::kernels::gemm(false, false, s.m, s.n, s.k, T(1), operands.a.data() + i * s.m * s.k, s.k,
                          more.b.data() + j * s.k * s.n, s.n, T(1),
                          expected.data() + (i * inner + j) * size_c, s.n);
    for (const int threads : {1, 2}) {
      tt::set_num_threads(threads);
      std::fill(got.begin(), got.end(), T(2));
      tt::kernels::batched_gemm<T>(axes, false, false, s.m, s.n, s.k, T(1), operands.a.data(), s.k,
                                   more.b.data(), s.n, T(1), got.data(), s.n);
      CAPTURE(s.m, s.n, s.k, threads);
      CHECK(got == expected);
    }
    tt::set_num_threads(0);
  }
}
