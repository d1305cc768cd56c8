// score and compare: files of translations against files of references, without a model.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "chrf.hpp"
#include "commands.hpp"
#include "text_file.hpp"

namespace tensorette::translation {
namespace {

std::vector<std::string> read_lines(const std::string& path) {
  const std::string bytes = read_bytes(path);
  std::string_view text = bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  const std::vector<std::string_view> lines = lines_of(text);
  return {lines.begin(), lines.end()};
}

// Lines of `path`, of which there have to be as many as of another file.
std::vector<std::string> read_lines_like(const std::string& path, const std::string& other,
                                         std::size_t count) {
  std::vector<std::string> lines = read_lines(path);
  if (lines.size() != count) {
    throw FormatError(fmt::format("{} has {} lines, {} has {}", other, count, path, lines.size()));
  }
  return lines;
}

nlohmann::json to_json(const BleuScore& bleu) {
  return {{"score", bleu.score},
          {"precisions", bleu.precisions},
          {"brevity_penalty", bleu.brevity_penalty},
          {"matches", bleu.counts.matches},
          {"totals", bleu.counts.totals},
          {"translation_length", bleu.counts.hypothesis_length},
          {"reference_length", bleu.counts.reference_length}};
}

nlohmann::json to_json(const SampledScore& sampled) {
  return {{"score", sampled.score},
          {"mean", sampled.mean},
          {"low", sampled.interval.low},
          {"high", sampled.interval.high}};
}

nlohmann::json to_json(const PairedBootstrap& result) {
  return {{"first", to_json(result.first)},
          {"second", to_json(result.second)},
          {"difference", to_json(result.difference)},
          {"p_value", result.p_value}};
}

// The score of a selection of sentences whose counts have been taken once. `Counts` add up.
template <class Counts, class FromCounts>
SelectionScore selection_score(std::vector<Counts> counts, FromCounts from_counts) {
  return [counts = std::move(counts), from_counts](const std::vector<std::size_t>& selection) {
    Counts total;
    for (const std::size_t sentence : selection) total += counts[sentence];
    return from_counts(total);
  };
}

SelectionScore bleu_of(const std::vector<std::string>& translations,
                       const std::vector<std::string>& reference, const BleuOptions& options) {
  std::vector<BleuCounts> counts;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    counts.push_back(bleu_counts(translations[i], {reference[i]}, options));
  }
  return selection_score(std::move(counts), [options](const BleuCounts& total) {
    return bleu_from_counts(total, options.smoothing).score;
  });
}

SelectionScore chrf_of(const std::vector<std::string>& translations,
                       const std::vector<std::string>& reference) {
  std::vector<ChrfCounts> counts;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    counts.push_back(chrf_counts(translations[i], reference[i]));
  }
  return selection_score(std::move(counts),
                         [](const ChrfCounts& total) { return chrf_from_counts(total); });
}

void print_comparison(const char* metric, const PairedBootstrap& result) {
  const auto row = [&](const char* name, const SampledScore& score) {
    fmt::print("{:5} {:11} {:7.2f}   [{:.2f}, {:.2f}]\n", metric, name, score.score,
               score.interval.low, score.interval.high);
  };
  row("first", result.first);
  row("second", result.second);
  row("difference", result.difference);
  fmt::print("{:5} {:11} {:7.4f}\n", metric, "p", result.p_value);
}

}  // namespace

int score(const ScoreCommand& command) {
  const std::vector<std::string> translations = read_lines(command.translations);
  std::vector<std::vector<std::string>> references(translations.size());
  std::vector<std::string> first_reference;
  for (const std::string& path : command.references) {
    const auto lines = read_lines_like(path, command.translations, translations.size());
    for (std::size_t i = 0; i < lines.size(); ++i) references[i].push_back(lines[i]);
    if (first_reference.empty()) first_reference = lines;
  }
  const BleuScore bleu = corpus_bleu(translations, references, command.bleu);
  const std::string signature = bleu_signature(command.references.size(), command.bleu);
  const bool has_chrf = command.references.size() == 1;  // which takes one reference
  const double chrf = has_chrf ? corpus_chrf(translations, first_reference) : 0;
  if (command.json) {
    nlohmann::json metrics{{"bleu", to_json(bleu)}, {"sentences", translations.size()}};
    metrics["bleu"]["signature"] = signature;
    if (has_chrf) metrics["chrf"] = {{"score", chrf}, {"signature", chrf_signature()}};
    fmt::print("{}\n", metrics.dump(2));
    return 0;
  }
  const auto& p = bleu.precisions;
  fmt::print("BLEU  {:6.2f}  {:.1f}/{:.1f}/{:.1f}/{:.1f} (BP {:.3f}, lengths {} and {})  {}\n",
             bleu.score, p[0], p[1], p[2], p[3], bleu.brevity_penalty,
             bleu.counts.hypothesis_length, bleu.counts.reference_length, signature);
  if (has_chrf) fmt::print("chrF  {:6.2f}  {}\n", chrf, chrf_signature());
  return 0;
}

int compare(const CompareCommand& command) {
  const std::vector<std::string> reference = read_lines(command.reference);
  const auto first = read_lines_like(command.first, command.reference, reference.size());
  const auto second = read_lines_like(command.second, command.reference, reference.size());
  const PairedBootstrap bleu =
      paired_bootstrap(reference.size(), bleu_of(first, reference, command.bleu),
                       bleu_of(second, reference, command.bleu), command.bootstrap);
  const PairedBootstrap chrf = paired_bootstrap(reference.size(), chrf_of(first, reference),
                                                chrf_of(second, reference), command.bootstrap);
  const std::string sampling = fmt::format(
      "paired bootstrap, {} samples, seed {}, {:g} % intervals", command.bootstrap.samples,
      command.bootstrap.seed, 100 * command.bootstrap.confidence);
  if (command.json) {
    const nlohmann::json metrics{
        {"bleu", to_json(bleu)},         {"bleu_signature", bleu_signature(1, command.bleu)},
        {"chrf", to_json(chrf)},         {"chrf_signature", chrf_signature()},
        {"sentences", reference.size()}, {"samples", command.bootstrap.samples},
        {"seed", command.bootstrap.seed}};
    fmt::print("{}\n", metrics.dump(2));
    return 0;
  }
  print_comparison("BLEU", bleu);
  print_comparison("chrF", chrf);
  fmt::print("{}; {}\n", sampling, bleu_signature(1, command.bleu));
  return 0;
}

}  // namespace tensorette::translation
