// Hypotheses that attend to the memory of their sentence together.
#include <tensorette/nn/memory_groups.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/random.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

namespace tt = tensorette;
using namespace tensorette::testing;
using tensorette::nn::MemoryGroups;
using tt::Index;
using tt::Shape;
using tt::Tensor;
using tt::Variable;

TEST_CASE("queries of one memory stand side by side and come back to their rows", "[decoding]") {
  tt::Generator generator(7);
  for (const Index tokens : {1, 3}) {
    const Tensor x = generator.normal({5, tokens, 4});
    // Memory 0 has rows 1 and 4, memory 1 has row 2, memory 2 has rows 0 and 3.
    const MemoryGroups groups({2, 0, 1, 2, 0}, 3);
    const Tensor together = groups.together(Variable(x)).value();
    REQUIRE(together.shape() == Shape{3, 2 * tokens, 4});
    const auto at = [&](Index memory, Index place) {
      return tt::narrow(tt::select(together, 0, memory), 0, place * tokens, tokens);
    };
    CHECK(same_bits(at(0, 0), tt::select(x, 0, 1)));
    CHECK(same_bits(at(0, 1), tt::select(x, 0, 4)));
    CHECK(same_bits(at(1, 0), tt::select(x, 0, 2)));
    CHECK(same_bits(at(2, 0), tt::select(x, 0, 0)));
    CHECK(same_bits(at(2, 1), tt::select(x, 0, 3)));
    CHECK(same_bits(groups.apart(Variable(together)).value(), x));
  }
}

TEST_CASE("rows with memories of their own stay as they are", "[decoding]") {
  tt::Generator generator(8);
  const Tensor x = generator.normal({3, 2, 4});
  for (const MemoryGroups& groups : {MemoryGroups(), MemoryGroups({0, 1, 2}, 3)}) {
    CHECK(same_bits(groups.together(Variable(x)).value(), x));
    CHECK(same_bits(groups.apart(Variable(x)).value(), x));
  }
}
