#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/index.hpp>

namespace tensorette {

using detail::require;

Tensor index_select(const Tensor& x, int axis, const Tensor& indices) {
  kernels::require_defined("index_select", x);
  const int along = normalize_axis("index_select", axis, x.rank());
  kernels::require_ids("index_select", indices);
  require(indices.rank() == 1, "index_select: indices have one axis, got shape {}",
          indices.shape());
  const Tensor ids = indices.contiguous();
  kernels::check_ids("index_select", ids, x.shape()[along]);
  Shape shape = x.shape();
  shape[along] = ids.element_count();
  Tensor y(shape, x.dtype());
  kernels::take_slices(x, along, ids.data<Index>(), ids.element_count(), y);
  return y;
}

Tensor take_rows(const Tensor& table, const Tensor& ids) {
  kernels::require_defined("take_rows", table);
  require(table.rank() == 2, "take_rows: the table has two axes, got shape {}", table.shape());
  kernels::require_ids("take_rows", ids);
  const Tensor dense = ids.contiguous();
  kernels::check_ids("take_rows", dense, table.shape()[0]);
  Shape shape = ids.shape();
  shape.push_back(table.shape()[1]);
  Tensor rows(shape, table.dtype());
  kernels::take_slices(table, 0, dense.data<Index>(), dense.element_count(), rows);
  return rows;
}

Tensor sum_rows(const Tensor& updates, const Tensor& ids, Index rows) {
  kernels::require_defined("sum_rows", updates);
  kernels::require_ids("sum_rows", ids);
  Shape expected = ids.shape();
  if (updates.rank() == ids.rank() + 1) expected.push_back(updates.shape()[ids.rank()]);
  require(updates.rank() == ids.rank() + 1 && updates.shape() == expected,
          "sum_rows: updates have the shape of the ids and a width: updates {}, ids {}",
          updates.shape(), ids.shape());
  require(rows >= 0, "sum_rows: a negative number of rows: {}", rows);
  const Tensor dense_ids = ids.contiguous();
  kernels::check_ids("sum_rows", dense_ids, rows);
  return kernels::dispatch_numeric("sum_rows", updates.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Index width = updates.shape()[ids.rank()];
    Tensor sums = zeros({rows, width}, updates.dtype());
    const Tensor dense = updates.contiguous();
    kernels::add_rows(dense.data<T>(), dense_ids.data<Index>(), dense_ids.element_count(), width,
                      sums.mutable_data<T>());
    return sums;
  });
}

namespace {

// The sizes of `indices` stay within x's on every axis but `along`.
void require_within(const char* operation, const Tensor& x, const Tensor& indices, int along) {
  bool fits = indices.rank() == x.rank();
  for (int axis = 0; fits && axis < x.rank(); ++axis)
    fits = axis == along || indices.shape()[axis] <= x.shape()[axis];
  require(fits, "{}: indices {} do not fit into {} beside axis {}", operation, indices.shape(),
          x.shape(), along);
}

}  // namespace

Tensor gather(const Tensor& x, int axis, const Tensor& indices) {
  kernels::require_defined("gather", x);
  kernels::require_ids("gather", indices);
  const int along = normalize_axis("gather", axis, x.rank());
  require_within("gather", x, indices, along);
  const Tensor ids = indices.contiguous();
  kernels::check_ids("gather", ids, x.shape()[along]);
  Tensor y(indices.shape(), x.dtype());
  kernels::gather_elements(x, along, ids, y);
  return y;
}

Tensor scatter_add(const Tensor& x, int axis, const Tensor& indices, const Tensor& source) {
  kernels::require_defined("scatter_add", x);
  kernels::require_defined("scatter_add", source);
  kernels::require_ids("scatter_add", indices);
  kernels::require_same_dtype("scatter_add", x, source);
  const int along = normalize_axis("scatter_add", axis, x.rank());
  require_within("scatter_add", x, indices, along);
  require(indices.shape() == source.shape(), "scatter_add: indices {} and source {} differ",
          indices.shape(), source.shape());
  const Tensor ids = indices.contiguous();
  kernels::check_ids("scatter_add", ids, x.shape()[along]);
  return kernels::dispatch_numeric("scatter_add", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Tensor y = x.clone();
    kernels::scatter_elements<T>(source.contiguous(), along, ids, y);
    return y;
  });
}

Tensor one_hot(const Tensor& ids, Index classes, DType dtype) {
  kernels::require_ids("one_hot", ids);
  require(classes >= 0, "one_hot: a negative number of classes: {}", classes);
  const Tensor dense = ids.contiguous();
  kernels::check_ids("one_hot", dense, classes);
  Shape shape = ids.shape();
  shape.push_back(classes);
  Tensor y = zeros(shape, dtype);
  kernels::dispatch_any(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Index* id = dense.data<Index>();
    T* to = y.mutable_data<T>();
    for (Index i = 0; i < dense.element_count(); ++i) to[i * classes + id[i]] = T{1};
  });
  return y;
}

}  // namespace tensorette
