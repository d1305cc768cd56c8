/// \file
/// What a training did, as one HTML page: the attention it learnt, the numbers it reached, its
/// curves and its translations.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attention_arcs.hpp"
#include "attention_grid.hpp"
#include "line_chart.hpp"

namespace tensorette::pictures {

enum class MetricKind {
  share,    ///< 0.993 is shown as 99.30 %
  number,   ///< 0.0123
  count,    ///< 20 480
  seconds,  ///< 48.2 s
};

enum class Goal { at_least, at_most };

struct Metric {
  std::string name{};  ///< "held-out exact match"
  double value = 0;    ///< NaN: could not be measured
  MetricKind kind = MetricKind::number;
  std::string meaning{};          ///< one sentence for the table
  std::optional<double> bound{};  ///< what it is to reach
  Goal goal = Goal::at_least;
};

struct TranslationSample {
  std::string source{};
  std::string output{};
  std::optional<std::string> reference{};  ///< the right translation, where one is known
};

struct SentenceAttention {
  std::string sentence{};                ///< heads the tab
  std::string translation{};             ///< the model's output
  std::vector<AttentionScores> kinds{};  ///< self-attention of encoder and decoder, cross-attention
  AttentionGridOptions first{};          ///< the head that is shown first, in the first kind
};

struct Report {
  std::string title{};
  std::string lead{};                       ///< one or two sentences below the title
  std::vector<AttentionArcs> highlights{};  ///< stand first: "it" → "animal"
  std::vector<Metric> metrics{};
  std::vector<LineChart> curves{};
  std::vector<TranslationSample> samples{};
  std::vector<SentenceAttention> attention{};
  std::vector<std::pair<std::string, std::string>> facts{};  ///< "parameters" – "164 352", …
};

/// The whole page. Parts without content are left out. Throws Error when the title is empty, and
/// what the parts throw.
[[nodiscard]] std::string report_html(const Report& report);

/// Writes report_html() to `path`; an existing file survives every failure (write_file_atomically).
void write_report(const std::filesystem::path& path, const Report& report);

/// `99.30 %`, `0.0123`, `20 480`, `48.2 s`; a dash for NaN. A share is rounded away from its goal.
[[nodiscard]] std::string metric_text(const Metric& metric, double value);

/// True when the metric has a bound and its value reaches it.
[[nodiscard]] bool reaches_bound(const Metric& metric);

/// True when the output is the reference up to white space; false without a reference.
[[nodiscard]] bool is_right(const TranslationSample& sample);

}  // namespace tensorette::pictures
