#include <algorithm>
#include <cmath>
#include <tensorette/autograd/detail/gradcheck_cause.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette::detail {
namespace {

// Measuring whole gradients takes four calls an element: only for inputs of moderate size.
constexpr Index most_elements = 4096;

bool has_f32(const GradcheckEvidence& evidence) {
  const auto inputs = evidence.differences.inputs();
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Tensor& x) { return x.dtype() == DType::f32; });
}

// How far gradients that are the same may be apart: differences of f32 values keep few digits.
double tolerance_of(const GradcheckEvidence& evidence) {
  return has_f32(evidence) ? 2e-2 : 1e-5;
}

bool alike(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  if (a.size() != b.size()) return false;
  double distance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) distance += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(distance) <= tolerance * std::sqrt(std::max(dot(a, a), dot(b, b)));
}

bool all_zero(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return x == 0; });
}

bool all_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

std::vector<double> measured_gradient(const FiniteDifferences& differences, std::size_t input,
                                      const std::vector<double>& upstream) {
  std::vector<double> gradient;
  for (Index i = 0; i < differences.inputs()[input].element_count(); ++i) {
    gradient.push_back(dot(differences.along_element(input, i), upstream));
  }
  return gradient;
}

// The first element around which the slopes on both sides differ by more than curvature explains:
// over a distance t they differ by t f'', so at 2h by 32 times as much as at h/16.
std::string kink(const GradcheckEvidence& evidence) {
  const FiniteDifferences& differences = evidence.differences;
  const double h = differences.step(evidence.input);
  const auto slopes_apart = [&](Index element, double t, double& slope) {
    const double right = dot(differences.one_sided(evidence.input, element, t), evidence.upstream);
    const double left = dot(differences.one_sided(evidence.input, element, -t), evidence.upstream);
    slope = std::max(std::abs(right), std::abs(left));
    return std::abs(right - left);
  };
  const Tensor& input = differences.inputs()[evidence.input];
  const std::vector<double> elements = elements_of(input);
  for (Index i = 0; i < input.element_count(); ++i) {
    if (!std::isfinite(elements[static_cast<std::size_t>(i)])) continue;
    double slope = 0;
    const double far = slopes_apart(i, 2 * h, slope);
    if (far <= 1e-7 + 1e-5 * slope) continue;
    const double near = slopes_apart(i, h / 16, slope);
    if (near > far / 16 || near < far / 64) {
      return fmt::format(
          "the function has a kink or a jump near element {} of {} (value {:.6g}): the slopes on "
          "its two sides differ; check at other values",
          i, evidence.names[evidence.input], elements[static_cast<std::size_t>(i)]);
    }
  }
  return {};
}

// Which slice along the axes that broadcasting added to an input.
enum class Slice { first, last };

// The upstream gradient with only one slice left along the axes that broadcasting added to an input
// of this shape; empty unless the output looks like a broadcast of the input.
std::vector<double> sliced_upstream(const GradcheckEvidence& evidence, const Shape& shape,
                                    Slice which) {
  if (evidence.outputs.size() != 1) return {};
  const Shape& full = evidence.outputs[0].shape();
  if (full == shape || !is_broadcastable_to(shape, full)) return {};
  std::vector<double> slice = evidence.upstream;
  for (std::size_t position = 0; position < slice.size(); ++position) {
    auto rest = static_cast<Index>(position);
    for (int axis = full.rank() - 1; axis >= 0; --axis) {
      const int own = axis - (full.rank() - shape.rank());
      const bool is_added = own < 0 || shape[own] != full[axis];
      const Index kept = which == Slice::first ? 0 : full[axis] - 1;
      if (is_added && rest % full[axis] != kept) slice[position] = 0;
      rest /= full[axis];
    }
  }
  return slice;
}

// The elements read as a tensor whose last two axes are swapped.
std::vector<double> with_last_axes_swapped(const std::vector<double>& elements, Shape shape) {
  std::swap(shape[shape.rank() - 1], shape[shape.rank() - 2]);
  return elements_of(transpose(from_vector(elements, shape)));
}

std::string broadcast_cause(const GradcheckEvidence& evidence,
                            const std::vector<double>& analytic) {
  const Shape& shape = evidence.differences.inputs()[evidence.input].shape();
  for (const Slice which : {Slice::first, Slice::last}) {
    const std::vector<double> slice = sliced_upstream(evidence, shape, which);
    if (slice.empty() || slice == evidence.upstream) continue;
    const auto measured = measured_gradient(evidence.differences, evidence.input, slice);
    if (!alike(analytic, measured, tolerance_of(evidence))) continue;
    return fmt::format(
        "{} of shape {} is broadcast to {}: its gradient is that of one slice, not the sum over "
        "the broadcast axes",
        evidence.names[evidence.input], shape, evidence.outputs[0].shape());
  }
  return {};
}

std::string other_input_cause(const GradcheckEvidence& evidence,
                              const std::vector<double>& analytic) {
  const auto inputs = evidence.differences.inputs();
  for (std::size_t other = 0; other < inputs.size(); ++other) {
    if (other == evidence.input || !is_floating(inputs[other].dtype())) continue;
    if (inputs[other].element_count() != static_cast<Index>(analytic.size())) continue;
    if (alike(analytic, measured_gradient(evidence.differences, other, evidence.upstream),
              tolerance_of(evidence))) {
      return fmt::format("{} received the gradient of {}", evidence.names[evidence.input],
                         evidence.names[other]);
    }
  }
  return {};
}

std::string factor_cause(const GradcheckEvidence& evidence, const std::vector<double>& analytic,
                         const std::vector<double>& numeric) {
  const double factor = dot(analytic, numeric) / dot(numeric, numeric);
  std::vector<double> scaled = numeric;
  for (double& x : scaled) x *= factor;
  if (!alike(analytic, scaled, tolerance_of(evidence))) return {};
  // So little is what rounding does.
  if (has_f32(evidence) && std::abs(factor - 1) < 3 * tolerance_of(evidence)) return {};
  const std::string& name = evidence.names[evidence.input];
  const Shape& shape = evidence.differences.inputs()[evidence.input].shape();
  std::string hint;
  if (evidence.outputs.size() == 1 && is_broadcastable_to(shape, evidence.outputs[0].shape())) {
    const auto copies = static_cast<double>(evidence.outputs[0].element_count()) /
                        static_cast<double>(shape.element_count());
    if (copies > 1 && std::abs(factor * copies - 1) < tolerance_of(evidence)) {
      hint =
          fmt::format(": a mean over its {} copies, where broadcasting asks for the sum", copies);
    }
  }
  return fmt::format("the gradient of {} is {:.6g} times what it should be{}", name, factor, hint);
}

// What is wrong with the gradient as a whole; empty where nothing is known of that.
std::string gradient_cause(const GradcheckEvidence& evidence) {
  const double tolerance = tolerance_of(evidence);
  const std::string& name = evidence.names[evidence.input];
  const Shape& shape = evidence.differences.inputs()[evidence.input].shape();
  const std::vector<double>& analytic = evidence.gradients[evidence.input];
  const std::vector<double> numeric =
      measured_gradient(evidence.differences, evidence.input, evidence.upstream);
  if (!all_finite(analytic)) {
    return fmt::format("the gradient of {} is infinite or not a number", name);
  }
  if (all_zero(analytic)) {
    return fmt::format("no gradient reaches {}: it is detached on the way, or its vjp gives none",
                       name);
  }
  if (all_zero(numeric)) {
    return fmt::format("the outputs do not depend on {}, its gradient should be zero", name);
  }
  std::vector<double> negated = numeric;
  for (double& x : negated) x = -x;
  if (alike(analytic, negated, tolerance)) {
    return fmt::format("the gradient of {} has the wrong sign", name);
  }
  if (std::string cause = broadcast_cause(evidence, analytic); !cause.empty()) return cause;
  if (std::string cause = other_input_cause(evidence, analytic); !cause.empty()) return cause;
  if (shape.rank() >= 2 && !alike(analytic, numeric, tolerance) &&
      alike(with_last_axes_swapped(analytic, shape), numeric, tolerance)) {
    return fmt::format("the gradient of {} is transposed", name);
  }
  return factor_cause(evidence, analytic, numeric);
}

}  // namespace

std::string likely_cause(const GradcheckEvidence& evidence) {
  if (!all_finite(evidence.differences.value())) return "an output is infinite or not a number";
  const Shape& shape = evidence.differences.inputs()[evidence.input].shape();
  const bool is_moderate = shape.element_count() <= most_elements;
  if (has_f32(evidence)) {
    std::string cause = is_moderate ? gradient_cause(evidence) : std::string();
    if (!cause.empty()) return cause + "; an input is f32, so check again in f64";
    return "an input is f32: differences of its values keep few digits; check in f64";
  }
  if (!is_moderate) return {};
  if (std::string cause = kink(evidence); !cause.empty()) return cause;
  return gradient_cause(evidence);
}

}  // namespace tensorette::detail
