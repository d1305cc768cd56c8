// Moving elements by index. Every id has been checked (check_ids) before one of the others runs.
#pragma once

#include <tensorette/tensor/tensor.hpp>

namespace tensorette::kernels {

/// \throws Error for an undefined tensor, DTypeError unless the ids are i64.
void require_ids(const char* operation, const Tensor& ids);

/// \throws IndexError naming the first id outside [0, size), and its position. Dense ids.
void check_ids(const char* operation, const Tensor& ids, Index size);

/// y = the slices of x at `ids` along `axis`; y is dense.
void take_slices(const Tensor& x, int axis, const Index* ids, Index count, Tensor& y);

/// sums[ids[i]] += updates[i], row by row, for i = 0, 1, ...; each element of `sums` collects its
/// terms in that order, whatever the number of threads.
template <class T>
void add_rows(const T* updates, const Index* ids, Index count, Index width, T* sums);

/// y[.., i, ..] = x[.., ids[.., i, ..], ..]; ids and y are dense.
void gather_elements(const Tensor& x, int axis, const Tensor& ids, Tensor& y);

/// y[.., ids[.., i, ..], ..] += source[.., i, ..] in row-major order; all are dense.
template <class T>
void scatter_elements(const Tensor& source, int axis, const Tensor& ids, Tensor& y);

}  // namespace tensorette::kernels
