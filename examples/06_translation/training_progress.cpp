#include "training_progress.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tensorette::translation {
namespace {

// JSON has no NaN: a number that is not finite is null.
nlohmann::json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

double nan_for_null(const nlohmann::json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

nlohmann::json finite_or_null(const std::vector<double>& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const double value : values) list.push_back(finite_or_null(value));
  return list;
}

std::vector<double> numbers_in(const nlohmann::json& list) {
  std::vector<double> values;
  for (const nlohmann::json& value : list) values.push_back(nan_for_null(value));
  return values;
}

nlohmann::json to_json(const Validation& v) {
  return {{"update", v.update},
          {"epoch", v.epoch},
          {"seconds", v.seconds},
          {"loss", finite_or_null(v.loss)},
          {"bleu", finite_or_null(v.bleu)}};
}

Validation validation_from_json(const nlohmann::json& json) {
  return {.update = json.at("update").get<Index>(),
          .epoch = json.at("epoch").get<Index>(),
          .seconds = json.at("seconds").get<double>(),
          .loss = nan_for_null(json.at("loss")),
          .bleu = nan_for_null(json.at("bleu"))};
}

using Validations = std::vector<Validation>;

Validations::const_iterator best_of(const Validations& validations) {
  return std::max_element(validations.begin(), validations.end(),
                          [](const Validation& a, const Validation& b) { return is_better(b, a); });
}

}  // namespace

bool is_better(const Validation& a, const Validation& b) {
  if (std::isfinite(a.bleu) && std::isfinite(b.bleu)) return a.bleu > b.bleu;
  if (!std::isfinite(b.loss)) return std::isfinite(a.loss);
  return a.loss < b.loss;
}

std::optional<Validation> TrainingProgress::best() const {
  if (validations.empty()) return std::nullopt;
  return *best_of(validations);
}

Index TrainingProgress::validations_without_gain() const {
  if (validations.empty()) return 0;
  return static_cast<Index>(validations.end() - best_of(validations)) - 1;
}

nlohmann::json to_json(const TrainingProgress& p) {
  nlohmann::json validations = nlohmann::json::array();
  for (const Validation& validation : p.validations) validations.push_back(to_json(validation));
  return {{"epoch", p.epoch},
          {"batch", p.batch},
          {"updates", p.updates},
          {"seconds", p.seconds},
          {"epoch_loss_sum", p.epoch_loss_sum},
          {"epoch_tokens", p.epoch_tokens},
          {"losses", finite_or_null(p.losses)},
          {"epoch_losses", finite_or_null(p.epoch_losses)},
          {"skipped_updates", p.skipped_updates},
          {"validations", std::move(validations)}};
}

TrainingProgress progress_from_json(const nlohmann::json& json) {
  TrainingProgress p;
  json.at("epoch").get_to(p.epoch);
  json.at("batch").get_to(p.batch);
  json.at("updates").get_to(p.updates);
  json.at("seconds").get_to(p.seconds);
  json.at("epoch_loss_sum").get_to(p.epoch_loss_sum);
  json.at("epoch_tokens").get_to(p.epoch_tokens);
  p.losses = numbers_in(json.at("losses"));
  p.epoch_losses = numbers_in(json.at("epoch_losses"));
  json.at("skipped_updates").get_to(p.skipped_updates);
  for (const nlohmann::json& validation : json.value("validations", nlohmann::json::array())) {
    p.validations.push_back(validation_from_json(validation));
  }
  return p;
}

}  // namespace tensorette::translation
