// Layer norm and RMS norm of dense rows; T is float or double. Statistics are taken in two passes,
// so that a large mean costs no precision. Every row is computed by itself, and sums over rows are
// cut by the number of rows alone, so no result depends on the number of threads.
#pragma once

#include <tensorette/tensor/shape.hpp>

namespace tensorette::kernels {

/// y = (x − mean)·rstd·gain + bias with rstd = 1/√(variance + epsilon). gain and bias [width] may
/// be null (1 and 0); mean and rstd get one number a row, for the way back. y may be x.
/// Ba, Kiros, Hinton, "Layer normalization", 2016.
template <class T>
void layer_norm_rows(const T* x, const T* gain, const T* bias, double epsilon, T* y, T* mean,
                     T* rstd, Index rows, Index width);

/// With h = g·gain and x̂ = (x − mean)·rstd: dx = rstd·(h − mean(h) − x̂·mean(h·x̂)),
/// dgain = Σ g·x̂ and dbias = Σ g over the rows. Each of the three may be null (not wanted), so may
/// gain; they are overwritten. dx may be grad.
template <class T>
void layer_norm_backward_rows(const T* x, const T* gain, const T* mean, const T* rstd,
                              const T* grad, T* dx, T* dgain, T* dbias, Index rows, Index width);

/// y = x·rstd·gain with rstd = 1/√(mean x² + epsilon). gain may be null, y may be x.
/// Zhang, Sennrich, "Root mean square layer normalization", 2019.
template <class T>
void rms_norm_rows(const T* x, const T* gain, double epsilon, T* y, T* rstd, Index rows,
                   Index width);

/// With h = g·gain and x̂ = x·rstd: dx = rstd·(h − x̂·mean(h·x̂)); dgain = Σ g·x̂.
template <class T>
void rms_norm_backward_rows(const T* x, const T* gain, const T* rstd, const T* grad, T* dx,
                            T* dgain, Index rows, Index width);

}  // namespace tensorette::kernels
