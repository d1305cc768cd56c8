#include "06_translation/batches.hpp"

#include <algorithm>
#include <set>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "06_translation/random_stream.hpp"
#include "06_translation/vocabulary.hpp"

using namespace tensorette::translation;
using Ids = std::vector<std::int64_t>;

namespace {

/// Pairs of 1 to 9 tokens whose ids tell which pair they belong to.
std::vector<EncodedPair> numbered_pairs(std::size_t count) {
  std::vector<EncodedPair> pairs;
  RandomStream random(3);
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = static_cast<std::int64_t>(i + 100);
    pairs.push_back({Ids(1 + random.below(9), id), Ids(1 + random.below(9), id)});
  }
  return pairs;
}

std::vector<std::vector<std::size_t>> rows_of_epoch(BatchDealer& dealer, std::int64_t epoch) {
  std::vector<std::vector<std::size_t>> rows;
  for (std::int64_t b = 0; b < dealer.batches_per_epoch(); ++b) {
    rows.push_back(dealer.batch(epoch, b).rows);
  }
  return rows;
}

}  // namespace

TEST_CASE("decoder input and labels are one place apart", "[field][D04]") {
  constexpr std::int64_t a = 4;
  constexpr std::int64_t b = 5;
  const std::vector<EncodedPair> pairs = {{{a}, {a, b}}, {{b, a, b}, {a, b, a}}, {{a}, {b}}};
  const Batch batch = make_batch(pairs, {0, 1});
  CHECK(batch.size == 2);
  CHECK(batch.target_length == 4);
  CHECK(batch.decoder_input == Ids{kBegin, a, b, kPad, kBegin, a, b, a});
  CHECK(batch.labels == Ids{a, b, kEnd, kPad, a, b, a, kEnd});
  CHECK(batch.target_lengths == Ids{3, 4});
  CHECK(batch.label_count == 7);
  CHECK(batch.source_length == 3);
  CHECK(batch.source == Ids{a, kPad, kPad, b, a, b});
  CHECK(batch.source_lengths == Ids{1, 3});

  const Batch alone = make_batch(pairs, {0});
  CHECK(alone.label_count == 3);
  CHECK(std::count_if(alone.labels.begin(), alone.labels.end(),
                      [](std::int64_t id) { return id != kPad; }) == 3);
  const Batch one_token = make_batch(pairs, {2});
  CHECK(one_token.decoder_input == Ids{kBegin, b});
  CHECK(one_token.labels == Ids{b, kEnd});
  CHECK(one_token.label_count == 2);
}

TEST_CASE("an empty side gives a row of padding, an empty target just the end") {
  const std::vector<EncodedPair> pairs = {{{}, {}}, {{7}, {}}};
  const Batch empty = make_batch(pairs, {0});
  CHECK(empty.source_length == 0);
  CHECK(empty.source.empty());
  CHECK(empty.labels == Ids{kEnd});
  CHECK(make_batch(pairs, {0, 1}).source == Ids{kPad, 7});
}

TEST_CASE("every epoch deals every pair once") {
  const bool shuffled = GENERATE(true, false);
  BatchDealer dealer(numbered_pairs(333),
                     {.batch_size = 10, .seed = 1, .shuffle = shuffled, .batches_per_group = 4});
  CHECK(dealer.batches_per_epoch() == 34);
  for (const std::int64_t epoch : {0, 1}) {
    std::set<std::size_t> seen;
    std::size_t smaller = 0;
    for (const auto& rows : rows_of_epoch(dealer, epoch)) {
      seen.insert(rows.begin(), rows.end());
      smaller += rows.size() < 10;
    }
    CHECK(seen.size() == 333);
    CHECK(smaller == 1);
  }
}

TEST_CASE("rows name the pairs that the batch holds") {
  const auto pairs = numbered_pairs(50);
  BatchDealer dealer(pairs, {.batch_size = 8, .seed = 2});
  const Batch batch = dealer.batch(0, 3);
  for (std::int64_t i = 0; i < batch.size; ++i) {
    const std::size_t row = batch.rows[static_cast<std::size_t>(i)];
    CHECK(batch.source[static_cast<std::size_t>(i * batch.source_length)] == pairs[row].source[0]);
    CHECK(batch.labels[static_cast<std::size_t>(i * batch.target_length)] == pairs[row].target[0]);
  }
}

TEST_CASE("a batch depends on seed, epoch and index alone") {
  const BatchOptions options{.batch_size = 16, .seed = 9, .batches_per_group = 3};
  BatchDealer straight(numbered_pairs(500), options);
  BatchDealer resumed(numbered_pairs(500), options);
  const auto first = rows_of_epoch(straight, 0);
  const auto second = rows_of_epoch(straight, 1);
  CHECK(first != second);
  // Stopped after batch 20 of the second epoch: a new dealer goes on from there.
  for (std::int64_t b = 20; b < resumed.batches_per_epoch(); ++b) {
    CHECK(resumed.batch(1, b).rows == second[static_cast<std::size_t>(b)]);
  }
  CHECK(resumed.batch(0, 5).rows == first[5]);
  BatchDealer other(numbered_pairs(500), {.batch_size = 16, .seed = 10, .batches_per_group = 3});
  CHECK(rows_of_epoch(other, 0) != first);
}

TEST_CASE("sentences of like length come together") {
  BatchDealer dealer(numbered_pairs(2'000), {.batch_size = 20, .seed = 4});
  std::int64_t cells = 0;
  std::int64_t labels = 0;
  for (std::int64_t b = 0; b < dealer.batches_per_epoch(); ++b) {
    const Batch batch = dealer.batch(0, b);
    cells += batch.size * batch.target_length;
    labels += batch.label_count;
  }
  CHECK(static_cast<double>(labels) / static_cast<double>(cells) > 0.95);
}

TEST_CASE("without shuffling, batches go from short to long in every epoch") {
  BatchDealer dealer(numbered_pairs(100), {.batch_size = 7, .shuffle = false});
  CHECK(rows_of_epoch(dealer, 0) == rows_of_epoch(dealer, 5));
  std::int64_t last = 0;
  for (std::int64_t b = 0; b < dealer.batches_per_epoch(); ++b) {
    CHECK(dealer.batch(0, b).target_length >= last);
    last = dealer.batch(0, b).target_length;
  }
}

TEST_CASE("a fingerprint tells pairs, their order and their sides apart") {
  const std::vector<EncodedPair> pairs = {{{4, 5}, {6}}, {{7}, {8, 9}}};
  CHECK(fingerprint_of(pairs) == fingerprint_of(std::vector<EncodedPair>(pairs)));
  const std::vector<std::vector<EncodedPair>> others = {{{{7}, {8, 9}}, {{4, 5}, {6}}},
                                                        {{{4, 5, 6}, {}}, {{7}, {8, 9}}},
                                                        {{{4, 5}, {6}}, {{7}, {8, 10}}},
                                                        {{{4, 5}, {6}}},
                                                        {}};
  std::set<std::uint64_t> seen{fingerprint_of(pairs)};
  for (const auto& other : others) seen.insert(fingerprint_of(other));
  CHECK(seen.size() == 6);
  // FNV-1a of no bytes is its offset.
  CHECK(fingerprint_of({}) == 0xCBF29CE484222325ULL);
}

TEST_CASE("a budget of tokens bounds every batch and deals every pair once") {
  const auto shuffled = GENERATE(true, false);
  const auto pairs = numbered_pairs(700);
  BatchDealer dealer(pairs, {.batch_tokens = 120, .seed = 5, .shuffle = shuffled});
  for (const std::int64_t epoch : {0, 1}) {
    std::set<std::size_t> seen;
    std::int64_t cells = 0;
    std::int64_t tokens = 0;
    for (std::int64_t b = 0; b < dealer.batches_per_epoch(); ++b) {
      const Batch batch = dealer.batch(epoch, b);
      const std::int64_t longer = std::max(batch.source_length, batch.target_length);
      CHECK(batch.size * longer <= 120);
      seen.insert(batch.rows.begin(), batch.rows.end());
      cells += batch.size * longer;
      for (std::size_t i = 0; i < batch.rows.size(); ++i) {
        tokens += std::max(batch.source_lengths[i], batch.target_lengths[i]);
      }
    }
    CHECK(seen.size() == 700);
    CHECK(dealer.batches_per_epoch() <= tokens / 120 * 11 / 10);
    CHECK(static_cast<double>(tokens) / static_cast<double>(cells) > 0.95);
  }
}

TEST_CASE("batches of a budget depend on seed, epoch and index alone") {
  const BatchOptions options{.batch_tokens = 90, .seed = 9};
  BatchDealer straight(numbered_pairs(500), options);
  const auto first = rows_of_epoch(straight, 0);
  const auto second = rows_of_epoch(straight, 1);
  CHECK(first.size() == second.size());
  CHECK(first != second);
  CHECK(std::set(first.begin(), first.end()) != std::set(second.begin(), second.end()));
  BatchDealer resumed(numbered_pairs(500), options);
  for (std::int64_t b = 20; b < resumed.batches_per_epoch(); ++b) {
    CHECK(resumed.batch(1, b).rows == second[static_cast<std::size_t>(b)]);
  }
  BatchDealer other(numbered_pairs(500), {.batch_tokens = 90, .seed = 10});
  CHECK(rows_of_epoch(other, 0) != first);
}

TEST_CASE("a budget makes batches of many short pairs and of few long ones") {
  std::vector<EncodedPair> pairs(6, {{4, 4}, {5}});   // longer side: 2
  pairs.insert(pairs.end(), 3, {{4}, {5, 5, 5, 5}});  // 5, the end token included
  pairs.push_back({Ids(10, 4), {5}});                 // 10
  BatchDealer dealer(pairs, {.batch_tokens = 10, .shuffle = false});
  using Rows = std::vector<std::vector<std::size_t>>;
  CHECK(rows_of_epoch(dealer, 0) == Rows{{0, 1, 2, 3, 4}, {5, 6}, {7, 8}, {9}});
  BatchDealer roomy(pairs, {.batch_tokens = 1'000'000, .shuffle = false});
  CHECK(roomy.batches_per_epoch() == 1);
  CHECK_THROWS_WITH(BatchDealer(pairs, {.batch_tokens = 9}),
                    "batches: a pair of 10 tokens is more than batch_tokens = 9");
  CHECK_THROWS_WITH(BatchDealer(pairs, {.batch_tokens = -1}),
                    "batches: batch_tokens must be positive, got -1");
}

TEST_CASE("batches outside their bounds are refused") {
  using namespace tensorette;
  CHECK_THROWS_AS(BatchDealer({}, {}), ShapeError);
  CHECK_THROWS_WITH(BatchDealer(numbered_pairs(3), {.batch_size = 0}),
                    "batches: batch_size must be positive, got 0");
  CHECK_THROWS_AS(BatchDealer(numbered_pairs(3), {.batches_per_group = -1}), ShapeError);
  BatchDealer dealer(numbered_pairs(3), {.batch_size = 2});
  CHECK_THROWS_WITH(dealer.batch(0, 2), "batches: batch 2 is outside [0, 2)");
  CHECK_THROWS_AS(dealer.batch(-1, 0), IndexError);
  CHECK_THROWS_AS(make_batch(numbered_pairs(3), {}), ShapeError);
  CHECK_THROWS_WITH(make_batch(numbered_pairs(3), {3}), "batches: row 3 of 3 pairs");
  BatchDealer huge(numbered_pairs(3), {.batch_size = INT64_MAX, .batches_per_group = INT64_MAX});
  CHECK(huge.batch(0, 0).size == 3);
}

TEST_CASE("random streams give the numbers of their definition") {
  // From a plain Python program with unbounded integers.
  RandomStream stream(7, 0);
  CHECK(stream.next() == 13019073220954770443ULL);
  CHECK(stream.next() == 8057604665378085418ULL);
  CHECK(RandomStream(7, 1).next() == 13572837776801163602ULL);
  std::vector<int> counts(6);
  for (int i = 0; i < 6'000; ++i) ++counts[stream.below(6)];
  for (const int count : counts) CHECK(count == Catch::Approx(1'000).margin(120));
}
