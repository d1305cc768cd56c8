// Loops that threads share.
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/parallel.hpp>
#include <vector>

#include "tensorette_test.hpp"

namespace tt = tensorette;
using tt::Index;

TEST_CASE("parallel_for does every element once, in parts of at least the grain", "[parallel]") {
  for (const int threads : {1, 2, 3, 7, 200}) {
    tt::set_num_threads(threads);
    for (const Index count : {0, 1, 2, 5, 16, 100, 1001}) {
      for (const Index grain : {1, 3, 40, 1001, 5000}) {
        CAPTURE(threads, count, grain);
        std::vector<int> done(static_cast<std::size_t>(count), 0);
        std::vector<Index> length(done.size(), 0);
        tt::kernels::parallel_for(count, grain, [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) {
            ++done[static_cast<std::size_t>(i)];
            length[static_cast<std::size_t>(i)] = end - begin;
          }
        });
        CHECK(done == std::vector<int>(done.size(), 1));
        // The last part of all may be shorter, and those of a second thread that was not worth it.
        if (count >= grain * threads && count > 0) CHECK(length.front() >= grain);
        if (count <= grain && count > 0) CHECK(length.front() == count);
      }
    }
  }
  tt::set_num_threads(0);
}

TEST_CASE("a parallel_for within another runs on the thread that calls it", "[parallel]") {
  tt::set_num_threads(2);
  std::vector<int> parts(64, 0);
  tt::kernels::parallel_for(64, 1, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      tt::kernels::parallel_for(1000, 1, [&, i](Index inner_begin, Index inner_end) {
        parts[static_cast<std::size_t>(i)] += inner_end - inner_begin == 1000 ? 1 : 100;
      });
  });
  tt::set_num_threads(0);
  if (tt::num_threads() > 1) CHECK(parts == std::vector<int>(64, 1));
}
