#include "training_options.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tensorette/nn/optim/schedule.hpp>
#include <tensorette/tensor/error.hpp>

namespace tensorette::translation {
namespace {

RateSchedule schedule_from_name(const std::string& name) {
  for (const RateSchedule schedule :
       {RateSchedule::cosine, RateSchedule::inverse_square_root, RateSchedule::constant}) {
    if (name == name_of(schedule)) return schedule;
  }
  throw FormatError("unknown schedule of the learning rate \"" + name + "\"");
}

ValidationOptions validation_options_from_json(const nlohmann::json& json) {
  const ValidationOptions defaults;
  return {.every = json.value("every", defaults.every),
          .bleu = json.value("bleu", defaults.bleu),
          .patience = json.value("patience", defaults.patience)};
}

}  // namespace

std::string_view name_of(RateSchedule schedule) {
  switch (schedule) {
    case RateSchedule::cosine:
      return "cosine";
    case RateSchedule::inverse_square_root:
      return "inverse-sqrt";
    case RateSchedule::constant:
      break;
  }
  return "constant";
}

Index epochs_for(Index pairs, Index batch_size) {
  constexpr Index updates = 1'500;
  constexpr Index most = 300;
  const Index batches = std::max<Index>((pairs + batch_size - 1) / batch_size, 1);
  return std::clamp((updates + batches - 1) / batches, TrainingOptions{}.epochs, most);
}

double learning_rate(const TrainingOptions& options, Index update, Index updates) {
  const double peak = options.learning_rate;
  const Index warmup = std::min(options.warmup, updates / 8);
  if (options.schedule == RateSchedule::cosine) {
    const optim::CosineSchedule schedule{
        .peak = peak, .warmup = warmup, .total = updates, .floor = 0.01 * peak};
    return schedule(update);
  }
  if (options.schedule == RateSchedule::constant) {
    const auto risen =
        static_cast<double>(update) / static_cast<double>(std::max<Index>(warmup, 1));
    return peak * std::min(risen, 1.0);
  }
  const double root = std::sqrt(static_cast<double>(std::max<Index>(warmup, 1)));
  const optim::InverseSquareRootSchedule schedule{
      .dim = 1, .warmup = warmup, .factor = peak * root};
  return schedule(update);
}

nlohmann::json to_json(const TrainingOptions& o) {
  return {{"data", to_json(o.data)},
          {"epochs", o.epochs},
          {"batch_size", o.batch_size},
          {"batch_tokens", o.batch_tokens},
          {"accumulate", o.accumulate},
          {"learning_rate", o.learning_rate},
          {"beta2", o.beta2},
          {"warmup", o.warmup},
          {"schedule", name_of(o.schedule)},
          {"label_smoothing", o.label_smoothing},
          {"clip_norm", o.clip_norm},
          {"average_decay", o.average_decay},
          {"average_share", o.average_share},
          {"guidance", o.guidance},
          {"seed", o.seed},
          {"validation",
           {{"every", o.validation.every},
            {"bleu", o.validation.bleu},
            {"patience", o.validation.patience}}}};
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
  o.batch_tokens = json.value("batch_tokens", o.batch_tokens);
  o.beta2 = json.value("beta2", o.beta2);
  o.accumulate = json.value("accumulate", o.accumulate);
  o.average_decay = json.value("average_decay", o.average_decay);
  o.average_share = json.value("average_share", o.average_share);
  o.schedule = schedule_from_name(json.value("schedule", std::string(name_of(o.schedule))));
  if (json.contains("validation")) {
    o.validation = validation_options_from_json(json.at("validation"));
  }
  return o;
}

}  // namespace tensorette::translation
