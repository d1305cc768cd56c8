/// \file
/// The machine's limit for each row: the row's matrix products by sgemm at their own shapes with
/// everything in cache and nothing between them, or a copy of as many bytes as the row must move.
/// Besides, the two numbers that describe a machine: `sgemm_1024` and `copy_memory`.
#include <omp.h>

#include <cstring>
#include <memory>

#include "machine/huge_pages.hpp"
#include "machine/sgemm.hpp"
#include "rows/row_program.hpp"
#include "rows/row_table.hpp"

namespace tensorette::bench {
namespace {

// c[m, n] = a[m, k] · b[k, n], each operand possibly stored transposed.
struct Shape {
  std::int64_t m, n, k;
  bool a_transposed, b_transposed;
};

// The products of one forward product and of the gradients that its row needs.
std::vector<Shape> products_of(const Product& p) {
  std::vector<Shape> shapes{{p.rows, p.columns, p.depth, false, true}};             // x · Wᵀ
  if (p.passes >= 2) shapes.push_back({p.columns, p.depth, p.rows, true, false});   // gᵀ · x
  if (p.passes >= 3) shapes.push_back({p.rows, p.depth, p.columns, false, false});  // g · W
  return shapes;
}

// Operands that one thread multiplies again and again.
struct Operands {
  explicit Operands(std::size_t largest) : a(largest), b(largest), c(largest) {
    for (std::size_t i = 0; i < largest; ++i) {
      a[i] = 0.5F + float(i % 7) / 8;
      b[i] = 0.25F - float(i % 5) / 8;
    }
  }
  FloatArray a, b, c;
};

void multiply(const Shape& s, const float* a, const float* b, float* c, std::int64_t c_stride) {
  sgemm(s.m, s.n, s.k, 1, {a, s.a_transposed ? s.m : s.k, s.a_transposed},
        {b, s.b_transposed ? s.k : s.n, s.b_transposed}, 0, c, c_stride);
}

// One product on all threads: each thread makes some rows or some columns of c, whichever are
// more. In parallel regions the BLAS library uses the calling thread only.
void multiply_shared(const Shape& s, const Operands& operands) {
#pragma omp parallel
  {
    const std::int64_t parts = omp_get_num_threads();
    const std::int64_t part = omp_get_thread_num();
    const bool by_rows = s.m >= s.n;
    const std::int64_t size = by_rows ? s.m : s.n;
    const std::int64_t begin = part_begin(size, parts, part);
    const std::int64_t count = part_begin(size, parts, part + 1) - begin;
    const float* a = operands.a.data();
    const float* b = operands.b.data();
    float* c = operands.c.data();
    const std::int64_t a_stride = s.a_transposed ? s.m : s.k;
    const std::int64_t b_stride = s.b_transposed ? s.k : s.n;
    if (count > 0 && by_rows) {
      sgemm(count, s.n, s.k, 1, {a + begin * (s.a_transposed ? 1 : s.k), a_stride, s.a_transposed},
            {b, b_stride, s.b_transposed}, 0, c + begin * s.n, s.n);
    } else if (count > 0) {
      sgemm(s.m, count, s.k, 1, {a, a_stride, s.a_transposed},
            {b + begin * (s.b_transposed ? s.k : 1), b_stride, s.b_transposed}, 0, c + begin, s.n);
    }
  }
}

void multiply_all(const std::vector<Product>& products, const std::vector<Operands>& operands) {
  for (const Product& product : products) {
    for (const Shape& shape : products_of(product)) {
      if (product.count == 1) {
        multiply_shared(shape, operands.front());
        continue;
      }
#pragma omp parallel for
      for (std::int64_t i = 0; i < product.count; ++i) {
        const Operands& own = operands[std::size_t(omp_get_thread_num())];
        multiply(shape, own.a.data(), own.b.data(), own.c.data(), shape.n);
      }
    }
  }
}

Step products_step(const std::vector<Product>& products) {
  std::int64_t largest_shared = 1;
  std::int64_t largest_own = 1;
  for (const Product& p : products) {
    std::int64_t& largest = p.count == 1 ? largest_shared : largest_own;
    largest = std::max({largest, p.rows * p.columns, p.rows * p.depth, p.columns * p.depth});
  }
  auto operands = std::make_shared<std::vector<Operands>>();
  operands->emplace_back(std::size_t(std::max(largest_shared, largest_own)));
  for (int thread = 1; thread < omp_get_max_threads(); ++thread) {
    operands->emplace_back(std::size_t(largest_own));
  }
  return [products, operands] { multiply_all(products, *operands); };
}

// Copies from one array into another, a part on each thread.
Step copy_step(std::int64_t bytes) {
  const std::int64_t size = bytes / std::int64_t(sizeof(float));
  auto source = std::make_shared<FloatArray>(size);
  auto destination = std::make_shared<FloatArray>(size);
  return [=] {
#pragma omp parallel
    {
      const std::int64_t begin = part_begin(size, omp_get_num_threads(), omp_get_thread_num());
      const std::int64_t end = part_begin(size, omp_get_num_threads(), omp_get_thread_num() + 1);
      std::memcpy(destination->data() + begin, source->data() + begin,
                  std::size_t(end - begin) * sizeof(float));
    }
  };
}

// The BLAS library's own way to use all cores.
Step threaded_sgemm_step() {
  auto operands = std::make_shared<Operands>(std::size_t(reference_sgemm_size) *
                                             std::size_t(reference_sgemm_size));
  return [operands] {
    multiply({reference_sgemm_size, reference_sgemm_size, reference_sgemm_size, false, false},
             operands->a.data(), operands->b.data(), operands->c.data(), reference_sgemm_size);
  };
}

std::vector<Row> limit_rows() {
  std::vector<Row> rows{
      {std::string(reference_sgemm_row), threaded_sgemm_step},
      {std::string(reference_copy_row), [] { return copy_step(reference_copy_bytes); }},
  };
  for (const RowInfo& row : row_table()) {
    if (row.limited_by == LimitedBy::products) {
      rows.push_back({row.name, [&row] { return products_step(row.products); }});
    } else if (row.limited_by == LimitedBy::memory) {
      rows.push_back(
          {row.name, [&row] { return copy_step((row.bytes_read + row.bytes_written) / 2); }});
    }
  }
  return rows;
}

}  // namespace
}  // namespace tensorette::bench

int main(int argc, char** argv) {
  return tensorette::bench::run_row_program(tensorette::bench::limit_rows(), argc, argv);
}
