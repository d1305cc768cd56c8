#include <tensorette/tensor/kernels/softmax.hpp>

#include <cmath>
#include <limits>

#include <tensorette/tensor/kernels/reduce_rows.hpp>
#include <tensorette/tensor/kernels/row_passes.hpp>

namespace tensorette::kernels {
namespace {

// An exponential costs about four additions.
constexpr Index elements_per_job = elements_per_thread / 2;

template <class T>
constexpr T minus_infinity = -std::numeric_limits<T>::infinity();

template <class T>
void multiply_row(T* y, T factor, Index width) {
  for_each_pack<T>(width, [&](auto tag, Index i) {
    using V = typename decltype(tag)::type;
    store_at(y + i, load_at<V>(y + i) * V(factor));
  });
}

template <class T>
void softmax_row(const T* x, T* y, Index width) {
  const T largest = largest_number(x, width);
  if (is_hidden(x, width, largest)) {
    std::fill_n(y, width, T{0});
    return;
  }
  const double total = exponentials(x, largest, y, width);
  multiply_row(y, static_cast<T>(1.0 / total), width);
}

template <class T>
void log_softmax_row(const T* x, T* y, Index width) {
  const T largest = largest_number(x, width);
  if (is_hidden(x, width, largest)) {
    std::fill_n(y, width, minus_infinity<T>);
    return;
  }
  const auto log_total =
      static_cast<T>(std::log(reduce_dense_row<LogSumExp<T>>(x, width, largest)));
  for_each_pack<T>(width, [&](auto tag, Index i) {
    using V = typename decltype(tag)::type;
    store_at(y + i, load_at<V>(x + i) - V(largest) - V(log_total));
  });
}

template <class T>
void softmax_backward_row(const T* y, const T* grad, T* dx, Index width) {
  const auto projection = static_cast<T>(sum_of_terms<T>(width, [&](auto tag, Index i) {
    using V = typename decltype(tag)::type;
    return load_at<V>(grad + i) * load_at<V>(y + i);
  }));
  for_each_pack<T>(width, [&](auto tag, Index i) {
    using V = typename decltype(tag)::type;
    store_at(dx + i, load_at<V>(y + i) * (load_at<V>(grad + i) - V(projection)));
  });
}

template <class T>
void log_softmax_backward_row(const T* y, const T* grad, T* dx, Index width) {
  const auto total = static_cast<T>(reduce_dense_row<Sum<T>>(grad, width, T{}));
  for_each_pack<T>(width, [&](auto tag, Index i) {
    using V = typename decltype(tag)::type;
    store_at(dx + i, load_at<V>(grad + i) - exponential(load_at<V>(y + i)) * V(total));
  });
}

}  // namespace

template <class T>
void softmax_rows(const T* x, T* y, Index rows, Index width) {
  for_each_row(rows, width, elements_per_job,
               [&](Index row) { softmax_row(x + row * width, y + row * width, width); });
}

template <class T>
void log_softmax_rows(const T* x, T* y, Index rows, Index width) {
  for_each_row(rows, width, elements_per_job,
               [&](Index row) { log_softmax_row(x + row * width, y + row * width, width); });
}

template <class T>
void softmax_backward_rows(const T* y, const T* grad, T* dx, Index rows, Index width) {
  for_each_row(rows, width, elements_per_thread, [&](Index row) {
    softmax_backward_row(y + row * width, grad + row * width, dx + row * width, width);
  });
}

template <class T>
void log_softmax_backward_rows(const T* y, const T* grad, T* dx, Index rows, Index width) {
  for_each_row(rows, width, elements_per_job, [&](Index row) {
    log_softmax_backward_row(y + row * width, grad + row * width, dx + row * width, width);
  });
}

template void softmax_rows(const float*, float*, Index, Index);
template void softmax_rows(const double*, double*, Index, Index);
template void log_softmax_rows(const float*, float*, Index, Index);
template void log_softmax_rows(const double*, double*, Index, Index);
template void softmax_backward_rows(const float*, const float*, float*, Index, Index);
template void softmax_backward_rows(const double*, const double*, double*, Index, Index);
template void log_softmax_backward_rows(const float*, const float*, float*, Index, Index);
template void log_softmax_backward_rows(const double*, const double*, double*, Index, Index);

}  // namespace tensorette::kernels
