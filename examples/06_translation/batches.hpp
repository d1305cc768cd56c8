/// \file
/// Batches for training and evaluation: sentences of like length together, in an order that a seed
/// fixes. Before: vocabulary.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tensorette::translation {

/// One sentence pair as ids, without start and end tokens.
struct EncodedPair {
  std::vector<std::int64_t> source;
  std::vector<std::int64_t> target;
};

/// A number that almost surely differs where pairs, or their order, differ: FNV-1a over all ids and
/// lengths. It tells whether a saved run goes on with the pairs it began with.
[[nodiscard]] std::uint64_t fingerprint_of(const std::vector<EncodedPair>& pairs);

/// B sentence pairs, filled up with kPad to the longest: source [B, S], target side [B, T].
///
/// For teacher forcing the target is shifted by one place: the target a b gives
///
///     decoder_input   BOS a   b
///     labels          a   b   EOS
///
/// so that position t has seen the tokens before t and is asked for token t.
struct Batch {
  std::int64_t size = 0;                     ///< B
  std::int64_t source_length = 0;            ///< S
  std::int64_t target_length = 0;            ///< T, one more than the longest target has tokens
  std::vector<std::int64_t> source;          ///< [B, S]
  std::vector<std::int64_t> decoder_input;   ///< [B, T]
  std::vector<std::int64_t> labels;          ///< [B, T]
  std::vector<std::int64_t> source_lengths;  ///< [B], without padding
  std::vector<std::int64_t> target_lengths;  ///< [B], of decoder_input and labels, end included
  std::int64_t label_count = 0;              ///< labels that are not padding, over all rows
  std::vector<std::size_t> rows;             ///< [B], which of the pairs each row is
};

/// Puts the pairs at `rows` into one batch. Throws ShapeError if `rows` is empty and IndexError if
/// one is not below pairs.size().
[[nodiscard]] Batch make_batch(const std::vector<EncodedPair>& pairs,
                               std::vector<std::size_t> rows);

struct BatchOptions {
  std::int64_t batch_size = 64;
  /// The most tokens of a batch, padding included: rows times the longer of source_length and
  /// target_length. Short sentences then make batches of many rows, long ones of few. 0: every
  /// batch has batch_size rows.
  std::int64_t batch_tokens = 0;
  std::uint64_t seed = 0;
  bool shuffle = true;  ///< false: every epoch goes from the shortest to the longest pairs
  /// Shuffled pairs are sorted by length within groups of so many batches. More saves padding,
  /// fewer mixes lengths better. Batches of batch_tokens are cut from one group of all pairs, in
  /// which those whose longer sides are equally long stay shuffled.
  std::int64_t batches_per_group = 32;
};

/// Deals pairs into batches, epoch after epoch. Every epoch holds every pair once, in the same
/// number of batches of the same sizes; one of them may be smaller than asked for.
///
/// What batch b of epoch e holds is a function of (pairs, options, e, b) alone: to resume, ask for
/// the batch where training stopped. No state needs saving but these two numbers.
///
///     BatchDealer dealer(pairs, {.batch_size = 64, .seed = 7});
///     for (std::int64_t b = 0; b < dealer.batches_per_epoch(); ++b) step(dealer.batch(epoch, b));
class BatchDealer {
 public:
  /// Throws ShapeError if there are no pairs, if a size in the options is not positive, or if a
  /// pair alone has more than batch_tokens.
  BatchDealer(std::vector<EncodedPair> pairs, const BatchOptions& options);

  [[nodiscard]] std::int64_t batches_per_epoch() const {
    return static_cast<std::int64_t>(starts_.size()) - 1;
  }
  [[nodiscard]] const std::vector<EncodedPair>& pairs() const { return pairs_; }

  /// Batch `index` of epoch `epoch`, both from 0. Throws IndexError outside these bounds. The first
  /// batch of an epoch costs a shuffle of all pairs; keep to one epoch at a time.
  [[nodiscard]] Batch batch(std::int64_t epoch, std::int64_t index);

 private:
  void plan(std::int64_t epoch);
  void sort_groups();

  std::vector<EncodedPair> pairs_;
  BatchOptions options_;
  std::vector<std::size_t> starts_;  ///< where each batch begins in order_, then the end
  std::int64_t planned_epoch_ = -1;
  std::vector<std::size_t> order_;        ///< the planned epoch: all rows, batch after batch
  std::vector<std::size_t> batch_order_;  ///< the planned epoch: which batch comes when
};

}  // namespace tensorette::translation
