#include "batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <tensorette/tensor/error.hpp>
#include <utility>

#include "random_stream.hpp"
#include "vocabulary.hpp"

namespace tensorette::translation {
namespace {

void require_positive(std::int64_t value, const char* name) {
  if (value > 0) return;
  throw ShapeError(fmt::format("batches: {} must be positive, got {}", name, value));
}

std::int64_t length_of(const std::vector<std::int64_t>& ids) {
  return static_cast<std::int64_t>(ids.size());
}

std::int64_t longer_side(const EncodedPair& pair) {
  return std::max(length_of(pair.source), length_of(pair.target) + 1);
}

std::vector<std::size_t> starts_by_size(std::size_t pairs, std::size_t batch_size) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < pairs; at += std::min(batch_size, pairs - at)) starts.push_back(at);
  starts.push_back(pairs);
  return starts;
}

/// Sorted by their longer side, pairs have the same lengths one after the other in every epoch: the
/// batches that fit the budget begin at the same places.
std::vector<std::size_t> starts_by_tokens(const std::vector<EncodedPair>& pairs,
                                          std::int64_t batch_tokens) {
  std::vector<std::int64_t> lengths;
  for (const EncodedPair& pair : pairs) lengths.push_back(longer_side(pair));
  std::sort(lengths.begin(), lengths.end());
  if (lengths.back() > batch_tokens) {
    throw ShapeError(fmt::format("batches: a pair of {} tokens is more than batch_tokens = {}",
                                 lengths.back(), batch_tokens));
  }
  std::vector<std::size_t> starts{0};
  for (std::size_t at = 1; at < lengths.size(); ++at) {
    const auto rows = static_cast<std::int64_t>(at - starts.back()) + 1;
    if (rows > batch_tokens / lengths[at]) starts.push_back(at);
  }
  starts.push_back(lengths.size());
  return starts;
}

}  // namespace

std::uint64_t fingerprint_of(const std::vector<EncodedPair>& pairs) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  const auto add = [&](std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
      hash = (hash ^ ((value >> (8 * byte)) & 0xFFU)) * 0x100000001B3ULL;
    }
  };
  for (const EncodedPair& pair : pairs) {
    for (const auto* side : {&pair.source, &pair.target}) {
      add(side->size());
      for (const std::int64_t id : *side) add(static_cast<std::uint64_t>(id));
    }
  }
  return hash;
}

Batch make_batch(const std::vector<EncodedPair>& pairs, std::vector<std::size_t> rows) {
  if (rows.empty()) throw ShapeError("batches: a batch needs at least one row");
  Batch batch;
  batch.size = static_cast<std::int64_t>(rows.size());
  for (const std::size_t row : rows) {
    if (row >= pairs.size()) {
      throw IndexError(fmt::format("batches: row {} of {} pairs", row, pairs.size()));
    }
    batch.source_length = std::max(batch.source_length, length_of(pairs[row].source));
    batch.target_length = std::max(batch.target_length, length_of(pairs[row].target) + 1);
  }
  const auto source_width = static_cast<std::size_t>(batch.source_length);
  const auto target_width = static_cast<std::size_t>(batch.target_length);
  batch.source.assign(rows.size() * source_width, kPad);
  batch.decoder_input.assign(rows.size() * target_width, kPad);
  batch.labels.assign(rows.size() * target_width, kPad);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const EncodedPair& pair = pairs[rows[i]];
    std::copy(pair.source.begin(), pair.source.end(), batch.source.data() + i * source_width);
    std::int64_t* input = &batch.decoder_input[i * target_width];
    input[0] = kBegin;
    std::copy(pair.target.begin(), pair.target.end(), input + 1);
    std::int64_t* labels = &batch.labels[i * target_width];
    *std::copy(pair.target.begin(), pair.target.end(), labels) = kEnd;
    batch.source_lengths.push_back(length_of(pair.source));
    batch.target_lengths.push_back(length_of(pair.target) + 1);
    batch.label_count += batch.target_lengths.back();
  }
  batch.rows = std::move(rows);
  return batch;
}

BatchDealer::BatchDealer(std::vector<EncodedPair> pairs, const BatchOptions& options)
    : pairs_(std::move(pairs)), options_(options) {
  if (pairs_.empty()) throw ShapeError("batches: no pairs to deal");
  require_positive(options.batch_size, "batch_size");
  require_positive(options.batches_per_group, "batches_per_group");
  if (options.batch_tokens == 0) {
    starts_ = starts_by_size(pairs_.size(), static_cast<std::size_t>(options.batch_size));
  } else {
    require_positive(options.batch_tokens, "batch_tokens");
    starts_ = starts_by_tokens(pairs_, options.batch_tokens);
  }
}

void BatchDealer::plan(std::int64_t epoch) {
  order_.resize(pairs_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  batch_order_.resize(starts_.size() - 1);
  std::iota(batch_order_.begin(), batch_order_.end(), std::size_t{0});

  RandomStream random(options_.seed, static_cast<std::uint64_t>(epoch));
  if (options_.shuffle) shuffle(std::span(order_), random);
  if (options_.batch_tokens == 0) {
    sort_groups();
  } else {
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return longer_side(pairs_[a]) < longer_side(pairs_[b]);
    });
  }
  if (options_.shuffle) shuffle(std::span(batch_order_), random);
  planned_epoch_ = epoch;
}

void BatchDealer::sort_groups() {
  std::size_t group = order_.size();
  if (options_.shuffle) {
    const auto batch_size = static_cast<std::size_t>(options_.batch_size);
    const auto batches = static_cast<std::size_t>(options_.batches_per_group);
    if (batches < group / batch_size) group = batches * batch_size;
  }
  const auto shorter = [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t row) {
      return std::pair(pairs_[row].target.size(), pairs_[row].source.size());
    };
    return key(a) < key(b);
  };
  for (std::size_t begin = 0; begin < order_.size(); begin += group) {
    const std::size_t end = std::min(begin + group, order_.size());
    std::stable_sort(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                     order_.begin() + static_cast<std::ptrdiff_t>(end), shorter);
  }
}

Batch BatchDealer::batch(std::int64_t epoch, std::int64_t index) {
  if (epoch < 0) throw IndexError(fmt::format("batches: epoch {} is negative", epoch));
  if (index < 0 || index >= batches_per_epoch()) {
    throw IndexError(
        fmt::format("batches: batch {} is outside [0, {})", index, batches_per_epoch()));
  }
  if (epoch != planned_epoch_) plan(epoch);
  const std::size_t place = batch_order_[static_cast<std::size_t>(index)];
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(starts_[place]);
  const auto end = order_.begin() + static_cast<std::ptrdiff_t>(starts_[place + 1]);
  return make_batch(pairs_, std::vector(begin, end));
}

}  // namespace tensorette::translation
