#include <algorithm>
#include <cmath>
#include <tensorette/autograd/trace/tensor_summary.hpp>

namespace tensorette {
namespace {

// Calls visit(element as a double) for each element of a dense tensor.
template <class Visit>
void for_each_element(const Tensor& dense, const Visit& visit) {
  const auto visit_all = [&](const auto* data) {
    for (Index i = 0; i < dense.element_count(); ++i) visit(static_cast<double>(data[i]));
  };
  switch (dense.dtype()) {
    case DType::f32:
      return visit_all(dense.data<float>());
    case DType::f64:
      return visit_all(dense.data<double>());
    case DType::i64:
      return visit_all(dense.data<Index>());
    case DType::boolean:
      return visit_all(dense.data<bool>());
  }
}

void count_elements(const Tensor& dense, TensorSummary& summary) {
  Index finite = 0;
  double sum = 0;
  double squares = 0;
  for_each_element(dense, [&](double x) {
    if (std::isnan(x)) {
      ++summary.nan_count;
    } else if (std::isinf(x)) {
      ++summary.infinite_count;
    } else {
      summary.minimum = finite == 0 ? x : std::min(summary.minimum, x);
      summary.maximum = finite == 0 ? x : std::max(summary.maximum, x);
      ++finite;
      sum += x;
      squares += x * x;
      if (x == 0) ++summary.zero_count;
    }
  });
  if (finite == 0) return;
  summary.mean = sum / static_cast<double>(finite);
  summary.norm = std::sqrt(squares);
  // Around the mean, so that a small spread is not lost beside a large mean.
  double spread = 0;
  for_each_element(dense, [&](double x) {
    if (std::isfinite(x)) spread += (x - summary.mean) * (x - summary.mean);
  });
  summary.standard_deviation = std::sqrt(spread / static_cast<double>(finite));
}

std::vector<std::uint32_t> histogram_of(const Tensor& dense, const TensorSummary& summary) {
  constexpr std::size_t bins = TensorSummary::histogram_bins;
  std::vector<std::uint32_t> counts(bins);
  const double width = (summary.maximum - summary.minimum) / static_cast<double>(bins);
  for_each_element(dense, [&](double x) {
    if (!std::isfinite(x)) return;
    const double position = width > 0 ? (x - summary.minimum) / width : 0;
    ++counts[std::min(bins - 1, static_cast<std::size_t>(position))];
  });
  return counts;
}

}  // namespace

TensorSummary summarize(const Tensor& tensor, Index element_limit) {
  TensorSummary summary{.shape = tensor.shape(), .dtype = tensor.dtype()};
  const Tensor dense = tensor.contiguous();
  count_elements(dense, summary);
  if (dense.element_count() <= element_limit) {
    for_each_element(dense, [&](double x) { summary.elements.push_back(x); });
  } else {
    summary.histogram = histogram_of(dense, summary);
  }
  return summary;
}

}  // namespace tensorette
