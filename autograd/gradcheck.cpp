#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tensorette/autograd/detail/finite_differences.hpp>
#include <tensorette/autograd/detail/gradcheck_cause.hpp>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/gradcheck.hpp>
#include <tensorette/autograd/ops/basic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/place.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/random.hpp>

namespace tensorette {
namespace {

using detail::dot;
using detail::elements_of;
using detail::FiniteDifferences;
using detail::require;

std::vector<double> random_numbers(Generator& generator, Index count) {
  return generator.normal({count}, 0, 1, DType::f64).to_vector<double>();
}

// One check: the function recorded once, its gradients, and what they are compared with.
class Check {
 public:
  Check(const GradcheckFunctions& function, std::vector<Tensor> inputs,
        std::vector<std::string> names, const GradcheckOptions& options)
      : options_(options),
        generator_(options.seed),
        differences_(function, std::move(inputs), options.epsilon),
        names_(std::move(names)) {
    record(function);
  }

  [[nodiscard]] GradcheckReport run();

 private:
  void record(const GradcheckFunctions& function);
  // Gradients of upstream · f(x) for all inputs; empty for those that are not floating.
  [[nodiscard]] std::vector<std::vector<double>> gradients(const std::vector<double>& upstream);
  void check_projections(const std::vector<double>& upstream,
                         const std::vector<std::vector<double>>& gradients);
  void check_jacobian();
  void compare(GradcheckFailure derivative, double noise);
  [[nodiscard]] GradcheckFailure derivative_of(std::size_t input) const;
  // Rounding errors of the outputs as they appear in a difference of them.
  [[nodiscard]] double noise(std::size_t input, double magnitude) const;
  [[nodiscard]] double projected_magnitude(const std::vector<double>& upstream) const;

  GradcheckOptions options_;
  Generator generator_;
  FiniteDifferences differences_;
  std::vector<std::string> names_;
  std::vector<Variable> parameters_;  // undefined for inputs that are not floating
  std::vector<Variable> outputs_;
  std::vector<double> values_;  // of the outputs
  GradcheckReport report_;
};

void Check::record(const GradcheckFunctions& function) {
  std::vector<Variable> variables;
  for (const Tensor& input : differences_.inputs()) {
    const bool is_checked = is_floating(input.dtype());
    variables.push_back(is_checked ? parameter(input) : Variable(input));
    parameters_.push_back(is_checked ? variables.back() : Variable());
  }
  const EnableGrad recording;
  for (const Variable& output : function(variables)) {
    require<Error>(output.is_defined(), "gradcheck: the function gave an undefined output");
    if (is_floating(output.dtype())) outputs_.push_back(output);
  }
  values_ = elements_of(outputs_);
}

std::vector<std::vector<double>> Check::gradients(const std::vector<double>& upstream) {
  std::vector<Variable> outputs;
  std::vector<Variable> upstreams;
  std::size_t position = 0;
  for (const Variable& output : outputs_) {
    const auto count = static_cast<std::size_t>(output.element_count());
    const std::span<const double> own(upstream.data() + position, count);
    position += count;
    if (!output.requires_grad()) continue;
    outputs.push_back(output);
    upstreams.emplace_back(from_span(own, output.shape()).to(output.dtype()));
  }
  std::vector<Variable> wanted;
  for (const Variable& variable : parameters_) {
    if (variable.is_defined()) wanted.push_back(variable);
  }
  const auto found = grad(outputs, wanted, upstreams, {.retain_graph = true});
  std::vector<std::vector<double>> result(parameters_.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].is_defined()) result[i] = elements_of(found[next++].value());
  }
  return result;
}

GradcheckFailure Check::derivative_of(std::size_t input) const {
  return {.input = input,
          .input_name = names_[input],
          .shape = differences_.inputs()[input].shape(),
          .element = std::nullopt,
          .output = std::nullopt};
}

double Check::noise(std::size_t input, double magnitude) const {
  constexpr double ulps = 8;
  return ulps * std::numeric_limits<double>::epsilon() * magnitude / differences_.step(input);
}

double Check::projected_magnitude(const std::vector<double>& upstream) const {
  double magnitude = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) magnitude += std::abs(upstream[i] * values_[i]);
  return magnitude;
}

void Check::compare(GradcheckFailure derivative, double noise) {
  ++report_.comparisons;
  const double larger = std::max(std::abs(derivative.analytic), std::abs(derivative.numeric));
  const double distance = std::abs(derivative.analytic - derivative.numeric);
  derivative.relative_error = distance == 0 ? 0 : distance / larger;
  const bool is_right = distance <= options_.absolute + options_.relative * larger + noise;
  // What rounding alone explains says nothing about the gradient.
  if (is_right && larger <= options_.absolute + noise) {
    if (distance > options_.relative * larger + noise) ++report_.too_small;
    return;
  }
  report_.largest_error = std::max(report_.largest_error, derivative.relative_error);
  if (!is_right) report_.failures.push_back(std::move(derivative));
}

void Check::check_projections(const std::vector<double>& upstream,
                              const std::vector<std::vector<double>>& gradients) {
  const double magnitude = projected_magnitude(upstream);
  for (std::size_t input = 0; input < gradients.size(); ++input) {
    if (!parameters_[input].is_defined()) continue;
    const std::vector<double> elements = elements_of(differences_.inputs()[input]);
    const auto count = static_cast<Index>(elements.size());
    if (count == 0) continue;
    for (int i = 0; i < options_.directions; ++i) {
      std::vector<double> direction = random_numbers(generator_, count);
      for (std::size_t k = 0; k < elements.size(); ++k) {
        if (!std::isfinite(elements[k])) direction[k] = 0;
      }
      GradcheckFailure derivative = derivative_of(input);
      derivative.analytic = dot(gradients[input], direction);
      derivative.numeric = dot(differences_.along(input, direction), upstream);
      compare(std::move(derivative), noise(input, magnitude));
    }
    for (Index i = 0; i < std::min(count, options_.elements); ++i) {
      const Index element =
          count <= options_.elements
              ? i
              : static_cast<Index>(generator_.next_below(static_cast<std::uint64_t>(count)));
      if (!std::isfinite(elements[static_cast<std::size_t>(element)])) continue;
      GradcheckFailure derivative = derivative_of(input);
      derivative.element = element;
      derivative.analytic = gradients[input][static_cast<std::size_t>(element)];
      derivative.numeric = dot(differences_.along_element(input, element), upstream);
      compare(std::move(derivative), noise(input, magnitude));
    }
  }
}

void Check::check_jacobian() {
  std::vector<std::vector<std::vector<double>>> rows;  // by output element, input, input element
  for (std::size_t output = 0; output < values_.size(); ++output) {
    std::vector<double> upstream(values_.size());
    upstream[output] = 1;
    rows.push_back(gradients(upstream));
  }
  for (std::size_t input = 0; input < parameters_.size(); ++input) {
    if (!parameters_[input].is_defined()) continue;
    const std::vector<double> elements = elements_of(differences_.inputs()[input]);
    for (std::size_t element = 0; element < elements.size(); ++element) {
      if (!std::isfinite(elements[element])) continue;
      const auto column = differences_.along_element(input, static_cast<Index>(element));
      for (std::size_t output = 0; output < values_.size(); ++output) {
        GradcheckFailure derivative = derivative_of(input);
        derivative.element = static_cast<Index>(element);
        derivative.output = static_cast<Index>(output);
        derivative.analytic = rows[output][input][element];
        derivative.numeric = column[output];
        compare(std::move(derivative), noise(input, std::abs(values_[output])));
      }
    }
  }
}

GradcheckReport Check::run() {
  const std::vector<double> again = differences_.value();
  bool is_same = again.size() == values_.size();
  for (std::size_t i = 0; is_same && i < again.size(); ++i) {
    const double distance = std::abs(again[i] - values_[i]);
    is_same = again[i] == values_[i] || (std::isnan(again[i]) && std::isnan(values_[i])) ||
              distance <= options_.absolute + options_.relative * std::abs(values_[i]);
  }
  if (!is_same) {
    report_.is_deterministic = false;
    report_.likely_cause =
        "two calls with the same inputs gave different values: is there a random number in it?";
    return std::move(report_);
  }

  const auto upstream = random_numbers(generator_, static_cast<Index>(values_.size()));
  const auto gradients_found = gradients(upstream);
  if (options_.full_jacobian) {
    check_jacobian();
  } else {
    check_projections(upstream, gradients_found);
  }
  if (report_.failures.empty()) return std::move(report_);
  std::stable_sort(report_.failures.begin(), report_.failures.end(),
                   [](const GradcheckFailure& a, const GradcheckFailure& b) {
                     // What is not a number comes first.
                     if (std::isnan(a.relative_error)) return !std::isnan(b.relative_error);
                     return a.relative_error > b.relative_error;
                   });
  report_.likely_cause = detail::likely_cause({.differences = differences_,
                                               .outputs = outputs_,
                                               .names = names_,
                                               .upstream = upstream,
                                               .gradients = gradients_found,
                                               .input = report_.failures.front().input});
  return std::move(report_);
}

std::vector<Tensor> values_of(const char* operation, const std::vector<Variable>& inputs) {
  std::vector<Tensor> values;
  for (const Variable& input : inputs) {
    require<Error>(input.is_defined(), "{}: input {} is undefined", operation, values.size());
    values.push_back(input.value());
  }
  return values;
}

void check_options(const char* operation, const GradcheckOptions& options) {
  require<Error>(options.epsilon > 0 && std::isfinite(options.epsilon),
                 "{}: epsilon must be positive, got {}", operation, options.epsilon);
  require<Error>(options.relative >= 0 && options.absolute >= 0,
                 "{}: tolerances must not be negative, got relative {} and absolute {}", operation,
                 options.relative, options.absolute);
  require<Error>(options.directions >= 0 && options.elements >= 0 &&
                     (options.full_jacobian || options.directions + options.elements > 0),
                 "{}: {} directions and {} elements make no comparison", operation,
                 options.directions, options.elements);
}

std::vector<std::string> numbered(const char* what, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{} {}", what, i));
  return names;
}

GradcheckFunctions with_list(const GradcheckFunction& function) {
  return [function](std::span<const Variable> inputs) {
    return std::vector<Variable>{function(inputs)};
  };
}

// The gradients of a function as a function of its inputs and upstream gradients, in this order.
// Where the caller records, they can be differentiated.
std::vector<Variable> gradient_function(const GradcheckFunctions& function,
                                        std::span<const Variable> arguments, std::size_t count) {
  const auto asks = [](const Variable& x) { return x.requires_grad(); };
  const bool create_graph = is_recording() && std::any_of(arguments.begin(), arguments.end(), asks);
  const EnableGrad recording;
  std::vector<Variable> inputs;
  std::vector<Variable> wanted;
  for (const Variable& argument : arguments.first(count)) {
    if (!is_floating(argument.dtype())) {
      inputs.push_back(argument);
      continue;
    }
    inputs.push_back(argument.requires_grad() ? alias(argument) : parameter(argument.value()));
    wanted.push_back(inputs.back());
  }
  std::vector<Variable> outputs;
  std::vector<Variable> upstream;
  std::size_t next = count;
  for (const Variable& output : function(inputs)) {
    if (!is_floating(output.dtype())) continue;
    const Variable& own = arguments[next++];
    if (!output.requires_grad()) continue;
    outputs.push_back(output);
    upstream.push_back(own);
  }
  return grad(outputs, wanted, upstream, {.create_graph = create_graph});
}

std::string line_of(const GradcheckFailure& failure) {
  const std::string where =
      failure.element
          ? fmt::format("element {}",
                        detail::listed(detail::indices_at(failure.shape, *failure.element)))
          : std::string("along a random direction");
  const std::string output =
      failure.output ? fmt::format(", output element {}", *failure.output) : std::string();
  return fmt::format(
      "\n  {} {}, {}{}: backward gives {:.10g}, differences give {:.10g} ({:.2g} "
      "relative error)",
      failure.input_name, failure.shape, where, output, failure.analytic, failure.numeric,
      failure.relative_error);
}

}  // namespace

std::string GradcheckReport::to_string() const {
  if (ok()) {
    if (comparisons == 0) return "nothing to compare: no floating input has an element";
    std::string text =
        fmt::format("gradients are right: {} derivatives compared, largest relative error {:.2g}",
                    comparisons, largest_error);
    if (too_small > 0) {
      text += fmt::format(
          "; {} of them differ, but are too small for the absolute tolerance to tell", too_small);
    }
    return text;
  }
  std::string text = is_deterministic ? fmt::format("gradients are wrong: {} of {} derivatives",
                                                    failures.size(), comparisons)
                                      : std::string("gradients can't be checked");
  constexpr std::size_t shown = 5;
  for (std::size_t i = 0; i < std::min(failures.size(), shown); ++i) text += line_of(failures[i]);
  if (failures.size() > shown) text += fmt::format("\n  and {} more", failures.size() - shown);
  if (!likely_cause.empty()) text += "\n  likely cause: " + likely_cause;
  return text;
}

GradcheckReport gradcheck(const GradcheckFunctions& function, const std::vector<Variable>& inputs,
                          const GradcheckOptions& options) {
  check_options("gradcheck", options);
  return Check(function, values_of("gradcheck", inputs), numbered("input", inputs.size()), options)
      .run();
}

GradcheckReport gradcheck(const GradcheckFunction& function, const std::vector<Variable>& inputs,
                          const GradcheckOptions& options) {
  return gradcheck(with_list(function), inputs, options);
}

GradcheckReport gradgradcheck(const GradcheckFunctions& function,
                              const std::vector<Variable>& inputs,
                              const GradcheckOptions& options) {
  check_options("gradgradcheck", options);
  std::vector<Tensor> arguments = values_of("gradgradcheck", inputs);
  std::vector<std::string> names = numbered("input", inputs.size());
  // Upstream gradients in the shapes of the outputs, from a stream of their own.
  Generator generator(options.seed, 1);
  std::size_t outputs = 0;
  {
    const NoGrad no_grad;
    for (const Variable& output :
         function(std::vector<Variable>(arguments.begin(), arguments.end()))) {
      require<Error>(output.is_defined(), "gradgradcheck: the function gave an undefined output");
      if (!is_floating(output.dtype())) continue;
      arguments.push_back(generator.normal(output.shape(), 0, 1, output.dtype()));
      ++outputs;
    }
  }
  for (std::string& name : numbered("upstream gradient", outputs)) names.push_back(std::move(name));
  const auto gradients = [&function, count = inputs.size()](std::span<const Variable> in) {
    return gradient_function(function, in, count);
  };
  return Check(gradients, std::move(arguments), std::move(names), options).run();
}

GradcheckReport gradgradcheck(const GradcheckFunction& function,
                              const std::vector<Variable>& inputs,
                              const GradcheckOptions& options) {
  return gradgradcheck(with_list(function), inputs, options);
}

}  // namespace tensorette
