// Order within dense rows; T is float, double or std::int64_t. NaN counts as largest, and all NaN
// as equal; ties stand in order of position.
#pragma once

#include <tensorette/tensor/index.hpp>

namespace tensorette::kernels {

/// All elements of each row in order.
template <class T>
void sort_rows(const T* x, T* values, Index* positions, Index rows, Index size, Order order);

/// The k largest of each row, largest first; 1 <= k <= size.
template <class T>
void topk_rows(const T* x, T* values, Index* positions, Index rows, Index size, Index k);

/// The same of x − log Σ exp(x), rounded as log_softmax_rows() does; T is float or double.
template <class T>
void log_softmax_topk_rows(const T* x, T* values, Index* positions, Index rows, Index size,
                           Index k);

}  // namespace tensorette::kernels
