#include "06_translation/batch_prefetcher.hpp"

#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>
#include <utility>

using namespace tensorette::translation;

namespace {

/// Pair i is i % 9 + 1 tokens long and made of the id i + 100.
BatchDealer numbered_dealer(std::size_t count, std::uint64_t seed = 5) {
  std::vector<EncodedPair> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<std::int64_t> ids(i % 9 + 1, static_cast<std::int64_t>(i + 100));
    pairs.push_back({ids, ids});
  }
  return {std::move(pairs), {.batch_size = 7, .seed = seed}};
}

bool same(const Batch& a, const Batch& b) {
  return a.rows == b.rows && a.source == b.source && a.decoder_input == b.decoder_input &&
         a.labels == b.labels && a.label_count == b.label_count;
}

}  // namespace

TEST_CASE("a prefetcher gives the batches that its dealer would give") {
  const auto ahead = GENERATE(std::size_t{1}, std::size_t{4}, std::size_t{100});
  BatchDealer dealer = numbered_dealer(100);
  BatchPrefetcher prefetcher(numbered_dealer(100), ahead);
  CHECK(prefetcher.batches_per_epoch() == dealer.batches_per_epoch());
  CHECK(prefetcher.pairs().size() == 100);
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    for (std::int64_t index = 0; index < dealer.batches_per_epoch(); ++index) {
      REQUIRE(same(prefetcher.batch(epoch, index), dealer.batch(epoch, index)));
    }
  }
}

TEST_CASE("a prefetcher may be asked for any batch in any order") {
  BatchDealer dealer = numbered_dealer(60);
  BatchPrefetcher prefetcher(numbered_dealer(60), 3);
  const std::vector<std::pair<std::int64_t, std::int64_t>> places = {
      {2, 5}, {2, 6}, {0, 0}, {0, 0}, {7, 8}, {8, 0}, {1, 3}, {1, 2}};
  for (int round = 0; round < 20; ++round) {
    for (const auto& [epoch, index] : places) {
      REQUIRE(same(prefetcher.batch(epoch, index), dealer.batch(epoch, index)));
    }
  }
}

TEST_CASE("what a dealer throws reaches the caller, who may go on") {
  BatchDealer dealer = numbered_dealer(20);
  BatchPrefetcher prefetcher(numbered_dealer(20));
  CHECK(same(prefetcher.batch(0, 0), dealer.batch(0, 0)));
  CHECK_THROWS_AS(prefetcher.batch(0, 3), tensorette::IndexError);
  CHECK_THROWS_WITH(prefetcher.batch(0, 3), "batches: batch 3 is outside [0, 3)");
  CHECK_THROWS_WITH(prefetcher.batch(-1, 0), "batches: epoch -1 is negative");
  CHECK(same(prefetcher.batch(0, 1), dealer.batch(0, 1)));
  CHECK_THROWS_WITH(BatchPrefetcher(numbered_dealer(3), 0),
                    "batches: a prefetcher has to keep at least one batch ready");
}

TEST_CASE("a prefetcher ends with its thread at work, and can be moved") {
  for (int i = 0; i < 50; ++i) {
    BatchPrefetcher prefetcher(numbered_dealer(200), 50);
    (void)prefetcher.batch(0, 0);
  }
  const BatchPrefetcher idle(numbered_dealer(5));
  CHECK(idle.batches_per_epoch() == 1);
  BatchDealer dealer = numbered_dealer(60);
  BatchPrefetcher first(numbered_dealer(60));
  CHECK(same(first.batch(0, 2), dealer.batch(0, 2)));
  BatchPrefetcher second = std::move(first);
  CHECK(same(second.batch(0, 3), dealer.batch(0, 3)));
  second = BatchPrefetcher(numbered_dealer(60, 6));
  CHECK_FALSE(same(second.batch(0, 3), dealer.batch(0, 3)));
}
