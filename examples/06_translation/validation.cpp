#include "validation.hpp"

#include <tensorette/autograd/fused/linear_cross_entropy.hpp>
#include <tensorette/autograd/grad_mode.hpp>
#include <tensorette/autograd/ops/reduce.hpp>
#include <tensorette/tensor/create.hpp>

#include "evaluation.hpp"

namespace tensorette::translation {
namespace {

double loss_sum(const nn::Transformer& model, const Batch& batch) {
  const Tensor source = from_vector(batch.source, {batch.size, batch.source_length});
  const Tensor input = from_vector(batch.decoder_input, {batch.size, batch.target_length});
  const Tensor labels = from_vector(batch.labels, {batch.size, batch.target_length});
  const Variable decoded = model.decode(input, model.encode(source), model.source_mask(source));
  return sum(linear_cross_entropy(decoded, model.output.weight, model.output.bias, labels, kPad))
      .item();
}

double bleu(const Translator& translator, const TrainingData& data) {
  std::vector<std::vector<std::string>> sources;
  for (const SentencePair& pair : data.valid) sources.push_back(pair.source);
  std::vector<std::string> translations;
  for (const Translation& translation : translator.translate_tokens(sources)) {
    translations.push_back(translation.text);
  }
  std::vector<std::vector<std::string>> references;
  for (const std::string& reference : data.valid_references) references.push_back({reference});
  return corpus_bleu(translations, references, bleu_options_for(data)).score;
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
  BatchDealer dealer = batches_by_length(translator, data.valid);
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
  if (trainer.options().validation.bleu) result.bleu = bleu(translator, data);
  return result;
}

}  // namespace tensorette::translation
