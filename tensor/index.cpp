#include <algorithm>
#include <cstring>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette {
namespace {

using detail::require;
using kernels::require_defined;

// "[1, 0]": where element number `i` of a dense tensor stands.
std::string position_text(const Shape& shape, Index i) {
  Shape position = shape;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    position[axis] = i % shape[axis];
    i /= shape[axis];
  }
  return to_string(position);
}

// The indices, dense, after a look at every one of them.
Tensor checked_indices(const char* operation, const Tensor& indices, Index size) {
  require_defined(operation, indices);
  require<DTypeError>(indices.dtype() == DType::i64, "{}: indices are i64, got {}", operation,
                      indices.dtype());
  Tensor dense = indices.contiguous();
  const Index* id = dense.data<Index>();
  for (Index i = 0; i < dense.element_count(); ++i) {
    require<IndexError>(id[i] >= 0 && id[i] < size, "{}: id {} at position {} is outside [0, {})",
                        operation, id[i], position_text(indices.shape(), i), size);
  }
  return dense;
}

// A dense tensor seen as [outer, size, inner] around one axis.
struct AroundAxis {
  Index outer = 1;
  Index size = 1;
  Index inner = 1;
};
AroundAxis around(const Shape& shape, int axis) {
  AroundAxis result;
  for (int i = 0; i < axis; ++i) result.outer *= shape[i];
  result.size = shape[axis];
  for (int i = axis + 1; i < shape.rank(); ++i) result.inner *= shape[i];
  return result;
}

// Rows of `row_bytes` bytes copied from source row ids[i] to target row i.
void copy_rows(const std::byte* source, const Index* ids, std::byte* target, Index count,
               std::size_t row_bytes) {
  const auto grain = static_cast<Index>(static_cast<std::size_t>(kernels::elements_per_thread) * 4 /
                                        std::max<std::size_t>(row_bytes, 1));
  kernels::parallel_for(count, std::max<Index>(grain, 1), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      std::memcpy(target + static_cast<std::size_t>(i) * row_bytes,
                  source + static_cast<std::size_t>(ids[i]) * row_bytes, row_bytes);
    }
  });
}

const std::byte* bytes_of(const Tensor& dense) {
  return dense.storage()->data() +
         static_cast<std::size_t>(dense.offset()) * size_of(dense.dtype());
}
std::byte* mutable_bytes_of(Tensor& dense) {
  dense.storage()->bump_version();
  return dense.storage()->data() +
         static_cast<std::size_t>(dense.offset()) * size_of(dense.dtype());
}

}  // namespace

Tensor index_select(const Tensor& x, int axis, const Tensor& indices) {
  require_defined("index_select", x);
  const int chosen = normalize_axis("index_select", axis, x.rank());
  require(indices.rank() == 1, "index_select: indices have rank 1, got shape {}", indices.shape());
  const Tensor ids = checked_indices("index_select", indices, x.shape()[chosen]);
  Shape shape = x.shape();
  shape[chosen] = ids.element_count();
  Tensor y(shape, x.dtype());
  const Tensor dense = x.contiguous();
  const AroundAxis view = around(x.shape(), chosen);
  const std::size_t row_bytes = static_cast<std::size_t>(view.inner) * size_of(x.dtype());
  for (Index outer = 0; outer < view.outer; ++outer) {
    const auto source_row = static_cast<std::size_t>(outer * view.size);
    const auto target_row = static_cast<std::size_t>(outer * ids.element_count());
    copy_rows(bytes_of(dense) + source_row * row_bytes, ids.data<Index>(),
              mutable_bytes_of(y) + target_row * row_bytes, ids.element_count(), row_bytes);
  }
  return y;
}

Tensor take_rows(const Tensor& table, const Tensor& ids) {
  require_defined("take_rows", table);
  require(table.rank() == 2, "take_rows: the table is [rows, width], got {}", table.shape());
  const Tensor checked = checked_indices("take_rows", ids, table.size(0));
  Shape shape = ids.shape();
  shape.push_back(table.size(1));
  Tensor y(shape, table.dtype());
  const Tensor dense = table.contiguous();
  copy_rows(bytes_of(dense), checked.data<Index>(), mutable_bytes_of(y), checked.element_count(),
            static_cast<std::size_t>(table.size(1)) * size_of(table.dtype()));
  return y;
}

Tensor sum_rows(const Tensor& updates, const Tensor& ids, Index rows) {
  require_defined("sum_rows", updates);
  require(rows >= 0, "sum_rows: a negative number of rows: {}", rows);
  require(updates.rank() == ids.rank() + 1,
          "sum_rows: updates are [ids.., width], got {} for ids {}", updates.shape(), ids.shape());
  for (int axis = 0; axis < ids.rank(); ++axis) {
    require(updates.shape()[axis] == ids.shape()[axis],
            "sum_rows: updates are [ids.., width], got {} for ids {}", updates.shape(),
            ids.shape());
  }
  const Tensor checked = checked_indices("sum_rows", ids, rows);
  const Index width = updates.size(-1);
  Tensor y = zeros({rows, width}, updates.dtype());
  const Tensor dense = updates.contiguous();
  kernels::dispatch_numeric("sum_rows", updates.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Index* id = checked.data<Index>();
    const T* source = dense.data<T>();
    T* target = y.mutable_data<T>();
    const Index count = checked.element_count();
    // Threads share the columns: each row's updates are added in their order whatever the number
    // of threads.
    const Index grain =
        std::max<Index>(16, kernels::elements_per_thread / std::max<Index>(count, 1));
    kernels::parallel_for(width, grain, [&](Index begin, Index end) {
      for (Index i = 0; i < count; ++i) {
        const T* from = source + i * width;
        T* to = target + id[i] * width;
        for (Index j = begin; j < end; ++j) to[j] += from[j];
      }
    });
  });
  return y;
}

namespace {

// Calls body(position in x, position in the indices) for every element of the indices, in order.
template <class Body>
void walk_indices(const Shape& x_shape, const Shape& index_shape, int axis, const Index* ids,
                  Body&& body) {
  const Strides steps = row_major_strides(x_shape);
  Shape position = Shape::filled(index_shape.rank(), 0);
  const Index count = index_shape.element_count();
  for (Index i = 0; i < count; ++i) {
    Index at = 0;
    for (int k = 0; k < index_shape.rank(); ++k)
      at += (k == axis ? ids[i] : position[k]) * steps[k];
    body(at, i);
    for (int k = index_shape.rank() - 1; k >= 0; --k) {
      if (++position[k] < index_shape[k]) break;
      position[k] = 0;
    }
  }
}

int checked_axis(const char* operation, const Tensor& x, int axis, const Tensor& indices) {
  require_defined(operation, x);
  require_defined(operation, indices);
  const int chosen = normalize_axis(operation, axis, x.rank());
  bool fits = x.rank() == indices.rank();
  for (int k = 0; fits && k < x.rank(); ++k) {
    fits = k == chosen || indices.shape()[k] <= x.shape()[k];
  }
  require(fits, "{}: indices {} do not fit {} along axis {}", operation, indices.shape(), x.shape(),
          chosen);
  return chosen;
}

}  // namespace

Tensor gather(const Tensor& x, int axis, const Tensor& indices) {
  const int chosen = checked_axis("gather", x, axis, indices);
  const Tensor ids = checked_indices("gather", indices, x.shape()[chosen]);
  const Tensor dense = x.contiguous();
  Tensor y(indices.shape(), x.dtype());
  kernels::dispatch_any(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = dense.data<T>();
    T* target = y.mutable_data<T>();
    walk_indices(x.shape(), indices.shape(), chosen, ids.data<Index>(),
                 [&](Index at, Index i) { target[i] = source[at]; });
  });
  return y;
}

Tensor scatter_add(const Tensor& x, int axis, const Tensor& indices, const Tensor& source) {
  const int chosen = checked_axis("scatter_add", x, axis, indices);
  kernels::require_defined("scatter_add", source);
  require(indices.shape() == source.shape(),
          "scatter_add: indices {} and source {} differ in shape", indices.shape(), source.shape());
  kernels::require_same_dtype("scatter_add", x, source);
  const Tensor ids = checked_indices("scatter_add", indices, x.shape()[chosen]);
  const Tensor dense = source.contiguous();
  Tensor y = x.clone();
  kernels::dispatch_numeric("scatter_add", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = dense.data<T>();
    T* target = y.mutable_data<T>();
    walk_indices(x.shape(), indices.shape(), chosen, ids.data<Index>(),
                 [&](Index at, Index i) { target[at] += from[i]; });
  });
  return y;
}

Tensor one_hot(const Tensor& ids, Index classes, DType dtype) {
  require(classes >= 0, "one_hot: a negative number of classes: {}", classes);
  const Tensor checked = checked_indices("one_hot", ids, classes);
  Shape shape = ids.shape();
  shape.push_back(classes);
  Tensor y = zeros(shape, dtype);
  kernels::dispatch_any(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Index* id = checked.data<Index>();
    T* target = y.mutable_data<T>();
    for (Index i = 0; i < checked.element_count(); ++i) target[i * classes + id[i]] = T(1);
  });
  return y;
}

}  // namespace tensorette
