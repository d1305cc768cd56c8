#include "validation.hpp"

#include <algorithm>
#include <tensorette/autograd/fused/linear_cross_entropy.hpp>
#include <tensorette/autograd/grad_mode.hpp>
#include <tensorette/autograd/ops/reduce.hpp>
#include <tensorette/tensor/create.hpp>

namespace tensorette::translation {
namespace {

constexpr std::int64_t sentences_at_once = 64;

// From the shortest to the longest, so that little is padding.
BatchDealer in_order_of_length(const Translator& translator,
                               const std::vector<SentencePair>& pairs) {
  std::vector<EncodedPair> encoded;
  for (const SentencePair& pair : pairs) {
    encoded.push_back(translator.encode(pair.source, pair.target));
  }
  return BatchDealer(std::move(encoded), {.batch_size = sentences_at_once, .shuffle = false});
}

double loss_sum(const nn::Transformer& model, const Batch& batch) {
  const Tensor source = from_vector(batch.source, {batch.size, batch.source_length});
  const Tensor input = from_vector(batch.decoder_input, {batch.size, batch.target_length});
  const Tensor labels = from_vector(batch.labels, {batch.size, batch.target_length});
  const Variable decoded = model.decode(input, model.encode(source), model.source_mask(source));
  return sum(linear_cross_entropy(decoded, model.output.weight, model.output.bias, labels, kPad))
      .item();
}

double bleu(const Translator& translator, BatchDealer& dealer, const TrainingData& data) {
  const BleuOptions options = bleu_options_for(data);
  BleuCounts counts;
  for (std::int64_t i = 0; i < dealer.batches_per_epoch(); ++i) {
    const std::vector<std::size_t> rows = dealer.batch(0, i).rows;
    std::vector<std::vector<std::string>> sources;
    for (const std::size_t row : rows) sources.push_back(data.valid[row].source);
    const std::vector<Translation> translations = translator.translate_tokens(sources);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      counts += bleu_counts(translations[k].text, {data.valid_references[rows[k]]}, options);
    }
  }
  return bleu_from_counts(counts, options.smoothing).score;
}

}  // namespace

BleuOptions bleu_options_for(const TrainingData& data) {
  const bool is_cut_already = data.target_segmenter.options().tokenizer == TokenizerKind::none;
  return {.tokenizer = is_cut_already ? BleuTokenizer::none : BleuTokenizer::v13a};
}

Validation validate(Trainer& trainer, const TrainingData& data) {
  const NoGrad no_grad;
  const optim::AverageInPlace averaged(trainer.average());
  Translator& translator = trainer.translator();
  translator.model.eval();
  BatchDealer dealer = in_order_of_length(translator, data.valid);
  Validation result{.update = trainer.progress().updates,
                    .epoch = trainer.progress().epoch,
                    .seconds = trainer.progress().seconds};
  double sum_of_losses = 0;
  std::int64_t tokens = 0;
  for (std::int64_t i = 0; i < dealer.batches_per_epoch(); ++i) {
    const Batch batch = dealer.batch(0, i);
    sum_of_losses += loss_sum(translator.model, batch);
    tokens += batch.label_count;
  }
  result.loss = sum_of_losses / static_cast<double>(tokens);
  if (trainer.options().validation.bleu) result.bleu = bleu(translator, dealer, data);
  return result;
}

}  // namespace tensorette::translation
