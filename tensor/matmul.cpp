// tensor/matmul.cpp: from tensors of any rank and layout to products of row-major matrices.
// Next: kernels/gemm.hpp.
//
// An operand can be read where it lies if one of its last two axes is dense: it is then a
// row-major matrix or the transpose of one, its rows a leading dimension apart. Everything else
// (steps, expanded axes, reversed order) is copied first.
#include <algorithm>
#include <array>
#include <optional>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/kernels/copy.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/gemm.hpp>
#include <tensorette/tensor/matmul.hpp>

namespace tensorette {

using detail::require;

namespace {

/// A tensor seen as a batch of matrices that BLAS can address.
struct Matrices {
  const Tensor* tensor;
  int batch_rank;
  Index rows, columns;
  bool is_transposed;       // memory holds the transposes, [columns, rows]
  Index leading_dimension;  // step between the rows that memory holds

  /// Step along a batch axis, counted from the matrices outwards; 0 along those it repeats over.
  [[nodiscard]] Index batch_step(int axis) const noexcept {
    const int own = batch_rank - 1 - axis;
    return own < 0 || tensor->shape()[own] == 1 ? 0 : tensor->strides()[own];
  }

  void transpose() noexcept {
    std::swap(rows, columns);
    is_transposed = !is_transposed;
  }
};

/// The step between rows of `width` elements, if it can be a leading dimension. The stride of an
/// axis with no second element is never walked, whatever it says, and so are all of an empty
/// matrix.
std::optional<Index> leading_dimension(Index count, Index stride, Index width,
                                       Index width_stride) noexcept {
  const Index least = std::max<Index>(width, 1);
  if (count == 0 || width == 0) return least;
  if (width > 1 && width_stride != 1) return std::nullopt;
  if (count <= 1) return least;
  if (stride < least) return std::nullopt;
  return stride;
}

/// The last axes of x as matrices; nothing where neither is dense. A vector lacks one of them.
std::optional<Matrices> matrices_of(const Tensor& x, bool has_rows, bool has_columns) noexcept {
  Matrices view{&x, x.rank(), 1, 1, false, 1};
  Index row_stride = 0, column_stride = 0;
  if (has_columns) {
    --view.batch_rank;
    view.columns = x.shape()[view.batch_rank];
    column_stride = x.strides()[view.batch_rank];
  }
  if (has_rows) {
    --view.batch_rank;
    view.rows = x.shape()[view.batch_rank];
    row_stride = x.strides()[view.batch_rank];
  }
  auto step = leading_dimension(view.rows, row_stride, view.columns, column_stride);
  if (!step) {
    step = leading_dimension(view.columns, column_stride, view.rows, row_stride);
    view.is_transposed = true;
  }
  if (!step) return std::nullopt;
  view.leading_dimension = *step;
  return view;
}

/// The same for an operand: copies x into `copy` where it cannot be read as it lies.
Matrices operand_of(const Tensor& x, bool has_rows, bool has_columns, Tensor& copy) {
  if (const auto view = matrices_of(x, has_rows, has_columns)) return *view;
  copy = x.clone();
  return *matrices_of(copy, has_rows, has_columns);
}

/// The batch axes of a product, innermost first; neighbours are merged where one step serves both.
struct Batch {
  std::array<kernels::BatchAxis, max_rank> axes;
  int rank = 0;

  void add_outer(const kernels::BatchAxis& outer) noexcept {
    if (outer.count == 1) return;
    if (rank > 0) {
      kernels::BatchAxis& inner = axes[static_cast<std::size_t>(rank - 1)];
      if (outer.step_a == inner.step_a * inner.count &&
          outer.step_b == inner.step_b * inner.count &&
          outer.step_c == inner.step_c * inner.count) {
        inner.count *= outer.count;
        return;
      }
    }
    axes[static_cast<std::size_t>(rank++)] = outer;
  }

  void drop_innermost() noexcept {
    std::move(axes.begin() + 1, axes.begin() + rank, axes.begin());
    --rank;
  }
};

/// A batch times one matrix is one tall product where the rows of the batch are evenly spaced.
/// Moves such batch axes into the rows of a and c.
void fold_batch(Batch& batch, Matrices& c, Matrices& a) noexcept {
  while (batch.rank > 0) {
    const kernels::BatchAxis axis = batch.axes[0];
    if (axis.step_b != 0 || a.is_transposed) return;
    if (a.rows == 1) {
      if (axis.step_a < std::max<Index>(a.columns, 1) || axis.step_c < c.columns) return;
      a.leading_dimension = axis.step_a;
      c.leading_dimension = axis.step_c;
    } else if (axis.step_a != a.rows * a.leading_dimension ||
               axis.step_c != c.rows * c.leading_dimension) {
      return;
    }
    a.rows *= axis.count;
    c.rows *= axis.count;
    batch.drop_innermost();
  }
}

/// c = a·b (+ c), in the memory at `target`, which overlaps neither operand.
template <class T>
void multiply(T* target, Matrices c, Matrices a, Matrices b, bool accumulate) {
  if (c.is_transposed) {  // cᵀ = bᵀ·aᵀ
    std::swap(a, b);
    for (Matrices* view : {&a, &b, &c}) view->transpose();
  }
  Batch batch;
  for (int axis = 0; axis < c.batch_rank; ++axis)
    batch.add_outer({c.tensor->shape()[c.batch_rank - 1 - axis], a.batch_step(axis),
                     b.batch_step(axis), c.batch_step(axis)});
  fold_batch(batch, c, a);
  std::reverse(batch.axes.begin(), batch.axes.begin() + batch.rank);
  kernels::batched_gemm<T>({batch.axes.data(), static_cast<std::size_t>(batch.rank)},
                           a.is_transposed, b.is_transposed, c.rows, c.columns, a.columns, T{1},
                           a.tensor->data<T>(), a.leading_dimension, b.tensor->data<T>(),
                           b.leading_dimension, accumulate ? T{1} : T{0}, target,
                           c.leading_dimension);
}

/// Checks the operands and gives the shape of their product.
Shape product_shape(const Tensor& a, const Tensor& b) {
  kernels::require_defined("matmul", a);
  kernels::require_defined("matmul", b);
  kernels::require_same_dtype("matmul", a, b);
  require<DTypeError>(is_floating(a.dtype()), "matmul: takes f32 or f64, got {}", a.dtype());
  require(a.rank() > 0 && b.rank() > 0, "matmul: a scalar is not a matrix: {} · {}", a.shape(),
          b.shape());
  const int batch_a = std::max(a.rank() - 2, 0), batch_b = std::max(b.rank() - 2, 0);
  const Index inner_a = a.shape()[a.rank() - 1], inner_b = b.shape()[batch_b];
  require(inner_a == inner_b, "matmul: inner sizes differ: {} · {} ({} vs {})", a.shape(),
          b.shape(), inner_a, inner_b);
  Shape shape;
  const int batch = std::max(batch_a, batch_b);
  for (int axis = 0; axis < batch; ++axis) {
    const int own_a = axis - (batch - batch_a), own_b = axis - (batch - batch_b);
    const Index size_a = own_a < 0 ? 1 : a.shape()[own_a];
    const Index size_b = own_b < 0 ? 1 : b.shape()[own_b];
    require(size_a == size_b || size_a == 1 || size_b == 1,
            "matmul: batch axes do not broadcast: {} · {} ({} vs {})", a.shape(), b.shape(), size_a,
            size_b);
    shape.push_back(size_a == 1 ? size_b : size_a);
  }
  if (a.rank() > 1) shape.push_back(a.shape()[batch_a]);
  if (b.rank() > 1) shape.push_back(b.shape()[b.rank() - 1]);
  return shape;
}

/// target = a·b (+ target) for a target that overlaps neither; false where its layout cannot be
/// written in place.
bool multiply_in_place(Tensor& target, const Tensor& a, const Tensor& b, bool accumulate) {
  const auto c = matrices_of(target, a.rank() > 1, b.rank() > 1);
  if (!c) return false;
  if (target.element_count() == 0) return true;
  Tensor copy_a, copy_b;
  const Matrices left = operand_of(a, a.rank() > 1, true, copy_a);
  const Matrices right = operand_of(b, true, b.rank() > 1, copy_b);
  if (target.dtype() == DType::f32)
    multiply(target.mutable_data<float>(), *c, left, right, accumulate);
  else
    multiply(target.mutable_data<double>(), *c, left, right, accumulate);
  return true;
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  Tensor result(product_shape(a, b), a.dtype());
  multiply_in_place(result, a, b, false);
  return result;
}

void matmul_into(Tensor& target, const Tensor& a, const Tensor& b, bool accumulate) {
  const Shape shape = product_shape(a, b);
  kernels::require_defined("matmul_into", target);
  kernels::require_same_dtype("matmul_into", target, a);
  require(target.shape() == shape, "matmul_into: {} · {} has shape {}, the target has {}",
          a.shape(), b.shape(), shape, target.shape());
  const bool overlaps = target.shares_storage_with(a) || target.shares_storage_with(b);
  if (!overlaps && multiply_in_place(target, a, b, accumulate)) return;
  Tensor dense = accumulate ? target.clone() : Tensor(shape, target.dtype());
  multiply_in_place(dense, a, b, accumulate);
  kernels::copy_elements(dense, target);
}

}  // namespace tensorette
