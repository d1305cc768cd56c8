// Keys and values of tokens seen before.
#include <tensorette/nn/key_value_cache.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/random.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;
using tensorette::nn::KeyValueCache;

TEST_CASE("a cache holds all it was given, in order", "[cache]") {
  Generator generator(91);
  const Tensor keys = generator.normal({2, 3, 50, 4}), values = generator.normal({2, 3, 50, 4});
  KeyValueCache cache;
  CHECK(cache.length() == 0);
  Index first = 0;
  for (const Index count : {1, 2, 13, 1, 30, 3}) {
    cache.append(narrow(keys, 2, first, count), narrow(values, 2, first, count));
    first += count;
    CHECK(cache.length() == first);
    CHECK(same_bits(cache.keys(), narrow(keys, 2, 0, first)));
    CHECK(same_bits(cache.values(), narrow(values, 2, 0, first)));
  }
}

TEST_CASE("a cache goes on with the rows asked for", "[cache]") {
  Generator generator(92);
  const Tensor keys = generator.normal({3, 2, 4, 5}), values = generator.normal({3, 2, 4, 5});
  KeyValueCache cache;
  cache.append(keys, values);
  cache.reorder(tensor({2, 0, 0, 1}, DType::i64));
  CHECK(cache.keys().shape() == Shape{4, 2, 4, 5});
  for (const auto& [row, from] : {std::pair<Index, Index>{0, 2}, {1, 0}, {2, 0}, {3, 1}}) {
    CHECK(same_bits(select(cache.keys(), 0, row), select(keys, 0, from)));
    CHECK(same_bits(select(cache.values(), 0, row), select(values, 0, from)));
  }
  // The rows are their own: what comes next parts them.
  const Tensor more = generator.normal({4, 2, 1, 5});
  cache.append(more, more);
  CHECK(same_bits(narrow(cache.keys(), 2, 4, 1), more));
  CHECK(same_bits(select(narrow(cache.keys(), 2, 0, 4), 0, 1), select(keys, 0, 0)));
}

TEST_CASE("samples that stay or move to free places are moved in place", "[cache]") {
  Generator generator(93);
  const Tensor keys = generator.normal({5, 2, 3, 4}), values = generator.normal({5, 2, 3, 4});
  const std::vector<std::vector<Index>> orders{
      {0, 1, 2, 3, 4}, {0, 1, 1, 3, 3}, {4, 1, 1}, {0, 4}, {3}, {1, 0, 2}, {4, 0, 0, 0, 1}, {}};
  for (const std::vector<Index>& order : orders) {
    KeyValueCache cache;
    cache.append(keys, values);
    cache.reorder(from_vector(order));
    const auto count = static_cast<Index>(order.size());
    REQUIRE(cache.keys().shape() == Shape{count, 2, 3, 4});
    CHECK(same_bits(cache.keys(), index_select(keys, 0, from_vector(order))));
    CHECK(same_bits(cache.values(), index_select(values, 0, from_vector(order))));
    // It still grows, beyond the room it began with.
    const Tensor more = generator.normal({count, 2, 40, 4});
    cache.append(more, more);
    CHECK(same_bits(narrow(cache.keys(), 2, 3, 40), more));
    CHECK(same_bits(narrow(cache.keys(), 2, 0, 3), index_select(keys, 0, from_vector(order))));
  }
  KeyValueCache cache;
  cache.append(keys, values);
  CHECK_THAT(error_text<IndexError>([&] {
               cache.reorder(tensor({0, 5}, DType::i64));
             }),
             ContainsSubstring("5"));
  CHECK(same_bits(cache.keys(), keys));
}

TEST_CASE("a copy of a cache and the original go on without each other", "[cache]") {
  Generator generator(8);
  const auto tokens = [&] { return generator.normal({3, 2, 1, 4}); };
  KeyValueCache one;
  const Tensor first = tokens();
  one.append(first, first);
  KeyValueCache other = one;
  const Tensor mine = tokens();
  const Tensor yours = tokens();
  one.append(mine, mine);
  other.append(yours, yours);
  CHECK(same_bits(narrow(one.keys(), 2, 1, 1), mine));
  CHECK(same_bits(narrow(other.values(), 2, 1, 1), yours));

  const KeyValueCache kept = one;
  one.reorder(tensor({2, 1}, DType::i64));
  CHECK(same_bits(narrow(one.keys(), 2, 1, 1), index_select(mine, 0, tensor({2, 1}, DType::i64))));
  CHECK(same_bits(narrow(kept.keys(), 2, 1, 1), mine));
  CHECK(same_bits(narrow(kept.values(), 2, 0, 1), first));
}

TEST_CASE("what does not fit the cache is refused and changes nothing", "[cache]") {
  KeyValueCache cache;
  cache.append(ones({2, 3, 4, 5}), ones({2, 3, 4, 5}));
  CHECK_THAT(error_text<ShapeError>([&] {
               cache.append(ones({1, 3, 1, 5}), ones({1, 3, 1, 5}));
             }),
             ContainsSubstring("[1, 3, 1, 5]") && ContainsSubstring("[2, 3, 1, 5]"));
  CHECK_THAT(error_text<ShapeError>([&] {
               cache.append(ones({2, 3, 1, 5}), ones({2, 3, 2, 5}));
             }),
             ContainsSubstring("[2, 3, 1, 5]") && ContainsSubstring("[2, 3, 2, 5]"));
  CHECK_THAT(error_text<ShapeError>([&] {
               cache.append(ones({2, 3, 1, 5}), ones({1, 3, 1, 5}));
             }),
             ContainsSubstring("[1, 3, 1, 5]"));
  CHECK_THAT(error_text<ShapeError>([&] {
               cache.append(ones({2, 3, 1, 5}), ones({2, 3, 1, 1}));
             }),
             ContainsSubstring("[2, 3, 1, 1]") && ContainsSubstring("[2, 3, 1, 5]"));
  CHECK(cache.length() == 4);
}
