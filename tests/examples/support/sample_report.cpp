#include "sample_report.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tensorette::pictures::testing {
namespace {

constexpr std::size_t layers = 2;
constexpr std::size_t heads = 4;

const std::string tired = "the animal didn't cross the street because it was too tired .";
const std::string wide = "the animal didn't cross the street because it was too wide .";

std::vector<std::string> split(const std::string& sentence) {
  std::istringstream stream(sentence);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// A number in [0, 1) that looks random and is the same in every run.
double noise(std::size_t i) {
  const double x = std::sin(static_cast<double>(i) * 12.9898 + 4.1414) * 43758.5453;
  return x - std::floor(x);
}

/// Softmax of a row of made-up raw scores; `causal` leaves out the keys after the query.
void append_row(std::vector<double>& scores, std::vector<double> raw, std::size_t allowed) {
  double sum = 0;
  for (std::size_t k = 0; k < raw.size(); ++k) {
    raw[k] = k < allowed ? std::exp(raw[k]) : 0.0;
    sum += raw[k];
  }
  for (const double value : raw) scores.push_back(value / sum);
}

/// Heads of four habits: the word itself, the word before, the word after, and a wide view.
double raw_score(std::size_t layer, std::size_t head, std::size_t query, std::size_t key) {
  const auto distance = static_cast<double>(key) - static_cast<double>(query);
  const double sharp = layer == 0 ? 2.0 : 4.0;
  double raw = 1.6 * noise(layer * 7919 + head * 997 + query * 101 + key);
  if (head == 0) raw -= sharp * std::abs(distance);
  if (head == 1) raw -= sharp * std::abs(distance + 1);
  if (head == 2) raw -= sharp * std::abs(distance - 1);
  return raw;
}

AttentionScores attention(const std::string& name, const std::string& queries,
                          const std::string& keys, bool causal) {
  AttentionScores result{.name = name,
                         .queries = split(queries),
                         .keys = split(keys),
                         .layers = layers,
                         .heads = heads};
  const std::size_t count = result.keys.size();
  for (std::size_t layer = 0; layer < layers; ++layer) {
    for (std::size_t head = 0; head < heads; ++head) {
      for (std::size_t q = 0; q < result.queries.size(); ++q) {
        std::vector<double> raw;
        for (std::size_t k = 0; k < count; ++k) raw.push_back(raw_score(layer, head, q, k));
        append_row(result.scores, raw, causal ? q + 1 : count);
      }
    }
  }
  return result;
}

LineChart loss_curve() {
  LineChart chart{.title = "Loss", .x_label = "step", .y_label = "cross entropy a token"};
  Series train{.name = "train"}, held_out{.name = "held-out"};
  for (std::size_t step = 0; step < 2400; ++step) {
    const auto x = static_cast<double>(step);
    train.x.push_back(x);
    train.y.push_back(4.6 * std::exp(-x / 260) + 0.05 + 0.25 * noise(step) * std::exp(-x / 800));
    if (step % 300 == 299) {
      held_out.x.push_back(x);
      held_out.y.push_back(4.6 * std::exp(-x / 240) + 0.03);
    }
  }
  chart.series = {train, held_out};
  chart.scale = Scale::logarithmic;
  return chart;
}

LineChart accuracy_curve() {
  LineChart chart{.title = "Accuracy", .x_label = "epoch", .y_label = "share of held-out pairs"};
  Series tokens{.name = "tokens right"}, sentences{.name = "sentences right"},
      it{.name = "“it” right"};
  for (int epoch = 1; epoch <= 8; ++epoch) {
    for (Series* series : {&tokens, &sentences, &it}) series->x.push_back(epoch);
    tokens.y.push_back(1 - 0.55 * std::exp(-epoch / 1.1));
    sentences.y.push_back(0.995 - 1.3 * std::exp(-epoch / 1.4) * (epoch < 6 ? 1 : 0.4));
    it.y.push_back(0.5 + 0.498 / (1 + std::exp(-(epoch - 3.2) * 2.2)));
  }
  chart.series = {tokens, sentences, it};
  return chart;
}

}  // namespace

AttentionScores sample_attention(const std::string& sentence, const std::string& antecedent) {
  AttentionScores result = attention("encoder self-attention", sentence, sentence, false);
  const auto it = std::find(result.keys.begin(), result.keys.end(), "it");
  const auto noun = std::find(result.keys.begin(), result.keys.end(), antecedent);
  const auto keys = result.keys.size();
  const auto query = static_cast<std::size_t>(it - result.keys.begin());
  std::vector<double> raw, row;
  for (std::size_t k = 0; k < keys; ++k) raw.push_back(1.2 * noise(k + 77));
  raw[static_cast<std::size_t>(noun - result.keys.begin())] += 4.4;
  raw[keys - 2] += 1.9;
  append_row(row, raw, keys);
  const std::size_t begin = ((layers * heads - 1) * keys + query) * keys;
  std::copy(row.begin(), row.end(), result.scores.begin() + static_cast<std::ptrdiff_t>(begin));
  return result;
}

Report sample_report() {
  Report report{
      .title = "A Transformer learns what “it” is",
      .lead =
          "English to French, from 20 000 pairs in under a minute. Whether “it” becomes “il” or "
          "“elle” depends on a noun that only the last word of the sentence gives away."};
  for (const bool is_tired : {true, false}) {
    const std::string noun = is_tired ? "animal" : "street";
    const std::string& sentence = is_tired ? tired : wide;
    const std::string french =
        is_tired ? "l' animal n'a pas traversé la rue car il était trop fatigué ."
                 : "l' animal n'a pas traversé la rue car elle était trop large .";
    const AttentionScores encoder = sample_attention(sentence, noun);
    report.highlights.push_back(
        {.caption = "“it” → “" + noun + "”: too " + (is_tired ? "tired" : "wide"),
         .attention = encoder,
         .query = 7,
         .layer = 1,
         .head = 3});
    report.attention.push_back(
        {.sentence = sentence,
         .translation = french,
         .kinds = {encoder,
                   attention("decoder self-attention", "<s> " + french, "<s> " + french, true),
                   attention("cross-attention", "<s> " + french, sentence + " </s>", false)},
         .first = {.layer = 1, .head = 3}});
  }
  report.metrics = {
      {.name = "held-out sentences exactly right",
       .value = 0.9954,
       .kind = MetricKind::share,
       .meaning = "The translation equals the reference word by word.",
       .bound = 0.99},
      {.name = "right pronoun for “it”",
       .value = 0.9988,
       .kind = MetricKind::share,
       .meaning = "Held-out sentences with “it” whose “il” or “elle” is right.",
       .bound = 0.995},
      {.name = "“it” looks at its noun",
       .value = 0.9412,
       .kind = MetricKind::share,
       .meaning = "A head of the encoder whose strongest noun is the antecedent.",
       .bound = 0.95},
      {.name = "training time",
       .value = 48.23,
       .kind = MetricKind::seconds,
       .meaning = "On two cores, without the evaluation.",
       .bound = 60.0,
       .goal = Goal::at_most},
      {.name = "tokens right",
       .value = 0.99931,
       .kind = MetricKind::share,
       .meaning = "Each token predicted from the right ones before it."},
      {.name = "loss", .value = 0.01234, .meaning = "Cross entropy a token, held-out."},
      {.name = "held-out sentences", .value = 2048, .kind = MetricKind::count}};
  report.curves = {loss_curve(), accuracy_curve()};
  report.samples = {
      {tired, "l' animal n'a pas traversé la rue car il était trop fatigué .",
       "l' animal n'a pas traversé la rue car il était trop fatigué ."},
      {wide, "l' animal n'a pas traversé la rue car il était trop large .",
       "l' animal n'a pas traversé la rue car elle était trop large ."},
      {"they stoned the witch .", "ils ont lapidé la sorcière .", "ils ont lapidé la sorcière ."},
      {"this guy got completely stoned .", "ce type était complètement défoncé .", {}}};
  report.facts = {{"parameters", "164 352"}, {"layers", "2 + 2"}, {"heads", "4"},
                  {"embedding", "64"},       {"seed", "1"},       {"threads", "2"}};
  return report;
}

}  // namespace tensorette::pictures::testing
