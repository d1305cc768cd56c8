#include "demo_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tensorette/tensor/create.hpp>

namespace tensorette::translation {
namespace {

pictures::AttentionScores scores_of(const std::string& name, const std::vector<Variable>& layers,
                                    const std::vector<std::string>& queries,
                                    const std::vector<std::string>& keys) {
  pictures::AttentionScores result{.name = name,
                                   .queries = queries,
                                   .keys = keys,
                                   .layers = layers.size(),
                                   .heads = static_cast<std::size_t>(layers.front().size(1))};
  for (const Variable& layer : layers) {
    const auto values = layer.value().to(DType::f64).to_vector<double>();
    result.scores.insert(result.scores.end(), values.begin(), values.end());
  }
  return result;
}

std::vector<Index> with_begin(std::vector<Index> ids) {
  ids.insert(ids.begin(), kBegin);
  return ids;
}

pictures::Series validation_series(std::string name, const TrainingProgress& progress,
                                   double Validation::*value) {
  pictures::Series series{.name = std::move(name)};
  for (const Validation& validation : progress.validations) {
    series.x.push_back(static_cast<double>(validation.update));
    series.y.push_back(validation.*value);
  }
  return series;
}

pictures::LineChart loss_chart(const TrainingProgress& progress) {
  pictures::Series by_update{.name = "each update", .y = progress.losses};
  pictures::Series by_epoch{.name = "mean of an epoch", .y = progress.epoch_losses};
  const double updates_per_epoch =
      static_cast<double>(progress.losses.size()) /
      static_cast<double>(std::max<std::size_t>(progress.epoch_losses.size(), 1));
  for (std::size_t i = 0; i < progress.epoch_losses.size(); ++i) {
    by_epoch.x.push_back(updates_per_epoch * static_cast<double>(i + 1));
  }
  pictures::LineChart chart{.title = "Training loss",
                            .x_label = "update",
                            .y_label = "cross entropy per token",
                            .series = {std::move(by_update), std::move(by_epoch)},
                            .scale = pictures::Scale::logarithmic};
  if (!progress.validations.empty()) {
    chart.series.push_back(validation_series("validation pairs", progress, &Validation::loss));
  }
  return chart;
}

std::vector<pictures::LineChart> charts_of(const TrainingProgress& progress) {
  std::vector<pictures::LineChart> charts{loss_chart(progress)};
  const bool has_bleu =
      std::any_of(progress.validations.begin(), progress.validations.end(),
                  [](const Validation& validation) { return std::isfinite(validation.bleu); });
  if (has_bleu) {
    charts.push_back({.title = "Translations of the validation pairs",
                      .x_label = "update",
                      .y_label = "BLEU",
                      .series = {validation_series("BLEU", progress, &Validation::bleu)}});
  }
  return charts;
}

std::vector<pictures::Metric> metrics_of(const Evaluation& e, const Trainer& trainer,
                                         const TrainingData& data) {
  using pictures::Goal;
  using pictures::MetricKind;
  const std::string where = data.test_is_train ? "training pairs" : "held-out pairs";
  std::vector<pictures::Metric> metrics{
      {.name = "exact match",
       .value = e.exact_match,
       .kind = MetricKind::share,
       .meaning = fmt::format("{} translated word for word as the reference", where)},
      {.name = "token accuracy",
       .value = e.token_accuracy,
       .kind = MetricKind::share,
       .meaning = "right next word, the reference's words before it given"},
      {.name = "loss", .value = e.loss, .meaning = "cross entropy per token"}};
  if (!trainer.options().data.is_built_in()) {
    metrics.push_back({.name = "BLEU", .value = e.bleu, .meaning = e.bleu_signature});
    metrics.push_back({.name = "chrF", .value = e.chrf, .meaning = "of the same translations"});
  }
  if (data.train.front().pronoun || !data.test.empty()) {
    const bool has_pronouns =
        std::any_of(data.test.begin(), data.test.end(),
                    [](const SentencePair& pair) { return pair.pronoun.has_value(); });
    if (has_pronouns) {
      metrics.push_back(
          {.name = "pronoun accuracy",
           .value = e.pronoun_accuracy,
           .kind = MetricKind::share,
           .meaning = "sentences in which \u201cit\u201d became the right one of il and elle"});
      metrics.push_back({.name = "antecedent attention",
                         .value = e.antecedent_attention,
                         .kind = MetricKind::share,
                         .meaning = fmt::format(
                             "sentences in which head {} of layer {} looks from \u201cit\u201d "
                             "at the noun that it stands for{}",
                             e.antecedent_head + 1, e.antecedent_layer + 1,
                             trainer.options().guidance > 0 ? "; head 1 of the last layer was "
                                                              "taught to, on the training pairs"
                                                            : "")});
    }
  }
  metrics.push_back({.name = "sentences",
                     .value = static_cast<double>(e.sentences),
                     .kind = MetricKind::count,
                     .meaning = where});
  metrics.push_back({.name = "training time",
                     .value = trainer.progress().seconds,
                     .kind = MetricKind::seconds,
                     .meaning = "without evaluation"});
  return metrics;
}

std::vector<pictures::TranslationSample> samples_of(const Translator& translator,
                                                    const TrainingData& data,
                                                    const Evaluation& evaluation) {
  constexpr std::size_t most = 24;
  std::vector<pictures::TranslationSample> samples;
  const std::size_t step = std::max<std::size_t>(1, data.test.size() / most);
  for (std::size_t i = 0; i < data.test.size() && samples.size() < most; i += i < 4 ? 1 : step) {
    samples.push_back({.source = translator.source_segmenter.text(data.test[i].source),
                       .output = evaluation.translations[i].text,
                       .reference = translator.target_segmenter.text(data.test[i].target)});
  }
  return samples;
}

}  // namespace

SentencePicture picture_of(const Translator& translator, const std::string& line) {
  const NoGrad no_grad;
  SentencePicture picture{.translation = translator.translate({line}).front(),
                          .encoder = {},
                          .decoder = {},
                          .cross = {}};
  const std::vector<std::string>& source = picture.translation.source_tokens;
  if (source.empty()) throw Error("a line without words has no attention to show");
  const std::vector<Index> target =
      with_begin(translator.target_vocabulary.encode(picture.translation.tokens));
  nn::TransformerScores scores;
  (void)translator.model.forward(translator.source_ids({source}),
                                 from_vector(target, {1, static_cast<Index>(target.size())}),
                                 &scores);
  std::vector<std::string> target_words{"<bos>"};
  target_words.insert(target_words.end(), picture.translation.tokens.begin(),
                      picture.translation.tokens.end());
  std::vector<Variable> own;
  std::vector<Variable> cross;
  for (const nn::DecoderLayerScores& layer : scores.decoder) {
    own.push_back(layer.self);
    cross.push_back(layer.cross);
  }
  picture.encoder = scores_of("encoder self-attention", scores.encoder, source, source);
  picture.decoder = scores_of("decoder self-attention", own, target_words, target_words);
  picture.cross = scores_of("cross-attention", cross, target_words, source);
  return picture;
}

pictures::Report training_report(Trainer& trainer, const TrainingData& data,
                                 const Evaluation& evaluation,
                                 const std::vector<std::string>& lines) {
  const Translator& translator = trainer.translator();
  const TrainingProgress& progress = trainer.progress();
  const auto layer = static_cast<std::size_t>(evaluation.antecedent_layer);
  const auto head = static_cast<std::size_t>(evaluation.antecedent_head);
  pictures::Report report{
      .title = "A Transformer learns to translate",
      .lead = fmt::format("{} sentence pairs, {} epochs, {} parameters.", data.train.size(),
                          progress.epoch, translator.model.parameter_count()),
      .metrics = metrics_of(evaluation, trainer, data),
      .curves = charts_of(progress),
      .samples = samples_of(translator, data, evaluation)};
  for (const std::string& line : lines) {
    SentencePicture picture = picture_of(translator, line);
    const auto& words = picture.encoder.queries;
    const auto it = std::find(words.begin(), words.end(), "it");
    if (it != words.end()) {
      report.highlights.push_back(
          {.caption =
               fmt::format("Where \u201cit\u201d looks, layer {}, head {}", layer + 1, head + 1),
           .attention = picture.encoder,
           .query = static_cast<std::size_t>(it - words.begin()),
           .layer = layer,
           .head = head});
    }
    report.attention.push_back({.sentence = line,
                                .translation = picture.translation.text,
                                .kinds = {picture.encoder, picture.decoder, picture.cross},
                                .first = {.layer = layer, .head = head}});
  }
  const nn::TransformerOptions& model = translator.model.options();
  report.facts = {
      {"encoder, decoder layers",
       fmt::format("{} + {}", model.encoder_layers, model.decoder_layers)},
      {"width, heads, hidden", fmt::format("{}, {}, {}", model.dim, model.heads, model.hidden)},
      {"parameters", fmt::format("{}", translator.model.parameter_count())},
      {"vocabularies", fmt::format("{} and {} words", translator.source_vocabulary.size(),
                                   translator.target_vocabulary.size())},
      {"updates", fmt::format("{}", progress.updates)},
      {"seed", fmt::format("{}", trainer.options().seed)}};
  if (const std::optional<Validation> best = progress.best()) {
    report.facts.emplace_back("best validation",
                              fmt::format("after update {}, epoch {}", best->update, best->epoch));
  }
  return report;
}

}  // namespace tensorette::translation
