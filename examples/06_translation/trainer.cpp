#include "trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <tensorette/autograd/ops/arithmetic.hpp>
#include <tensorette/nn/loss.hpp>
#include <tensorette/nn/optim/clipping.hpp>
#include <tensorette/nn/optim/schedule.hpp>
#include <tensorette/tensor/create.hpp>

namespace tensorette::translation {
namespace {

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

BatchDealer new_dealer(const TrainingOptions& options, const Translator& translator,
                       const TrainingData& data) {
  std::vector<EncodedPair> pairs;
  for (const SentencePair& pair : data.train) {
    pairs.push_back(translator.encode(pair.source, pair.target));
  }
  return BatchDealer(std::move(pairs), {.batch_size = options.batch_size, .seed = options.seed});
}

// JSON has no NaN: a loss that is not finite is null.
nlohmann::json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json finite_or_null(const std::vector<double>& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const double value : values) list.push_back(finite_or_null(value));
  return list;
}

std::vector<double> nan_for_null(const nlohmann::json& list) {
  std::vector<double> values;
  for (const nlohmann::json& value : list) {
    values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                     : value.get<double>());
  }
  return values;
}

nlohmann::json to_json(const TrainingProgress& p) {
  return {{"epoch", p.epoch},
          {"batch", p.batch},
          {"updates", p.updates},
          {"seconds", p.seconds},
          {"epoch_loss_sum", p.epoch_loss_sum},
          {"epoch_tokens", p.epoch_tokens},
          {"losses", finite_or_null(p.losses)},
          {"epoch_losses", finite_or_null(p.epoch_losses)},
          {"skipped_updates", p.skipped_updates}};
}

TrainingProgress progress_from_json(const nlohmann::json& json) {
  TrainingProgress p;
  json.at("epoch").get_to(p.epoch);
  json.at("batch").get_to(p.batch);
  json.at("updates").get_to(p.updates);
  json.at("seconds").get_to(p.seconds);
  json.at("epoch_loss_sum").get_to(p.epoch_loss_sum);
  json.at("epoch_tokens").get_to(p.epoch_tokens);
  p.losses = nan_for_null(json.at("losses"));
  p.epoch_losses = nan_for_null(json.at("epoch_losses"));
  json.at("skipped_updates").get_to(p.skipped_updates);
  return p;
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

TrainingOptions resumed_options(const nn::Checkpoint& checkpoint, std::optional<Index> epochs) {
  TrainingOptions options = Trainer::options_in(checkpoint);
  if (epochs) options.epochs = *epochs;
  return options;
}

}  // namespace

nlohmann::json to_json(const TrainingOptions& o) {
  return {{"data", to_json(o.data)},
          {"epochs", o.epochs},
          {"batch_size", o.batch_size},
          {"learning_rate", o.learning_rate},
          {"warmup", o.warmup},
          {"label_smoothing", o.label_smoothing},
          {"clip_norm", o.clip_norm},
          {"guidance", o.guidance},
          {"seed", o.seed}};
}

TrainingOptions training_options_from_json(const nlohmann::json& json) {
  TrainingOptions o;
  o.data = data_options_from_json(json.at("data"));
  json.at("epochs").get_to(o.epochs);
  json.at("batch_size").get_to(o.batch_size);
  json.at("learning_rate").get_to(o.learning_rate);
  json.at("warmup").get_to(o.warmup);
  json.at("label_smoothing").get_to(o.label_smoothing);
  json.at("clip_norm").get_to(o.clip_norm);
  json.at("guidance").get_to(o.guidance);
  json.at("seed").get_to(o.seed);
  return o;
}

TrainingOptions Trainer::options_in(const nn::Checkpoint& checkpoint) {
  return parsed(checkpoint, "training_options", &training_options_from_json);
}

Index epochs_for(Index pairs, Index batch_size) {
  constexpr Index updates = 1'500;
  constexpr Index most = 300;
  const Index batches = std::max<Index>((pairs + batch_size - 1) / batch_size, 1);
  return std::clamp((updates + batches - 1) / batches, TrainingOptions{}.epochs, most);
}

Trainer::Trainer(const TrainingOptions& options, const TrainingData& data)
    : options_(options),
      translator_(new_translator(options, data)),
      dealer_(new_dealer(options, translator_, data)),
      guidance_(data.train),
      parameters_(translator_.model.parameters()),
      optimizer_(parameters_, {.learning_rate = options.learning_rate, .beta2 = 0.98}) {}

Trainer::Trainer(const nn::Checkpoint& checkpoint, const TrainingData& data,
                 std::optional<Index> epochs)
    : options_(resumed_options(checkpoint, epochs)),
      translator_(Translator::from_checkpoint(checkpoint)),
      dealer_(new_dealer(options_, translator_, data)),
      guidance_(data.train),
      parameters_(translator_.model.parameters()),
      optimizer_(parameters_, {.learning_rate = options_.learning_rate, .beta2 = 0.98}),
      progress_(parsed(checkpoint, "training_progress", &progress_from_json)) {
  checkpoint.restore(optimizer_);
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
  if (progress_.batch > dealer_.batches_per_epoch()) {
    throw FormatError("checkpoint: it was made from other training data: it stands at batch " +
                      std::to_string(progress_.batch) + " of " +
                      std::to_string(dealer_.batches_per_epoch()));
  }
}

double Trainer::learning_rate(Index update) const {
  const optim::CosineSchedule schedule{.peak = options_.learning_rate,
                                       .warmup = std::min(options_.warmup, updates_in_all() / 8),
                                       .total = updates_in_all(),
                                       .floor = 0.01 * options_.learning_rate};
  return schedule(update);
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
  const Variable logits =
      model.output.forward(model.decode(input, memory, model.source_mask(source)));
  const Variable translation = nn::cross_entropy(
      logits, labels, {.ignore_index = kPad, .label_smoothing = options_.label_smoothing});
  if (is_guided) {
    if (const auto term = guidance_.loss(scores.back(), batch.rows)) {
      return {.translation = translation, .total = translation + *term * options_.guidance};
    }
  }
  return {.translation = translation, .total = translation};
}

double Trainer::step() {
  const auto began = std::chrono::steady_clock::now();
  const Batch batch = dealer_.batch(progress_.epoch, progress_.batch);
  translator_.model.train();
  const Losses losses = this->losses(batch);
  optimizer_.zero_grad();
  losses.total.backward();
  ++progress_.updates;
  if (std::isfinite(optim::clip_gradient_norm(parameters_, options_.clip_norm))) {
    optimizer_.set_learning_rate(learning_rate(progress_.updates));
    optimizer_.step();
  } else {
    ++progress_.skipped_updates;
  }
  const double value = losses.translation.item();
  last_tokens_ = batch.label_count;
  progress_.losses.push_back(value);
  if (std::isfinite(value)) {
    progress_.epoch_loss_sum += value * static_cast<double>(batch.label_count);
    progress_.epoch_tokens += batch.label_count;
  }
  if (++progress_.batch == dealer_.batches_per_epoch()) {
    progress_.epoch_losses.push_back(progress_.epoch_loss_sum /
                                     static_cast<double>(progress_.epoch_tokens));
    progress_.epoch_loss_sum = 0;
    progress_.epoch_tokens = 0;
    progress_.batch = 0;
    ++progress_.epoch;
  }
  progress_.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return value;
}

nn::Checkpoint Trainer::checkpoint() const {
  nn::Checkpoint checkpoint;
  translator_.put_into(checkpoint);
  checkpoint.put(optimizer_);
  checkpoint.metadata["training_options"] = to_json(options_).dump();
  checkpoint.metadata["training_progress"] = to_json(progress_).dump();
  return checkpoint;
}

}  // namespace tensorette::translation
