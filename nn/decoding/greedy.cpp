#include <tensorette/nn/decoding/decoding.hpp>
#include <tensorette/nn/decoding/detail/check_options.hpp>
#include <tensorette/tensor/create.hpp>

namespace tensorette::nn {

std::vector<Hypothesis> greedy_search(NextToken& model, Index sentences,
                                      const DecodingOptions& options) {
  check_options("greedy_search", sentences, options);
  std::vector<Hypothesis> results(static_cast<std::size_t>(sentences));
  for (Hypothesis& result : results) result.is_cut_off = true;  // until the end token comes
  std::vector<Index> open;                                      // the sentence of each row
  std::vector<Index> tokens;
  // Goes on with the rows of sentences that have not ended; `next` holds each row's latest token.
  const auto keep_open = [&](const std::vector<Index>& sentence_of_row,
                             const std::vector<Index>& next, Index length) {
    std::vector<Index> rows;
    open.clear();
    tokens.clear();
    for (std::size_t row = 0; row < sentence_of_row.size(); ++row) {
      const Index sentence = sentence_of_row[row];
      const bool has_ended = !results[static_cast<std::size_t>(sentence)].is_cut_off;
      if (has_ended || length >= max_length_of(options, sentence)) continue;
      rows.push_back(static_cast<Index>(row));
      open.push_back(sentence);
      tokens.push_back(next[row]);
    }
    if (rows.size() < sentence_of_row.size() && !rows.empty()) model.reorder(from_vector(rows));
  };
  std::vector<Index> all;
  for (Index sentence = 0; sentence < sentences; ++sentence) all.push_back(sentence);
  keep_open(all, std::vector<Index>(all.size(), options.begin_id), 0);

  for (Index length = 1; !open.empty(); ++length) {
    const ValuesAndIndices best = model.best(from_vector(tokens), 1);
    const auto chosen = best.indices.to_vector<Index>();
    const auto values = best.values.to(DType::f64).to_vector<double>();
    for (std::size_t row = 0; row < open.size(); ++row) {
      Hypothesis& result = results[static_cast<std::size_t>(open[row])];
      result.log_probability += values[row];
      result.score = result.log_probability / length_penalty(length, options.length_penalty);
      if (chosen[row] == options.end_id) {
        result.is_cut_off = false;
      } else {
        result.tokens.push_back(chosen[row]);
      }
    }
    keep_open(std::vector<Index>(open), chosen, length);
  }
  return results;
}

}  // namespace tensorette::nn
