#include <bit>
#include <cmath>
#include <cstring>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/ops/reduce.hpp>
#include <tensorette/nn/check.hpp>
#include <tensorette/nn/optim/adam.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/detail/place.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn::check {
namespace {

using detail::require;

bool have_same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Row-major position of the first element whose bits differ; no value if none does.
std::optional<Index> first_difference(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.to(DType::f64).to_vector<double>();
  const std::vector<double> y = b.to(DType::f64).to_vector<double>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool both_nan = std::isnan(x[i]) && std::isnan(y[i]);
    if (!both_nan && !have_same_bits(x[i], y[i])) return static_cast<Index>(i);
  }
  return std::nullopt;
}

Report compared(const std::string& what, const Tensor& first, const Tensor& second) {
  if (!(first.shape() == second.shape()) || first.dtype() != second.dtype()) {
    return {.ok = false,
            .message = fmt::format("not deterministic: {} is {} {} and then {} {}", what,
                                   first.dtype(), first.shape(), second.dtype(), second.shape())};
  }
  const std::optional<Index> position = first_difference(first, second);
  if (!position) return {};
  Report report{.ok = false, .where = detail::indices_at(first.shape(), *position)};
  const auto at = static_cast<std::size_t>(*position);
  const double before = first.to(DType::f64).to_vector<double>()[at];
  const double after = second.to(DType::f64).to_vector<double>()[at];
  report.difference = std::abs(after - before);
  report.message =
      fmt::format("not deterministic: {} {} is {:.9g} and then {:.9g}; is there dropout in it?",
                  what, detail::listed(report.where), before, after);
  return report;
}

std::string listed_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// What training changes in a model.
class Snapshot {
 public:
  explicit Snapshot(const Module& model)
      : parameters_(model.parameters()), generators_(model.generator_states()) {
    for (const Variable& parameter : parameters_) {
      values_.push_back(parameter.value().clone());
      gradients_.push_back(parameter.grad());
    }
  }
  void restore(Module& model) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      copy_(parameters_[i].mutable_value(), values_[i]);
      parameters_[i].set_grad(gradients_[i]);
    }
    model.set_generator_states(generators_);
  }

 private:
  std::vector<Variable> parameters_;
  std::map<std::string, Generator::State> generators_;
  std::vector<Tensor> values_;
  std::vector<Variable> gradients_;
};

Report train(Module& model, const std::function<Variable()>& loss, const OverfitOptions& options) {
  const EnableGrad recording;
  optim::Adam adam(model.parameters(), {.learning_rate = options.learning_rate});
  std::vector<std::string> unreached;
  double first = 0;
  double now = 0;
  int step = 0;
  for (;; ++step) {
    const Variable value = loss();
    now = value.item();
    if (step == 0) first = now;
    if (!(now > options.target) || step == options.steps) break;
    model.zero_grad();
    value.backward();
    if (step == 0) {
      for (const NamedParameter& named : model.named_parameters()) {
        if (!named.parameter.grad().is_defined()) unreached.push_back(named.name);
      }
    }
    adam.step();
  }
  Report report{.ok = now <= options.target};
  report.message = fmt::format("{} one batch: the loss went from {:.4g} to {:.4g} in {} steps",
                               report.ok ? "can overfit" : "can't overfit", first, now, step);
  if (!report.ok) {
    report.difference =
        std::isnan(now) ? std::numeric_limits<double>::infinity() : now - options.target;
  }
  if (!unreached.empty()) {
    report.message += "; no gradient reaches " + listed_names(unreached);
  }
  return report;
}

}  // namespace

Report deterministic(const std::function<Variable()>& f, const std::vector<Variable>& parameters) {
  std::vector<std::vector<Tensor>> runs;
  for (int run = 0; run < 2; ++run) {
    const EnableGrad recording;
    const Variable output = f();
    require<Error>(output.is_defined(), "deterministic: the function gave an undefined Variable");
    std::vector<Tensor> results{output.value().clone()};
    if (!parameters.empty()) {
      const Variable total = sum(output);
      for (const Variable& gradient : grad({&total, 1}, parameters)) {
        results.push_back(gradient.value());
      }
    }
    runs.push_back(std::move(results));
  }
  for (std::size_t i = 0; i < runs[0].size(); ++i) {
    const std::string name = i == 0 ? "" : parameters[i - 1].name();
    const std::string what =
        i == 0 ? std::string("output")
               : fmt::format("the gradient of {}",
                             name.empty() ? fmt::format("parameter {}", i - 1) : name);
    Report report = compared(what, runs[0][i], runs[1][i]);
    if (!report.ok) return report;
  }
  return {.message = fmt::format("deterministic: two calls gave the same bits, {} gradients too",
                                 parameters.size())};
}

Report can_overfit_one_batch(Module& model, const std::function<Variable()>& loss,
                             const OverfitOptions& options) {
  require<Error>(options.steps > 0, "can_overfit_one_batch: {} steps", options.steps);
  Snapshot before(model);
  try {
    Report report = train(model, loss, options);
    before.restore(model);
    return report;
  } catch (...) {
    before.restore(model);
    throw;
  }
}

}  // namespace tensorette::nn::check
