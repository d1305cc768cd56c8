#include <cmath>
#include <tensorette/tensor/kernels/normalization.hpp>
#include <tensorette/tensor/kernels/reduce_rows.hpp>
#include <tensorette/tensor/kernels/row_passes.hpp>

namespace tensorette::kernels {
namespace {

// y = (x − mean) · rstd · gain + bias, with those of gain and bias that there are.
template <class T>
void write_normalized(const T* x, T mean, T rstd, const T* gain, const T* bias, T* y, Index width) {
  for_each_pack<T>(width, [&](auto tag, Index i) {
    using V = typename decltype(tag)::type;
    V value = (load_at<V>(x + i) - V(mean)) * V(rstd);
    if (gain != nullptr) value = value * load_at<V>(gain + i);
    if (bias != nullptr) value = value + load_at<V>(bias + i);
    store_at(y + i, value);
  });
}

}  // namespace

template <class T>
void layer_norm_rows(const T* x, const T* gain, const T* bias, double epsilon, T* y, T* mean,
                     T* rstd, Index rows, Index width) {
  const auto count = static_cast<double>(width);
  for_each_row(rows, width, elements_per_thread, [&](Index row) {
    const T* from = x + row * width;
    mean[row] = static_cast<T>(reduce_dense_row<Sum<T>>(from, width, T{}) / count);
    const double variance = reduce_dense_row<SquaredDistance<T>>(from, width, mean[row]) / count;
    rstd[row] = static_cast<T>(1 / std::sqrt(variance + epsilon));
    write_normalized(from, mean[row], rstd[row], gain, bias, y + row * width, width);
  });
}

template <class T>
void rms_norm_rows(const T* x, const T* gain, double epsilon, T* y, T* rstd, Index rows,
                   Index width) {
  const auto count = static_cast<double>(width);
  for_each_row(rows, width, elements_per_thread, [&](Index row) {
    const T* from = x + row * width;
    const double squares = reduce_dense_row<EuclideanNorm<T>>(from, width, T{});
    rstd[row] = static_cast<T>(1 / std::sqrt(squares / count + epsilon));
    write_normalized<T>(from, T{0}, rstd[row], gain, nullptr, y + row * width, width);
  });
}

template void layer_norm_rows(const float*, const float*, const float*, double, float*, float*,
                              float*, Index, Index);
template void layer_norm_rows(const double*, const double*, const double*, double, double*, double*,
                              double*, Index, Index);
template void rms_norm_rows(const float*, const float*, double, float*, float*, Index, Index);
template void rms_norm_rows(const double*, const double*, double, double*, double*, Index, Index);

}  // namespace tensorette::kernels
