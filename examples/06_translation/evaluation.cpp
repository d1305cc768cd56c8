#include "evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/loss.hpp>
#include <tensorette/tensor/create.hpp>

#include "chrf.hpp"

namespace tensorette::translation {
namespace {

double share(Index part, Index whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : static_cast<double>(part) / static_cast<double>(whole);
}

Tensor ids_of(const std::vector<std::int64_t>& ids, Index rows, Index columns) {
  return from_vector(ids, {rows, columns});
}

// Which noun each head looks at from "it".
class AntecedentCount {
 public:
  void add(const std::vector<Variable>& scores, Index row, const PronounNote& note) {
    ++sentences_;
    const Index heads = scores.front().size(1);
    hits_.resize(scores.size() * static_cast<std::size_t>(heads));
    heads_ = heads;
    for (std::size_t layer = 0; layer < scores.size(); ++layer) {
      for (Index head = 0; head < heads; ++head) {
        Index best = note.noun_indices.front();
        for (const Index noun : note.noun_indices) {
          const Tensor& values = scores[layer].value();
          if (values.at<float>(row, head, note.it_index, noun) >
              values.at<float>(row, head, note.it_index, best)) {
            best = noun;
          }
        }
        const auto place = layer * static_cast<std::size_t>(heads) + static_cast<std::size_t>(head);
        if (best == note.antecedent_index) ++hits_[place];
      }
    }
  }
  void put_into(Evaluation& result) const {
    if (sentences_ == 0) {
      result.antecedent_attention = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    const auto best = std::max_element(hits_.begin(), hits_.end());
    const auto place = static_cast<Index>(best - hits_.begin());
    result.antecedent_attention = share(*best, sentences_);
    result.antecedent_layer = place / heads_;
    result.antecedent_head = place % heads_;
  }

 private:
  std::vector<Index> hits_;
  Index heads_ = 1;
  Index sentences_ = 0;
};

struct TeacherForced {
  double loss_sum = 0;
  Index right = 0;
  Index counted = 0;
};

void teacher_force(const nn::Transformer& model, const Batch& batch, TeacherForced& total,
                   nn::TransformerScores& scores) {
  const NoGrad no_grad;
  const Tensor labels = ids_of(batch.labels, batch.size, batch.target_length);
  const Variable logits =
      model.forward(ids_of(batch.source, batch.size, batch.source_length),
                    ids_of(batch.decoder_input, batch.size, batch.target_length), &scores);
  total.loss_sum +=
      nn::cross_entropy(logits, labels, {.ignore_index = kPad, .reduction = nn::Reduction::sum})
          .item();
  const Tensor right =
      logical_and(equal(argmax(logits.value(), -1), labels), not_equal(labels, kPad));
  total.right += sum(right).item<Index>();
  total.counted += batch.label_count;
}

bool has_right_pronoun(const Translation& translation, const PronounNote& note) {
  const auto place = static_cast<std::size_t>(note.pronoun_index);
  return place < translation.tokens.size() && translation.tokens[place] == note.pronoun;
}

void score_text(const Translator& translator, const std::vector<SentencePair>& pairs,
                const std::vector<std::string>& references, const BleuOptions& options,
                Evaluation& result) {
  BleuCounts bleu;
  ChrfCounts chrf;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string reference =
        references.empty() ? translator.target_segmenter.text(pairs[i].target) : references[i];
    bleu += bleu_counts(result.translations[i].text, {reference}, options);
    chrf += chrf_counts(result.translations[i].text, reference);
  }
  result.bleu = bleu_from_counts(bleu, options.smoothing).score;
  result.bleu_signature = bleu_signature(1, options);
  result.chrf = chrf_from_counts(chrf);
}

// All pairs at once: the translator deals with batches.
void translate_all(const Translator& translator, const std::vector<SentencePair>& pairs,
                   const TranslateOptions& options, Evaluation& result) {
  std::vector<std::vector<std::string>> sources;
  for (const SentencePair& pair : pairs) sources.push_back(pair.source);
  const auto start = std::chrono::steady_clock::now();
  result.translations = translator.translate_tokens(sources, options);
  result.translation_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

BatchDealer batches_by_length(const Translator& translator,
                              const std::vector<SentencePair>& pairs) {
  std::vector<EncodedPair> encoded;
  for (const SentencePair& pair : pairs) {
    encoded.push_back(translator.encode(pair.source, pair.target));
  }
  return BatchDealer(std::move(encoded), {.batch_size = 64, .shuffle = false});
}

Evaluation evaluate(Translator& translator, const std::vector<SentencePair>& pairs,
                    const std::vector<std::string>& references, const EvaluationOptions& options) {
  if (!references.empty() && references.size() != pairs.size()) {
    throw Error(
        fmt::format("evaluate: {} references for {} pairs", references.size(), pairs.size()));
  }
  translator.model.eval();
  Evaluation result{.sentences = static_cast<Index>(pairs.size())};
  translate_all(translator, pairs, options.translation, result);
  TeacherForced forced;
  AntecedentCount antecedents;
  Index exact = 0;
  Index pronouns = 0;
  Index right_pronouns = 0;
  BatchDealer dealer = batches_by_length(translator, pairs);
  for (Index number = 0; number < dealer.batches_per_epoch(); ++number) {
    const Batch batch = dealer.batch(0, number);
    nn::TransformerScores scores;
    teacher_force(translator.model, batch, forced, scores);
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const SentencePair& pair = pairs[batch.rows[i]];
      const Translation& translation = result.translations[batch.rows[i]];
      if (translation.tokens == pair.target) ++exact;
      if (pair.pronoun) {
        ++pronouns;
        if (has_right_pronoun(translation, *pair.pronoun)) ++right_pronouns;
        antecedents.add(scores.encoder, static_cast<Index>(i), *pair.pronoun);
      }
    }
  }
  score_text(translator, pairs, references, options.bleu, result);
  result.exact_match = share(exact, result.sentences);
  result.token_accuracy = share(forced.right, forced.counted);
  result.loss = forced.loss_sum / static_cast<double>(std::max<Index>(forced.counted, 1));
  result.pronoun_accuracy = share(right_pronouns, pronouns);
  antecedents.put_into(result);
  return result;
}

nlohmann::json to_json(const Evaluation& e) {
  // JSON has no NaN: what could not be measured is null.
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
  };
  return {{"exact_match", number(e.exact_match)},
          {"pronoun_accuracy", number(e.pronoun_accuracy)},
          {"antecedent_attention", number(e.antecedent_attention)},
          {"token_accuracy", number(e.token_accuracy)},
          {"loss", number(e.loss)},
          {"bleu", e.bleu},
          {"bleu_signature", e.bleu_signature},
          {"chrf", e.chrf},
          {"sentences", e.sentences}};
}

}  // namespace tensorette::translation
