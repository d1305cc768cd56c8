#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorette/nn/decoding/decoding.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/index.hpp>

namespace tensorette::nn {

double length_penalty(Index length, double alpha) {
  return std::pow((5.0 + static_cast<double>(length)) / 6.0, alpha);
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A NaN counts as the largest, as everywhere, so that there is an order.
double rank(double score) {
  return std::isnan(score) ? infinity : score;
}

// An unfinished hypothesis and the row that continues it.
struct OpenHypothesis {
  std::vector<Index> tokens;
  double log_probability = 0;
  Index row = 0;
};

// One way to go on.
struct Continuation {
  std::size_t parent;  // position among the open hypotheses
  Index token;
  double log_probability;
};

class SentenceBeam {
 public:
  SentenceBeam(const DecodingOptions& options, Index first_row) : options_(options) {
    open_.push_back({.tokens = {}, .log_probability = 0, .row = first_row});
  }

  [[nodiscard]] bool is_done() const noexcept { return open_.empty(); }
  [[nodiscard]] const std::vector<OpenHypothesis>& open() const noexcept { return open_; }
  [[nodiscard]] std::vector<OpenHypothesis>& open() noexcept { return open_; }

  // The best tokens of each open row, best first: `width` values and ids per row.
  void advance(const std::vector<double>& values, const std::vector<Index>& ids, Index width,
               Index length) {
    std::vector<Continuation> ways;
    for (std::size_t parent = 0; parent < open_.size(); ++parent) {
      const auto row = static_cast<std::size_t>(open_[parent].row * width);
      for (std::size_t k = 0; k < static_cast<std::size_t>(width); ++k) {
        ways.push_back({parent, ids[row + k], open_[parent].log_probability + values[row + k]});
      }
    }
    const auto kept = std::min(ways.size(), static_cast<std::size_t>(options_.beam));
    std::stable_sort(ways.begin(), ways.end(), [](const Continuation& a, const Continuation& b) {
      return rank(a.log_probability) > rank(b.log_probability);
    });
    std::vector<OpenHypothesis> next;
    for (std::size_t i = 0; i < kept; ++i) {
      // What is impossible is followed only where there is nothing else, as greedy search does.
      if (i > 0 && ways[i].log_probability == -infinity) break;
      follow(ways[i], length, next);
    }
    open_ = std::move(next);
    if (no_open_one_can_win(length)) open_.clear();
  }

  // What is still open becomes a result that was cut off.
  void cut_off(Index length) {
    for (OpenHypothesis& hypothesis : open_) {
      finish(std::move(hypothesis.tokens), hypothesis.log_probability, length, true);
    }
    open_.clear();
  }

  [[nodiscard]] std::vector<Hypothesis> results() && {
    std::stable_sort(finished_.begin(), finished_.end(), better);
    if (finished_.size() > static_cast<std::size_t>(options_.best)) {
      finished_.resize(static_cast<std::size_t>(options_.best));
    }
    return std::move(finished_);
  }

 private:
  // One that reached its end stands above one that was cut off.
  static bool better(const Hypothesis& a, const Hypothesis& b) {
    if (a.is_cut_off != b.is_cut_off) return b.is_cut_off;
    return rank(a.score) > rank(b.score);
  }

  void follow(const Continuation& way, Index length, std::vector<OpenHypothesis>& next) {
    std::vector<Index> tokens = open_[way.parent].tokens;
    if (way.token == options_.end_id) {
      finish(std::move(tokens), way.log_probability, length, false);
      return;
    }
    tokens.push_back(way.token);
    next.push_back({std::move(tokens), way.log_probability, open_[way.parent].row});
  }

  void finish(std::vector<Index> tokens, double log_probability, Index length, bool is_cut_off) {
    finished_.push_back({.tokens = std::move(tokens),
                         .log_probability = log_probability,
                         .score = log_probability / length_penalty(length, options_.length_penalty),
                         .is_cut_off = is_cut_off});
  }

  // Log probabilities only fall, so an open hypothesis can at best keep its own until the end,
  // which comes with the next token or at max_length: the penalty is monotonous in between.
  [[nodiscard]] bool no_open_one_can_win(Index length) const {
    if (finished_.size() < static_cast<std::size_t>(options_.best)) return false;
    std::vector<double> scores;
    for (const Hypothesis& hypothesis : finished_) scores.push_back(rank(hypothesis.score));
    const auto nth = scores.begin() + (options_.best - 1);
    std::nth_element(scores.begin(), nth, scores.end(), std::greater<>());
    const double nearest = length_penalty(length + 1, options_.length_penalty);
    const double farthest = length_penalty(options_.max_length, options_.length_penalty);
    return std::all_of(open_.begin(), open_.end(), [&](const OpenHypothesis& hypothesis) {
      return std::max(hypothesis.log_probability / nearest,
                      hypothesis.log_probability / farthest) <= *nth;
    });
  }

  DecodingOptions options_;
  std::vector<OpenHypothesis> open_;
  std::vector<Hypothesis> finished_;
};

// Moves the open hypotheses of all sentences to rows 0, 1, ... and gives the rows they come from.
std::vector<Index> compact_rows(std::vector<SentenceBeam>& beams, std::vector<Index>& tokens) {
  std::vector<Index> rows;
  tokens.clear();
  for (SentenceBeam& beam : beams) {
    for (OpenHypothesis& hypothesis : beam.open()) {
      tokens.push_back(hypothesis.tokens.back());
      rows.push_back(std::exchange(hypothesis.row, static_cast<Index>(rows.size())));
    }
  }
  return rows;
}

bool is_identity(const std::vector<Index>& rows, Index count) {
  if (static_cast<Index>(rows.size()) != count) return false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != static_cast<Index>(i)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(NextToken& model, Index sentences,
                                                 const DecodingOptions& options) {
  detail::require<Error>(options.beam > 0 && options.best > 0 && options.best <= options.beam,
                         "beam_search: needs 0 < best <= beam, got best = {} and beam = {}",
                         options.best, options.beam);
  detail::require<Error>(sentences >= 0 && options.max_length >= 0,
                         "beam_search: max_length must not be negative, got {}",
                         options.max_length);
  detail::require<Error>(std::isfinite(options.length_penalty),
                         "beam_search: length_penalty must be finite, got {}",
                         options.length_penalty);
  std::vector<SentenceBeam> beams;
  for (Index sentence = 0; sentence < sentences; ++sentence) {
    beams.emplace_back(options, sentence);
  }
  std::vector<Index> tokens(static_cast<std::size_t>(sentences), options.begin_id);
  for (Index length = 1; length <= options.max_length && !tokens.empty(); ++length) {
    const auto row_count = static_cast<Index>(tokens.size());
    const Tensor log_probabilities = model.step(from_vector(tokens));
    const Index width = std::min(options.beam, log_probabilities.size(1));
    const ValuesAndIndices top = topk(log_probabilities, width, 1);
    const auto values = top.values.to(DType::f64).to_vector<double>();
    const auto ids = top.indices.to_vector<Index>();
    for (SentenceBeam& beam : beams) {
      if (!beam.is_done()) beam.advance(values, ids, width, length);
    }
    const std::vector<Index> rows = compact_rows(beams, tokens);
    if (!rows.empty() && !is_identity(rows, row_count)) model.reorder(from_vector(rows));
  }
  std::vector<std::vector<Hypothesis>> results;
  for (SentenceBeam& beam : beams) {
    beam.cut_off(options.max_length);
    results.push_back(std::move(beam).results());
  }
  return results;
}

}  // namespace tensorette::nn
