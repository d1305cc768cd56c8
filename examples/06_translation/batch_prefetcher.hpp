/// \file
/// Batches prepared in the background while the last one is trained on. Before: batches.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "batches.hpp"

namespace tensorette::translation {

/// A BatchDealer with a thread of its own, which deals the batches that come next ahead of time.
///
/// It gives the batches that the dealer would have given, whatever is asked for in whatever order;
/// asked for one batch after the other, epoch after epoch, it has them ready. What the dealer
/// throws is thrown to the caller of batch().
///
///     BatchPrefetcher batches(BatchDealer(pairs, {.batch_tokens = 4'096}));
///     for (std::int64_t b = 0; b < batches.batches_per_epoch(); ++b) step(batches.batch(epoch,
///     b));
class BatchPrefetcher {
 public:
  /// Keeps up to `ahead` batches ready. The thread starts with the first call of batch(). Throws
  /// ShapeError if `ahead` is 0.
  explicit BatchPrefetcher(BatchDealer dealer, std::size_t ahead = 4);
  BatchPrefetcher(BatchPrefetcher&&) noexcept;
  BatchPrefetcher& operator=(BatchPrefetcher&&) noexcept;
  /// Waits for the batch that is being made, then ends the thread.
  ~BatchPrefetcher();

  [[nodiscard]] std::int64_t batches_per_epoch() const;
  [[nodiscard]] const std::vector<EncodedPair>& pairs() const;

  /// As BatchDealer::batch(). For one caller at a time.
  [[nodiscard]] Batch batch(std::int64_t epoch, std::int64_t index);

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;  ///< null only after a move
};

}  // namespace tensorette::translation
