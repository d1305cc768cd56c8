#include <cmath>

#include <tensorette/tensor/kernels/reduce_rows.hpp>
#include <tensorette/tensor/kernels/row_passes.hpp>
#include <tensorette/tensor/kernels/softmax.hpp>

namespace tensorette::kernels {
namespace {

struct RowLoss {
  double loss;
  double logsumexp;
};

// With z = x − m and s = log Σ eᶻ:  −Σ q log softmax = s − (1 − ε) z_target − ε/V Σ z.
template <class T>
RowLoss row_loss(const T* logits, std::int64_t target, Index classes, double smoothing) {
  const T largest = largest_number(logits, classes);
  const T shift = std::isinf(largest) ? T{0} : largest;
  const double log_total = std::log(reduce_dense_row<LogSumExp<T>>(logits, classes, shift));
  const auto distance = static_cast<double>(logits[target]) - static_cast<double>(shift);
  double expected = distance;
  if (smoothing > 0) {
    const double sum = sum_of_terms<T>(classes, [&](auto tag, Index i) {
      using V = typename decltype(tag)::type;
      return load_at<V>(logits + i) - V(shift);
    });
    expected = (1 - smoothing) * distance + smoothing / static_cast<double>(classes) * sum;
  }
  return {log_total - expected, log_total + static_cast<double>(shift)};
}

template <class T>
void row_gradient(const T* logits, std::int64_t target, T logsumexp, T scale, T* dlogits,
                  Index classes, double smoothing) {
  const T everywhere = static_cast<T>(smoothing / static_cast<double>(classes)) * scale;
  for_each_pack<T>(classes, [&](auto tag, Index i) {
    using V = typename decltype(tag)::type;
    const V probability = exponential(load_at<V>(logits + i) - V(logsumexp));
    store_at(dlogits + i, probability * V(scale) - V(everywhere));
  });
  dlogits[target] -= static_cast<T>(1 - smoothing) * scale;
}

constexpr Index elements_per_job = elements_per_thread / 2;

}  // namespace

template <class T>
void cross_entropy_rows(const T* logits, const std::int64_t* targets, T* loss, T* logsumexp,
                        Index rows, Index classes, const CrossEntropyOptions& options) {
  for_each_row(rows, classes, elements_per_job, [&](Index row) {
    RowLoss result{0, 0};
    if (targets[row] != options.ignore_index)
      result = row_loss(logits + row * classes, targets[row], classes, options.label_smoothing);
    loss[row] = static_cast<T>(result.loss);
    logsumexp[row] = static_cast<T>(result.logsumexp);
  });
}

template <class T>
void cross_entropy_backward_rows(const T* logits, const std::int64_t* targets, const T* logsumexp,
                                 const T* scale, Index scale_step, T* dlogits, Index rows,
                                 Index classes, const CrossEntropyOptions& options) {
  for_each_row(rows, classes, elements_per_job, [&](Index row) {
    const Index first = row * classes;
    if (targets[row] == options.ignore_index) {
      std::fill_n(dlogits + first, classes, T{0});
    } else {
      row_gradient(logits + first, targets[row], logsumexp[row], scale[row * scale_step],
                   dlogits + first, classes, options.label_smoothing);
    }
  });
}

template void cross_entropy_rows(const float*, const std::int64_t*, float*, float*, Index, Index,
                                 const CrossEntropyOptions&);
template void cross_entropy_rows(const double*, const std::int64_t*, double*, double*, Index, Index,
                                 const CrossEntropyOptions&);
template void cross_entropy_backward_rows(const float*, const std::int64_t*, const float*,
                                          const float*, Index, float*, Index, Index,
                                          const CrossEntropyOptions&);
template void cross_entropy_backward_rows(const double*, const std::int64_t*, const double*,
                                          const double*, Index, double*, Index, Index,
                                          const CrossEntropyOptions&);

}  // namespace tensorette::kernels
