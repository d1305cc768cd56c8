/// \file
/// Picking elements by index, and sorting. Indices are i64, each is checked, and negative ones
/// are refused (a token id of −1 is a mistake, not the last row).
#pragma once

#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

/// Slices of x along `axis` at `indices` (rank 1). \throws IndexError naming index and size.
[[nodiscard]] Tensor index_select(const Tensor& x, int axis, const Tensor& indices);
/// Rows of a table [rows, width] at ids of any shape: [ids..., width].
[[nodiscard]] Tensor take_rows(const Tensor& table, const Tensor& ids);
/// The transpose of take_rows: `rows` x width, row ids[i] collecting the sum of updates [ids...,
/// width].
[[nodiscard]] Tensor sum_rows(const Tensor& updates, const Tensor& ids, Index rows);
/// y[.., i, ..] = x[.., indices[.., i, ..], ..] along `axis`; same rank, and no other size of
/// `indices` exceeds x's.
[[nodiscard]] Tensor gather(const Tensor& x, int axis, const Tensor& indices);
/// x with source[.., i, ..] added at [.., indices[.., i, ..], ..]; repeated indices add up, in a
/// fixed order. `indices` and `source` have one shape.
[[nodiscard]] Tensor scatter_add(const Tensor& x, int axis, const Tensor& indices,
                                 const Tensor& source);
/// ids [...] to [..., classes], 1 at the id. \throws IndexError for ids outside [0, classes).
[[nodiscard]] Tensor one_hot(const Tensor& ids, Index classes, DType dtype = DType::f32);

/// Values with their positions (i64) along the axis.
struct ValuesAndIndices {
  Tensor values;
  Tensor indices;
};
enum class Order { ascending, descending };
/// The k largest along `axis`, largest first; ties in order of position; NaN counts as largest.
[[nodiscard]] ValuesAndIndices topk(const Tensor& x, Index k, int axis = -1);
/// The k largest of log_softmax(x, -1) in each row of x [.., size] -> [.., k]; the others are not
/// computed. They stand in the order that topk(x, k) gives. \throws ShapeError, DTypeError
[[nodiscard]] ValuesAndIndices log_softmax_topk(const Tensor& x, Index k);
/// Stable sort along `axis`; NaN counts as largest.
[[nodiscard]] ValuesAndIndices sort(const Tensor& x, int axis = -1, Order order = Order::ascending);

}  // namespace tensorette
