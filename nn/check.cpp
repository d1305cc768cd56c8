#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tensorette/autograd/grad_mode.hpp>
#include <tensorette/nn/check.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/place.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/elementwise.hpp>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette::nn::check {
namespace {

using detail::require;

std::vector<double> elements_of(const Tensor& x) {
  return x.to(DType::f64).to_vector<double>();
}

// Where two outputs differ most among the elements of rows that count, and by how much.
struct Difference {
  double size = 0;
  std::vector<Index> where{};
};

// `counts` has one flag per leading row of the output: [batch, tokens] or [batch]; empty: all.
Difference difference(const Tensor& found, const Tensor& expected, const std::vector<bool>& counts,
                      double tolerance) {
  require(found.shape() == expected.shape(), "check: the function gave shape {} and then {}",
          expected.shape(), found.shape());
  const std::vector<double> a = elements_of(found);
  const std::vector<double> b = elements_of(expected);
  double scale = 1;
  for (const double x : b) {
    if (std::isfinite(x)) scale = std::max(scale, std::abs(x));
  }
  Difference worst;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!counts.empty() && !counts[i * counts.size() / a.size()]) continue;
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double gap = std::abs(a[i] - b[i]);
    const double size = std::isnan(gap) ? std::numeric_limits<double>::infinity() : gap;
    if (size <= tolerance * scale || size <= worst.size) continue;
    worst = {size, detail::indices_at(found.shape(), static_cast<Index>(i))};
  }
  return worst;
}

Report failed(const Difference& worst, const std::string& message) {
  return {.ok = false,
          .message = fmt::format("{}: output {} differs by {:.3g}", message,
                                 detail::listed(worst.where), worst.size),
          .where = worst.where,
          .difference = worst.size};
}

void check_sequence(const char* name, const Tensor& x) {
  require<Error>(x.is_defined(), "{}: x is undefined", name);
  require(x.rank() >= 2, "{}: x must be [batch, tokens, ..], got {}", name, x.shape());
  require<DTypeError>(x.dtype() != DType::boolean, "{}: x must hold vectors or ids, got {}", name,
                      x.dtype());
}

void check_output(const char* name, const Tensor& output, const Tensor& x, bool per_token) {
  const bool fits = output.rank() >= 1 && output.size(0) == x.size(0) &&
                    (!per_token || (output.rank() >= 2 && output.size(1) == x.size(1)));
  require(fits, "{}: x has shape {}, so the output must be [{}, {}..], got {}", name, x.shape(),
          x.size(0), per_token ? fmt::format("{}, ", x.size(1)) : std::string(), output.shape());
}

Tensor call(const SequenceFunction& f, const Tensor& x) {
  const NoGrad no_grad;
  const Variable output = f(x);
  require<Error>(output.is_defined(), "check: the function gave an undefined Variable");
  return output.value();
}

// Other tokens: every vector replaced by random numbers of up to `size`, every id by another id
// that occurs in x.
Tensor other_tokens(const char* name, const Tensor& x, double size, Generator& generator) {
  if (is_floating(x.dtype())) return generator.uniform(x.shape(), -size, size, x.dtype());
  const std::vector<Index> ids = x.to_vector<Index>();
  const std::set<Index> distinct_set(ids.begin(), ids.end());
  const std::vector<Index> distinct(distinct_set.begin(), distinct_set.end());
  require<Error>(distinct.size() >= 2, "{}: x holds one id only; nothing can be changed", name);
  std::vector<Index> others;
  for (const Index id : ids) {
    const auto own = std::lower_bound(distinct.begin(), distinct.end(), id) - distinct.begin();
    const auto step = static_cast<std::ptrdiff_t>(generator.next_below(distinct.size() - 1)) + 1;
    const auto count = static_cast<std::ptrdiff_t>(distinct.size());
    others.push_back(distinct[static_cast<std::size_t>((own + step) % count)]);
  }
  return from_vector(others, x.shape());
}

// x where the flag of a token is set, else the other tokens.
Tensor choose(const Tensor& keep, const Tensor& x, const Tensor& others) {
  std::vector<Index> sizes(static_cast<std::size_t>(x.rank()), 1);
  sizes[0] = keep.size(0);
  sizes[1] = keep.size(1);
  return where(reshape(keep, Shape(sizes)), x, others);
}

std::vector<bool> flags_of(const Tensor& flags) {
  const std::vector<double> numbers = elements_of(flags);
  std::vector<bool> result;
  for (const double x : numbers) result.push_back(x != 0);
  return result;
}

double magnitude_of(const Tensor& x) {
  double largest = 1;
  for (const double v : elements_of(x)) {
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  }
  return largest;
}

Report batch_report(const MaskedFunction& f, const Tensor& x, const Tensor& valid,
                    const Options& options) {
  constexpr double rounding = 1e-5;
  const double tolerance = options.tolerance > 0 ? options.tolerance : rounding;
  const auto run = [&](const Tensor& samples, const Tensor& their_valid) {
    return call([&](const Tensor& s) { return f(s, their_valid); }, samples);
  };
  const auto rows_of = [](const Tensor& t, const Tensor& rows) {
    return t.is_defined() ? index_select(t, 0, rows) : Tensor();
  };
  const Tensor together = run(x, valid);
  check_output("batch_independent", together, x, valid.is_defined() && options.per_token);
  const auto counted = [&](const Tensor& rows) {
    return valid.is_defined() && options.per_token ? flags_of(rows_of(valid, rows))
                                                   : std::vector<bool>();
  };
  const Index batch = x.size(0);
  for (Index sample = 0; sample < batch; ++sample) {
    const Tensor row = from_vector(std::vector<Index>{sample});
    const Difference worst = difference(run(rows_of(x, row), rows_of(valid, row)),
                                        rows_of(together, row), counted(row), tolerance);
    if (worst.size > 0) {
      return failed(worst, fmt::format("not independent of the batch: sample {} alone is not what "
                                       "it is among {}",
                                       sample, batch));
    }
  }
  std::vector<Index> order(static_cast<std::size_t>(batch));
  std::iota(order.rbegin(), order.rend(), Index{0});
  const Tensor rows = from_vector(order);
  const Difference worst = difference(run(rows_of(x, rows), rows_of(valid, rows)),
                                      rows_of(together, rows), counted(rows), tolerance);
  if (worst.size > 0) {
    return failed(worst, "not independent of the batch: its order makes a difference");
  }
  return {.message = fmt::format("independent of the batch: {} samples alone and in reverse order",
                                 batch)};
}

}  // namespace

Report causal(const SequenceFunction& f, const Tensor& x, const Options& options) {
  check_sequence("causal", x);
  const Index tokens = x.size(1);
  require<Error>(tokens >= 2, "causal: one token has none behind it, x is {}", x.shape());
  const Tensor before = call(f, x);
  check_output("causal", before, x, true);
  Generator generator(options.seed);
  const Tensor others = other_tokens("causal", x, 2 * magnitude_of(x), generator);
  bool reacts = false;
  for (Index first = 1; first < tokens; ++first) {
    const Tensor keep = expand(reshape(arange(tokens) < first, {1, tokens}), {x.size(0), tokens});
    const Tensor after = call(f, choose(keep, x, others));
    const Difference worst = difference(after, before, flags_of(keep), options.tolerance);
    if (worst.size > 0) {
      return failed(worst, fmt::format("not causal: token {} of sample {} sees changes of tokens "
                                       "from {} on",
                                       worst.where[1], worst.where[0], first));
    }
    reacts = reacts || difference(after, before, {}, 0).size > 0;
  }
  return {.message = fmt::format("causal: {} tokens{}", tokens,
                                 reacts ? "" : ", but no output depends on any that was changed")};
}

Report ignores_padding(const MaskedFunction& f, const Tensor& x, const Tensor& valid,
                       const Options& options) {
  check_sequence("ignores_padding", x);
  require<DTypeError>(valid.is_defined() && valid.dtype() == DType::boolean,
                      "ignores_padding: the validity must be a boolean tensor");
  require(valid.shape() == Shape{x.size(0), x.size(1)},
          "ignores_padding: x has shape {}, so the validity must be [{}, {}], got {}", x.shape(),
          x.size(0), x.size(1), valid.shape());
  const std::vector<bool> is_valid = flags_of(valid);
  require<Error>(std::count(is_valid.begin(), is_valid.end(), false) > 0,
                 "ignores_padding: no token is padding, nothing can be shown");
  const auto run = [&](const Tensor& tokens) {
    return call([&](const Tensor& t) { return f(t, valid); }, tokens);
  };
  const Tensor before = run(x);
  check_output("ignores_padding", before, x, options.per_token);
  const std::vector<bool> counted = options.per_token ? is_valid : std::vector<bool>();
  Generator generator(options.seed);
  for (const double size : {1.0, 1e6}) {
    const Tensor changed = choose(valid, x, other_tokens("ignores_padding", x, size, generator));
    const Difference worst = difference(run(changed), before, counted, options.tolerance);
    if (worst.size > 0) {
      return failed(worst, fmt::format("does not ignore padding: sample {} sees changes of its {}",
                                       worst.where[0],
                                       is_floating(x.dtype())
                                           ? fmt::format("padded vectors (numbers up to {})", size)
                                           : std::string("padded ids")));
    }
  }
  return {.message =
              fmt::format("ignores padding: {} of {} tokens",
                          std::count(is_valid.begin(), is_valid.end(), false), is_valid.size())};
}

Report batch_independent(const SequenceFunction& f, const Tensor& x, const Options& options) {
  require(x.is_defined() && x.rank() >= 1 && x.size(0) >= 2,
          "batch_independent: x must be a batch of two samples at least");
  return batch_report([&f](const Tensor& samples, const Tensor&) { return f(samples); }, x, {},
                      options);
}

Report batch_independent(const MaskedFunction& f, const Tensor& x, const Tensor& valid,
                         const Options& options) {
  check_sequence("batch_independent", x);
  require(x.size(0) >= 2, "batch_independent: x must be a batch of two samples at least");
  require(valid.is_defined() && valid.shape() == Shape{x.size(0), x.size(1)},
          "batch_independent: x has shape {}, the validity does not fit", x.shape());
  return batch_report(f, x, valid, options);
}

}  // namespace tensorette::nn::check
