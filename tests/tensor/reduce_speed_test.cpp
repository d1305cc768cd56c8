// Reductions and row picking stay near hand-written loops: a path that copies or walks the memory
// the wrong way is ten and more times slower than these bounds.
#include <algorithm>
#include <chrono>
#include <functional>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/parallel.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "tensorette_test.hpp"

using namespace tensorette;

namespace {

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The best of many interleaved rounds on one thread: whatever else runs on the machine slows
// some rounds of both sides, hardly all of one.
double ratio_of_best(const std::function<void()>& library, const std::function<void()>& plain) {
  set_num_threads(1);
  double best_library = 1e9;
  double best_plain = 1e9;
  for (int round = 0; round < 60; ++round) {
    best_library = std::min(best_library, seconds(library));
    best_plain = std::min(best_plain, seconds(plain));
  }
  set_num_threads(0);
  return best_library / best_plain;
}

constexpr Index n = 512;

void keep(float value) {
  volatile float kept = value;
  (void)kept;
}

}  // namespace

TEST_CASE("reductions of 512 x 512 stay within 5x of a plain loop", "[field][E11]") {
  const Tensor x = ones({n, n});
  const float* element = x.data<float>();
  std::vector<float> row(static_cast<std::size_t>(n));
  const auto plain_columns = [&] {
    std::fill(row.begin(), row.end(), 0.0F);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] += element[i * n + j];
    keep(row[0]);
  };
  const auto plain_rows = [&] {
    for (Index i = 0; i < n; ++i) {
      float total = 0;
      for (Index j = 0; j < n; ++j) total += element[i * n + j];
      row[static_cast<std::size_t>(i)] = total;
    }
    keep(row[0]);
  };
  CHECK(ratio_of_best([&] { keep(sum(x, 0).data<float>()[0]); }, plain_columns) < 5);
  CHECK(ratio_of_best([&] { keep(sum(x, 1).data<float>()[0]); }, plain_rows) < 5);
  CHECK(ratio_of_best([&] { keep(max(x, 0).data<float>()[0]); }, plain_columns) < 5);
  CHECK(ratio_of_best([&] { keep(max(x, 1).data<float>()[0]); }, plain_rows) < 5);
  const Tensor turned = transpose(x);
  CHECK(ratio_of_best([&] { keep(sum(turned, 0).data<float>()[0]); }, plain_rows) < 5);
}

TEST_CASE("picking rows stays within 5x of a plain loop", "[field][E11]") {
  const Tensor table = ones({1000, 64});
  Tensor ids({n}, DType::i64);
  Index* id = ids.mutable_data<Index>();
  for (Index i = 0; i < n; ++i) id[i] = i * 389 % 1000;
  std::vector<float> picked(static_cast<std::size_t>(n * 64));
  const auto plain = [&] {
    for (Index i = 0; i < n; ++i)
      for (Index c = 0; c < 64; ++c)
        picked[static_cast<std::size_t>(i * 64 + c)] = table.data<float>()[id[i] * 64 + c];
    keep(picked[0]);
  };
  CHECK(ratio_of_best([&] { keep(take_rows(table, ids).data<float>()[0]); }, plain) < 5);
}
