#include "translation_batch.hpp"

#include <random>

namespace tensorette::bench {

TranslationBatch make_translation_batch(const TransformerShape& shape) {
  constexpr std::int64_t first_word = TranslationBatch::end + 1;
  std::mt19937 engine(1);  // its numbers are the same with every standard library
  const auto below = [&](std::int64_t bound) { return std::int64_t(engine()) % bound; };
  const auto sentence_length = [&] {
    const std::int64_t least = 2 * shape.length / 3;
    return least + below(shape.length - least + 1);
  };

  TranslationBatch batch;
  for (std::int64_t sample = 0; sample < shape.batch; ++sample) {
    const std::int64_t source_length = sentence_length();
    const std::int64_t target_length = sentence_length();
    std::int64_t previous = TranslationBatch::start;
    for (std::int64_t position = 0; position < shape.length; ++position) {
      const std::int64_t word = first_word + below(shape.vocabulary - first_word);
      const bool is_last = position + 1 == target_length;
      const bool is_target = position < target_length;
      batch.source.push_back(position < source_length ? word : TranslationBatch::padding);
      batch.target.push_back(is_target ? previous : TranslationBatch::padding);
      const std::int64_t label = is_last ? TranslationBatch::end : word;
      batch.labels.push_back(is_target ? label : TranslationBatch::padding);
      previous = word;
    }
  }
  return batch;
}

}  // namespace tensorette::bench
