// Layer norm and RMS norm of dense rows; T is float or double. Every row is computed by itself, so
// no result depends on the number of threads.
#pragma once

#include <tensorette/tensor/shape.hpp>

namespace tensorette::kernels {

/// y = (x − mean)·rstd·gain + bias with rstd = 1/√(variance + epsilon), in two passes. `bias` may
/// be null; mean and rstd get one number a row.
template <class T>
void layer_norm_rows(const T* x, const T* gain, const T* bias, double epsilon, T* y, T* mean,
                     T* rstd, Index rows, Index width);

/// With h = g·gain and x̂ = (x − mean)·rstd: dx = rstd·(h − mean(h) − x̂·mean(h·x̂)); and, where not
/// null, dgain = Σ g·x̂ and dbias = Σ g over the rows.
template <class T>
void layer_norm_backward_rows(const T* x, const T* gain, const T* mean, const T* rstd,
                              const T* grad, T* dx, T* dgain, T* dbias, Index rows, Index width);

/// y = x·rstd·gain with rstd = 1/√(mean x² + epsilon).
template <class T>
void rms_norm_rows(const T* x, const T* gain, double epsilon, T* y, T* rstd, Index rows,
                   Index width);

/// With h = g·gain and x̂ = x·rstd: dx = rstd·(h − x̂·mean(h·x̂)); dgain = Σ g·x̂.
template <class T>
void rms_norm_backward_rows(const T* x, const T* gain, const T* rstd, const T* grad, T* dx,
                            T* dgain, Index rows, Index width);

}  // namespace tensorette::kernels
