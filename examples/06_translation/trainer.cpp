#include "trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tensorette/autograd/fused/linear_cross_entropy.hpp>
#include <tensorette/autograd/ops/arithmetic.hpp>
#include <tensorette/autograd/ops/reduce.hpp>
#include <tensorette/nn/loss.hpp>
#include <tensorette/nn/optim/clipping.hpp>
#include <tensorette/tensor/create.hpp>

#include "training_cost.hpp"

namespace tensorette::translation {
namespace {

const char* const training_pairs_key = "training_pairs";

Index longest_source(const TrainingData& data) {
  std::size_t longest = 0;
  for (const SentencePair& pair : data.train) longest = std::max(longest, pair.source.size());
  return static_cast<Index>(longest);
}

Translator new_translator(const TrainingOptions& options, const TrainingData& data) {
  Generator generator(options.seed);
  Vocabularies vocabularies = vocabularies_of(data, options.data);
  Translator translator(std::move(vocabularies.source), std::move(vocabularies.target),
                        data.source_segmenter, data.target_segmenter, options.model, generator);
  translator.longest_source = longest_source(data);
  return translator;
}

BatchPrefetcher new_batches(const TrainingOptions& options, const Translator& translator,
                            const TrainingData& data) {
  std::vector<EncodedPair> pairs;
  for (const SentencePair& pair : data.train) {
    pairs.push_back(translator.encode(pair.source, pair.target));
  }
  return BatchPrefetcher(BatchDealer(std::move(pairs), {.batch_size = options.batch_size,
                                                        .batch_tokens = options.batch_tokens,
                                                        .seed = options.seed}));
}

template <class Result>
Result parsed(const nn::Checkpoint& checkpoint, const char* entry,
              Result (*read)(const nlohmann::json&)) {
  try {
    return read(nlohmann::json::parse(checkpoint.at(entry)));
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(std::string("checkpoint: \"") + entry + "\" can't be read: " + error.what());
  }
}

std::optional<optim::ExponentialMovingAverage> new_average(
    const TrainingOptions& options, const std::vector<Variable>& parameters) {
  if (options.average_decay == 0) return std::nullopt;
  return optim::ExponentialMovingAverage(
      parameters, {.decay = options.average_decay, .share = options.average_share});
}

// Mean cross entropy of the labels that count. Over a large vocabulary the logits of a batch would
// be by far its largest tensor; a few of them at a time stay in cache.
Variable translation_loss(const nn::Transformer& model, const Variable& decoded,
                          const Tensor& labels, const Batch& batch,
                          const TrainingOptions& options) {
  constexpr Index large_vocabulary = 2048;
  if (model.options().target_vocabulary < large_vocabulary) {
    return nn::cross_entropy(model.output.forward(decoded), labels,
                             {.ignore_index = kPad, .label_smoothing = options.label_smoothing});
  }
  const Variable losses = linear_cross_entropy(decoded, model.output.weight, model.output.bias,
                                               labels, kPad, options.label_smoothing);
  return sum(losses) * (1.0 / static_cast<double>(batch.label_count));
}

TrainingOptions resumed_options(const nn::Checkpoint& checkpoint, std::optional<Index> epochs) {
  TrainingOptions options = Trainer::options_in(checkpoint);
  if (epochs) options.epochs = *epochs;
  return options;
}

}  // namespace

TrainingOptions Trainer::options_in(const nn::Checkpoint& checkpoint) {
  return parsed(checkpoint, "training_options", &training_options_from_json);
}

Trainer::Trainer(const TrainingOptions& options, const TrainingData& data)
    : options_(options),
      translator_(new_translator(options, data)),
      batches_(new_batches(options, translator_, data)),
      guidance_(data.train),
      parameters_(translator_.model.parameters()),
      optimizer_(parameters_, {.learning_rate = options.learning_rate, .beta2 = options.beta2}),
      average_(new_average(options, parameters_)) {}

Trainer::Trainer(const nn::Checkpoint& checkpoint, const TrainingData& data,
                 std::optional<Index> epochs)
    : options_(resumed_options(checkpoint, epochs)),
      translator_(Translator::from_checkpoint(checkpoint)),
      batches_(new_batches(options_, translator_, data)),
      guidance_(data.train),
      parameters_(translator_.model.parameters()),
      optimizer_(parameters_, {.learning_rate = options_.learning_rate, .beta2 = options_.beta2}),
      average_(new_average(options_, parameters_)),
      progress_(parsed(checkpoint, "training_progress", &progress_from_json)) {
  checkpoint.restore(optimizer_);
  if (average_) {
    checkpoint.restore(*average_);
    if (average_->is_swapped()) average_->swap();
  }
  const Index begun = progress_.epoch + (progress_.batch > 0 ? 1 : 0);
  if (options_.epochs < begun) {
    throw Error("the saved run has begun or done " + std::to_string(begun) +
                " epochs already: --epochs must be at least that, got " +
                std::to_string(options_.epochs));
  }
  const Vocabularies vocabularies = vocabularies_of(data, options_.data);
  if (vocabularies.source != translator_.source_vocabulary ||
      vocabularies.target != translator_.target_vocabulary) {
    throw FormatError("checkpoint: it was made from other training data: the words differ");
  }
  // Pieces come from the checkpoint, so that they tell nothing of the sentences.
  const auto saved = checkpoint.metadata.find(training_pairs_key);
  if (saved != checkpoint.metadata.end() &&
      saved->second != std::to_string(fingerprint_of(batches_.pairs()))) {
    throw FormatError("checkpoint: it was made from other training data: the sentences differ");
  }
  if (progress_.batch > batches_.batches_per_epoch()) {
    throw FormatError("checkpoint: it was made from other training data: it stands at batch " +
                      std::to_string(progress_.batch) + " of " +
                      std::to_string(batches_.batches_per_epoch()));
  }
}

Index Trainer::updates_per_epoch() const {
  return (batches_.batches_per_epoch() + options_.accumulate - 1) / options_.accumulate;
}

std::vector<Batch> Trainer::next_batches() {
  const Index left = batches_.batches_per_epoch() - progress_.batch;
  std::vector<Batch> batches;
  for (Index i = 0; i < std::min(options_.accumulate, left); ++i) {
    batches.push_back(batches_.batch(progress_.epoch, progress_.batch + i));
  }
  return batches;
}

Trainer::Losses Trainer::losses(const Batch& batch) const {
  const Tensor source = from_vector(batch.source, {batch.size, batch.source_length});
  const Tensor input = from_vector(batch.decoder_input, {batch.size, batch.target_length});
  const Tensor labels = from_vector(batch.labels, {batch.size, batch.target_length});
  const nn::Transformer& model = translator_.model;
  const bool is_guided =
      options_.guidance > 0 && !guidance_.is_empty() && !model.encoder.layers.empty();
  std::vector<Variable> scores;
  const Variable memory = model.encode(source, is_guided ? &scores : nullptr);
  const Variable translation = translation_loss(
      model, model.decode(input, memory, model.source_mask(source)), labels, batch, options_);
  if (is_guided) {
    if (const auto term = guidance_.loss(scores.back(), batch.rows)) {
      return {.translation = translation, .total = translation + *term * options_.guidance};
    }
  }
  return {.translation = translation, .total = translation};
}

double Trainer::add_gradients(const Batch& batch, double share) const {
  const Losses losses = this->losses(batch);
  // One batch has all the labels: nothing to weigh.
  (share == 1 ? losses.total : losses.total * share).backward();
  return losses.translation.item();
}

double Trainer::step() {
  const auto began = std::chrono::steady_clock::now();
  const std::vector<Batch> batches = next_batches();
  UpdateReport update{.learning_rate = translation::learning_rate(options_, progress_.updates + 1,
                                                                  updates_in_all())};
  for (const Batch& batch : batches) {
    update.tokens += batch.label_count;
    update.products += training_products(translator_.model.options(), batch);
  }
  translator_.model.train();
  optimizer_.zero_grad();
  for (const Batch& batch : batches) {
    const double share =
        static_cast<double>(batch.label_count) / static_cast<double>(update.tokens);
    update.loss += share * add_gradients(batch, share);
  }
  update.gradient_norm = optim::clip_gradient_norm(parameters_, options_.clip_norm);
  if (std::isfinite(update.gradient_norm)) {
    optimizer_.set_learning_rate(update.learning_rate);
    optimizer_.step();
    if (average_) average_->update();
  } else {
    ++progress_.skipped_updates;
  }
  update.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  advance(update, static_cast<Index>(batches.size()));
  return update.loss;
}

void Trainer::advance(const UpdateReport& update, Index batches) {
  last_update_ = update;
  ++progress_.updates;
  progress_.seconds += update.seconds;
  progress_.losses.push_back(update.loss);
  if (std::isfinite(update.loss)) {
    progress_.epoch_loss_sum += update.loss * static_cast<double>(update.tokens);
    progress_.epoch_tokens += update.tokens;
  }
  progress_.batch += batches;
  if (progress_.batch < batches_.batches_per_epoch()) return;
  progress_.epoch_losses.push_back(progress_.epoch_loss_sum /
                                   static_cast<double>(progress_.epoch_tokens));
  progress_.epoch_loss_sum = 0;
  progress_.epoch_tokens = 0;
  progress_.batch = 0;
  ++progress_.epoch;
}

nn::Checkpoint Trainer::checkpoint() {
  const optim::AverageInPlace averaged(average());
  nn::Checkpoint checkpoint;
  translator_.put_into(checkpoint);
  checkpoint.put(optimizer_);
  if (average_) checkpoint.put(*average_);
  checkpoint.metadata["training_options"] = to_json(options_).dump();
  checkpoint.metadata["training_progress"] = to_json(progress_).dump();
  checkpoint.metadata[training_pairs_key] = std::to_string(fingerprint_of(batches_.pairs()));
  return average_ ? checkpoint.clone() : checkpoint;  // the averages are about to leave the model
}

}  // namespace tensorette::translation
