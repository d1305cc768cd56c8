#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tensorette/tensor/error.hpp>

#include "atomic_file.hpp"
#include "html.hpp"
#include "word_diff.hpp"

namespace tensorette::pictures {
namespace {

std::string section(std::string_view id, std::string_view heading, std::string_view content) {
  return fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n{2}</section>\n",
                     id, heading, content);
}

std::string goal_text(const Metric& metric) {
  if (!metric.bound) return "—";
  return fmt::format("{} {}", metric.goal == Goal::at_least ? "≥" : "≤",
                     metric_text(metric, *metric.bound));
}

std::string verdict(const Metric& metric) {
  if (!metric.bound) return {};
  return reaches_bound(metric) ? "<span class=\"verdict reached\">✓ reached</span>"
                               : "<span class=\"verdict missed\">✗ missed</span>";
}

constexpr std::size_t most_tiles = 4;

std::string tile(const Metric& metric) {
  const std::string goal = metric.bound ? fmt::format("<span class=\"goal\">goal {} {}</span>",
                                                      goal_text(metric), verdict(metric))
                                        : std::string();
  return fmt::format("<li><span class=\"value\">{}</span><span class=\"name\">{}</span>{}</li>\n",
                     metric_text(metric, metric.value), escape(metric.name), goal);
}

std::string tiles(const Report& report) {
  if (report.metrics.empty()) return {};
  std::string html = "<ul class=\"tiles\">\n";
  const std::size_t count = std::min(most_tiles, report.metrics.size());
  for (std::size_t i = 0; i < count; ++i) html += tile(report.metrics[i]);
  return html + "</ul>\n";
}

std::string masthead(const Report& report) {
  return fmt::format(
      "<header class=\"masthead\">\n<h1>{}</h1>\n{}{}</header>\n", escape(report.title),
      report.lead.empty() ? std::string()
                          : fmt::format("<p class=\"lead\">{}</p>\n", escape(report.lead)),
      tiles(report));
}

std::string highlights(const Report& report) {
  if (report.highlights.empty()) return {};
  std::string cards;
  for (std::size_t i = 0; i < report.highlights.size(); ++i) {
    cards += fmt::format("<div class=\"card\">\n{}</div>\n",
                         attention_arcs_html(report.highlights[i], fmt::format("arcs-{}", i)));
  }
  return section(
      "highlights", "Where a word looks",
      "<p>Each line runs from a word to a word that it attends to; the stronger the line, "
      "the higher the attention score.</p>\n<div class=\"pair\">\n" +
          cards + "</div>\n");
}

std::string metrics_table(const Report& report) {
  if (report.metrics.empty()) return {};
  std::string rows;
  for (const Metric& metric : report.metrics) {
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"figure\">{}</td><td class=\"figure\">{}</td>"
        "<td>{}</td><td>{}</td></tr>\n",
        escape(metric.name), metric_text(metric, metric.value), goal_text(metric), verdict(metric),
        escape(metric.meaning));
  }
  return section("metrics", "What it reached",
                 "<div class=\"card scroll\">\n<table>\n<thead><tr><th scope=\"col\">Measure</th>"
                 "<th scope=\"col\" class=\"figure\">Value</th>"
                 "<th scope=\"col\" class=\"figure\">Goal</th><th scope=\"col\">Verdict</th>"
                 "<th scope=\"col\">Meaning</th></tr></thead>\n<tbody>\n" +
                     rows + "</tbody>\n</table>\n</div>\n");
}

std::string curves(const Report& report) {
  if (report.curves.empty()) return {};
  std::string cards;
  for (const LineChart& chart : report.curves) {
    cards += fmt::format(
        "<div class=\"card\">\n{}</div>\n",
        line_chart_svg(chart, {.width = 500, .height = 340, .placement = Placement::in_page}));
  }
  return section("curves", "How it learnt", "<div class=\"pair\">\n" + cards + "</div>\n");
}

/// The output with the words marked that the reference does not have.
std::string marked(std::string_view sentence, std::string_view other, std::string_view tag) {
  std::string html;
  for (const DiffWord& word : word_diff(sentence, other)) {
    if (!html.empty()) html += ' ';
    html += word.common ? escape(word.word) : fmt::format("<{0}>{1}</{0}>", tag, escape(word.word));
  }
  return html;
}

std::string sample_row(const TranslationSample& sample) {
  if (!sample.reference) {
    return fmt::format("<tr><td lang=\"\">{}</td><td lang=\"\">{}</td><td>—</td><td>—</td></tr>\n",
                       escape(sample.source), escape(sample.output));
  }
  const bool right = is_right(sample);
  return fmt::format(
      "<tr><td lang=\"\">{}</td><td lang=\"\">{}</td><td lang=\"\">{}</td><td>{}</td></tr>\n",
      escape(sample.source), marked(sample.output, *sample.reference, "mark"),
      marked(*sample.reference, sample.output, "ins"),
      right ? "<span class=\"verdict right\">✓ right</span>"
            : "<span class=\"verdict wrong\">✗ wrong</span>");
}

std::string samples(const Report& report) {
  if (report.samples.empty()) return {};
  std::string rows;
  for (const TranslationSample& sample : report.samples) rows += sample_row(sample);
  return section("samples", "What it translates",
                 "<div class=\"card scroll\">\n<table>\n<thead><tr><th scope=\"col\">Source</th>"
                 "<th scope=\"col\">Output</th><th scope=\"col\">Reference</th>"
                 "<th scope=\"col\">Verdict</th></tr></thead>\n<tbody>\n" +
                     rows + "</tbody>\n</table>\n</div>\n");
}

std::string sentence_panel(const SentenceAttention& sentence, std::size_t index) {
  if (sentence.kinds.empty()) {
    throw Error(
        fmt::format("report: sentence {} (\"{}\") has no attention", index, sentence.sentence));
  }
  std::vector<Tab> kinds;
  for (std::size_t i = 0; i < sentence.kinds.size(); ++i) {
    const AttentionScores& kind = sentence.kinds[i];
    const AttentionGridOptions first = i == 0 ? sentence.first : AttentionGridOptions{};
    kinds.push_back(
        {kind.name, attention_grid_html(kind, fmt::format("heads-{}-{}", index, i), first)});
  }
  std::string html;
  if (!sentence.translation.empty()) {
    html += fmt::format("<p>Translated as <strong lang=\"\">{}</strong></p>\n",
                        escape(sentence.translation));
  }
  return html + tabs(fmt::format("kinds-{}", index), "Kind of attention", kinds);
}

std::string attention(const Report& report) {
  if (report.attention.empty()) return {};
  std::vector<Tab> sentences;
  for (std::size_t i = 0; i < report.attention.size(); ++i) {
    sentences.push_back({report.attention[i].sentence, sentence_panel(report.attention[i], i)});
  }
  return section(
      "attention", "All heads of all layers",
      "<p>A row is a word that looks (query), a column a word that is looked at (key); a "
      "row sums to 1. Point at a cell for its value, or walk over the large map with the "
      "arrow keys.</p>\n<div class=\"card\">\n" +
          tabs("sentences", "Sentence", sentences) + "</div>\n");
}

std::string facts(const Report& report) {
  if (report.facts.empty()) return {};
  std::string list;
  for (const auto& [name, value] : report.facts) {
    list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value));
  }
  return section("facts", "How it was made",
                 "<div class=\"card\">\n<dl class=\"facts\">\n" + list + "</dl>\n</div>\n");
}

/// Two decimals, rounded away from the goal: 98.996 % must not read 99.00 % beside "missed".
double cautious_percent(double share, Goal goal) {
  constexpr double noise = 1e-6;  // of the product, far below the last digit
  const double hundredths = 10000.0 * share;
  return (goal == Goal::at_least ? std::floor(hundredths + noise) : std::ceil(hundredths - noise)) /
         100.0;
}

}  // namespace

std::string metric_text(const Metric& metric, double value) {
  if (std::isnan(value)) return "—";
  switch (metric.kind) {
    case MetricKind::share:
      return fixed_text(cautious_percent(value, metric.goal), 2) + "\u00A0%";
    case MetricKind::count:
      return fixed_text(value, 0);
    case MetricKind::seconds:
      return fixed_text(value, 1) + "\u00A0s";
    case MetricKind::number:
      break;
  }
  return number_text(value);
}

bool reaches_bound(const Metric& metric) {
  if (!metric.bound) return false;
  return metric.goal == Goal::at_least ? metric.value >= *metric.bound
                                       : metric.value <= *metric.bound;
}

bool is_right(const TranslationSample& sample) {
  if (!sample.reference) return false;
  const std::vector<DiffWord> output = word_diff(sample.output, *sample.reference);
  const std::vector<DiffWord> reference = word_diff(*sample.reference, sample.output);
  const auto common = [](const DiffWord& word) { return word.common; };
  return std::all_of(output.begin(), output.end(), common) &&
         std::all_of(reference.begin(), reference.end(), common);
}

std::string report_html(const Report& report) {
  if (report.title.empty()) throw Error("report: the title is empty");
  std::string body = masthead(report);
  body += "<main id=\"content\">\n";
  body += highlights(report) + metrics_table(report) + curves(report) + samples(report);
  body += attention(report) + facts(report);
  body +=
      "</main>\n<footer>Made by Tensorette. This page is one file and needs no network.</footer>\n";
  return html_page({.title = report.title, .body = body});
}

void write_report(const std::filesystem::path& path, const Report& report) {
  write_file_atomically(path, report_html(report));
}

}  // namespace tensorette::pictures
