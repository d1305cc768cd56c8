// Softmax and its relatives on dense memory; T is float or double. Rows are shared out among
// threads; every row is computed by itself, so no result depends on the number of threads.
#pragma once

#include <cstdint>
#include <tensorette/tensor/shape.hpp>

namespace tensorette::kernels {

/// y = exp(x − m) / Σ exp(x − m), m the largest of the row. A row that is all −∞ gives zeros.
/// y may be x.
template <class T>
void softmax_rows(const T* x, T* y, Index rows, Index width);

/// dx = y (g − Σ g y). dx may be y or g.
template <class T>
void softmax_backward_rows(const T* y, const T* grad, T* dx, Index rows, Index width);

/// y = x − m − log Σ exp(x − m). A row that is all −∞ stays −∞. y may be x.
template <class T>
void log_softmax_rows(const T* x, T* y, Index rows, Index width);

/// dx = g − exp(y) Σ g. dx may be y or g.
template <class T>
void log_softmax_backward_rows(const T* y, const T* grad, T* dx, Index rows, Index width);

/// Softmax along the middle axis of a dense [outer, size, inner].
template <class T>
void softmax_columns(const T* x, T* y, Index outer, Index size, Index inner);
template <class T>
void log_softmax_columns(const T* x, T* y, Index outer, Index size, Index inner);

/// How targets count: q = (1 − label_smoothing) · [class = target] + label_smoothing / classes.
/// Rows whose target is ignore_index have loss 0 and gradient 0.
struct CrossEntropyOptions {
  std::int64_t ignore_index = -100;
  double label_smoothing = 0;
};

/// loss = −Σ q log softmax(logits), one number a row, without storing probabilities; also writes
/// logsumexp(logits) of each row, for the way back (0 for an ignored row). Every target is in
/// [0, classes) or ignore_index: the caller has checked.
template <class T>
void cross_entropy_rows(const T* logits, const std::int64_t* targets, T* loss, T* logsumexp,
                        Index rows, Index classes, const CrossEntropyOptions& options);

/// dlogits = (softmax(logits) − q) · scale. Row r takes scale[r · scale_step]: step 0 is one
/// scale for all rows. dlogits may be logits.
template <class T>
void cross_entropy_backward_rows(const T* logits, const std::int64_t* targets, const T* logsumexp,
                                 const T* scale, Index scale_step, T* dlogits, Index rows,
                                 Index classes, const CrossEntropyOptions& options);

}  // namespace tensorette::kernels
