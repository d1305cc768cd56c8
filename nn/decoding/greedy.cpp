#include <cmath>
#include <tensorette/nn/decoding/decoding.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/reduce.hpp>

namespace tensorette::nn {

std::vector<Hypothesis> greedy_search(NextToken& model, Index sentences,
                                      const DecodingOptions& options) {
  detail::require<Error>(sentences >= 0 && options.max_length >= 0,
                         "greedy_search: max_length must not be negative, got {}",
                         options.max_length);
  detail::require<Error>(std::isfinite(options.length_penalty),
                         "greedy_search: length_penalty must be finite, got {}",
                         options.length_penalty);
  std::vector<Hypothesis> results(static_cast<std::size_t>(sentences));
  for (Hypothesis& result : results) result.is_cut_off = true;  // until the end token comes
  std::vector<Index> open;                                      // the sentence of each row
  for (Index sentence = 0; sentence < sentences; ++sentence) open.push_back(sentence);
  Tensor tokens = full({sentences}, options.begin_id, DType::i64);

  for (Index length = 1; length <= options.max_length && !open.empty(); ++length) {
    const Tensor log_probabilities = model.step(tokens);
    const std::vector<Index> chosen = argmax(log_probabilities, 1).to_vector<Index>();
    const std::vector<double> best = max(log_probabilities, 1).to(DType::f64).to_vector<double>();
    std::vector<Index> kept_rows;
    std::vector<Index> kept_sentences;
    std::vector<Index> next;
    for (std::size_t row = 0; row < open.size(); ++row) {
      Hypothesis& result = results[static_cast<std::size_t>(open[row])];
      result.log_probability += best[row];
      result.score = result.log_probability / length_penalty(length, options.length_penalty);
      if (chosen[row] == options.end_id) {
        result.is_cut_off = false;
        continue;
      }
      result.tokens.push_back(chosen[row]);
      kept_rows.push_back(static_cast<Index>(row));
      kept_sentences.push_back(open[row]);
      next.push_back(chosen[row]);
    }
    if (kept_rows.size() < open.size() && !kept_rows.empty()) model.reorder(from_vector(kept_rows));
    open = std::move(kept_sentences);
    tokens = from_vector(next);
  }
  return results;
}

}  // namespace tensorette::nn
