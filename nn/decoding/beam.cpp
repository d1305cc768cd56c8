#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorette/nn/decoding/decoding.hpp>
#include <tensorette/nn/decoding/detail/check_options.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <utility>

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
  SentenceBeam(const DecodingOptions& options, Index sentence)
      : options_(options), max_length_(max_length_of(options, sentence)) {
    open_.push_back({.tokens = {}, .log_probability = 0, .row = sentence});
    if (max_length_ == 0) cut_off(0);
  }

  [[nodiscard]] bool is_done() const noexcept { return open_.empty(); }
  [[nodiscard]] std::vector<OpenHypothesis>& open() noexcept { return open_; }

  // The best tokens of each row, best first: `width` values and ids per row.
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
    if (length == max_length_) {
      cut_off(length);
    } else {
      give_up_losers(length);
    }
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

  // What is still open becomes a result that was cut off.
  void cut_off(Index length) {
    for (OpenHypothesis& hypothesis : open_) {
      finish(std::move(hypothesis.tokens), hypothesis.log_probability, length, true);
    }
    open_.clear();
  }

  void finish(std::vector<Index> tokens, double log_probability, Index length, bool is_cut_off) {
    finished_.push_back({.tokens = std::move(tokens),
                         .log_probability = log_probability,
                         .score = log_probability / length_penalty(length, options_.length_penalty),
                         .is_cut_off = is_cut_off});
  }

  // Log probabilities only fall, so an open hypothesis can at best keep its own until the end,
  // which comes with the next token or at max_length: the penalty is monotonous in between.
  void give_up_losers(Index length) {
    if (finished_.size() < static_cast<std::size_t>(options_.best)) return;
    std::vector<double> scores;
    for (const Hypothesis& hypothesis : finished_) scores.push_back(rank(hypothesis.score));
    const auto nth = scores.begin() + (options_.best - 1);
    std::nth_element(scores.begin(), nth, scores.end(), std::greater<>());
    const double nearest = length_penalty(length + 1, options_.length_penalty);
    const double farthest = length_penalty(max_length_, options_.length_penalty);
    std::erase_if(open_, [&](const OpenHypothesis& hypothesis) {
      return std::max(hypothesis.log_probability / nearest,
                      hypothesis.log_probability / farthest) <= *nth;
    });
  }

  const DecodingOptions& options_;
  Index max_length_;
  std::vector<OpenHypothesis> open_;
  std::vector<Hypothesis> finished_;
};

// The next step: each row's latest token, and the row of the last step that it continues.
struct NextStep {
  std::vector<Index> tokens;
  std::vector<Index> rows;
};

// Gives the open hypotheses of all sentences rows 0, 1, ... One heir of a row keeps it, where there
// are rows enough, so that a model which keeps a memory for each has least to move.
NextStep assign_rows(std::vector<SentenceBeam>& beams, const DecodingOptions& options) {
  std::vector<OpenHypothesis*> open;
  for (SentenceBeam& beam : beams) {
    for (OpenHypothesis& hypothesis : beam.open()) open.push_back(&hypothesis);
  }
  std::vector<OpenHypothesis*> at(open.size(), nullptr);
  std::vector<OpenHypothesis*> others;
  for (OpenHypothesis* hypothesis : open) {
    const auto row = static_cast<std::size_t>(hypothesis->row);
    if (row < at.size() && at[row] == nullptr) {
      at[row] = hypothesis;
    } else {
      others.push_back(hypothesis);
    }
  }
  NextStep next;
  std::size_t used = 0;
  for (std::size_t row = 0; row < at.size(); ++row) {
    OpenHypothesis& hypothesis = at[row] != nullptr ? *at[row] : *others[used++];
    next.tokens.push_back(hypothesis.tokens.empty() ? options.begin_id : hypothesis.tokens.back());
    next.rows.push_back(std::exchange(hypothesis.row, static_cast<Index>(row)));
  }
  return next;
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
  check_options("beam_search", sentences, options);
  std::vector<SentenceBeam> beams;
  for (Index sentence = 0; sentence < sentences; ++sentence) beams.emplace_back(options, sentence);
  Index row_count = sentences;
  for (Index length = 1;; ++length) {
    const NextStep next = assign_rows(beams, options);
    if (next.rows.empty()) break;
    if (!is_identity(next.rows, row_count)) model.reorder(from_vector(next.rows));
    row_count = static_cast<Index>(next.rows.size());
    const ValuesAndIndices best = model.best(from_vector(next.tokens), options.beam);
    const auto values = best.values.to(DType::f64).to_vector<double>();
    const auto ids = best.indices.to_vector<Index>();
    for (SentenceBeam& beam : beams) {
      if (!beam.is_done()) beam.advance(values, ids, best.values.size(1), length);
    }
  }
  std::vector<std::vector<Hypothesis>> results;
  for (SentenceBeam& beam : beams) results.push_back(std::move(beam).results());
  return results;
}

}  // namespace tensorette::nn
