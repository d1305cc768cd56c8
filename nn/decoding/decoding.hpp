/// \file
/// From a trained model to sentences: greedy and beam search.
#pragma once

#include <functional>
#include <tensorette/nn/transformer.hpp>
#include <tensorette/tensor/index.hpp>
#include <vector>

namespace tensorette::nn {

/// Options of greedy and beam search.
struct DecodingOptions {
  Index max_length = 100;       ///< most tokens of a result, the end token included
  Index beam = 1;               ///< hypotheses kept per sentence (beam search)
  double length_penalty = 0.6;  ///< α of ((5 + L)/6)^α, L counting the end but not the start token
  Index best = 1;               ///< hypotheses returned per sentence, at most `beam`
  Index begin_id = 1;           ///< what the target begins with
  Index end_id = 2;             ///< what ends it
  /// What max_length is for each sentence, where they differ. Empty: they do not.
  std::vector<Index> max_lengths{};
};

/// One translation.
struct Hypothesis {
  std::vector<Index> tokens{};  ///< without start and end token
  double log_probability = 0;   ///< sum over the tokens and, if reached, the end token
  double score = 0;             ///< log_probability divided by the length penalty
  bool is_cut_off = false;      ///< max_length came before the end token
};

/// ((5 + length)/6)^alpha (Wu et al. 2016, equation 14).
[[nodiscard]] double length_penalty(Index length, double alpha);

/// What decoding needs of a model: log probabilities of the next token.
class NextToken {
 public:
  virtual ~NextToken() = default;
  /// Takes the latest token of every row and gives log probabilities [rows, vocabulary].
  virtual Tensor step(const Tensor& tokens) = 0;
  /// Does a step too, but gives only the `count` most probable tokens of every row (all, if there
  /// are not as many) with their log probabilities, best first: [rows, count]. A model that knows
  /// them without all log probabilities does better than this, which looks through step().
  virtual ValuesAndIndices best(const Tensor& tokens, Index count);
  /// Continues with the given rows, in that order; rows may repeat or vanish.
  virtual void reorder(const Tensor& rows) = 0;
};

/// The most probable token each time. Rows that have ended wait for the others.
/// \throws Error for max_length < 0, max_lengths that are not one for each sentence, or a
/// length_penalty that is not finite
[[nodiscard]] std::vector<Hypothesis> greedy_search(NextToken& model, Index sentences,
                                                    const DecodingOptions& options);

/// Beam search (Graves 2012) with length penalty: [sentence][rank], best first. A beam of 1 gives
/// what greedy_search() gives. A hypothesis that can't win any more is given up, and a sentence is
/// done when none is left.
/// \throws Error for a beam or `best` that is not positive, and as greedy_search() does
[[nodiscard]] std::vector<std::vector<Hypothesis>> beam_search(NextToken& model, Index sentences,
                                                               const DecodingOptions& options);

/// A Transformer as the model, with key/value caches. `source` [sentences, tokens] holds ids. What
/// is longer than the model's max_length is cut off there.
[[nodiscard]] std::vector<Hypothesis> greedy_search(const Transformer& model, const Tensor& source,
                                                    const DecodingOptions& options);
[[nodiscard]] std::vector<std::vector<Hypothesis>> beam_search(const Transformer& model,
                                                               const Tensor& source,
                                                               const DecodingOptions& options);

}  // namespace tensorette::nn
