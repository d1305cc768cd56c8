#include <algorithm>
#include <numeric>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/elementwise.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "operators.hpp"

namespace tensorette::testing::onnx {
namespace {

Tensor reshaped(const Vector& v) {
  Shape shape(integers(v.input(1)));
  if (v.get("allowzero", 0) == 0) {
    // A 0 keeps the size that stands there.
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] == 0) shape[axis] = v.input(0).size(axis);
    }
  }
  return reshape(v.input(0), shape);
}

/// A matrix: the axes before `axis` and those from it on.
Tensor flattened(const Vector& v) {
  const Tensor& x = v.input(0);
  int axis = v.axis(1);
  if (axis < 0) axis += x.rank();
  Index rows = 1;
  for (int i = 0; i < axis; ++i) rows *= x.size(i);
  return reshape(x, {rows, rows == 0 ? 0 : x.element_count() / rows});
}

Tensor transposed(const Vector& v) {
  std::vector<int> order(static_cast<std::size_t>(v.input(0).rank()));
  std::iota(order.rbegin(), order.rend(), 0);
  return permute(v.input(0), v.get("perm", order));
}

Tensor unsqueezed(const Vector& v) {
  std::vector<int> axes = axes_in(v.input(1));
  const int rank = v.input(0).rank() + static_cast<int>(axes.size());
  for (int& axis : axes) axis += axis < 0 ? rank : 0;
  std::sort(axes.begin(), axes.end());
  Tensor x = v.input(0);
  for (const int axis : axes) x = unsqueeze(x, axis);
  return x;
}

Tensor expanded(const Vector& v) {
  const Shape wanted(integers(v.input(1)));
  return expand(v.input(0), broadcast_shapes("Expand", v.input(0).shape(), wanted));
}

std::vector<Tensor> split_up(const Vector& v) {
  const Tensor& x = v.input(0);
  const int axis = v.axis(0);
  std::vector<Index> sizes;
  if (v.has_input(1)) {
    sizes = integers(v.input(1));
  } else {
    const auto count = static_cast<Index>(v.outputs.size());
    const Index size = (x.size(axis) + count - 1) / count;
    for (Index left = x.size(axis); static_cast<Index>(sizes.size()) < count; left -= size) {
      sizes.push_back(std::min(size, left));
    }
  }
  std::vector<Tensor> pieces;
  Index first = 0;
  for (const Index size : sizes) {
    pieces.push_back(narrow(x, axis, first, size));
    first += size;
  }
  return pieces;
}

/// Steps backwards are a slice of the reversed axis.
Tensor sliced(const Vector& v) {
  Tensor x = v.input(0);
  const std::vector<Index> starts = integers(v.input(1));
  const std::vector<Index> stops = integers(v.input(2));
  std::vector<int> axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (v.has_input(3)) axes = axes_in(v.input(3));
  std::vector<Index> steps(starts.size(), 1);
  if (v.has_input(4)) steps = integers(v.input(4));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (steps[i] > 0) {
      x = slice(x, axes[i], starts[i], stops[i], steps[i]);
      continue;
    }
    const Index size = x.size(axes[i]);
    const auto from_behind = [&](Index bound) {
      const Index position = bound < 0 ? std::max<Index>(bound + size, -1) : bound;
      return std::max<Index>(size - 1 - std::min(position, size), 0);
    };
    x = slice(flip(x, axes[i]), axes[i], from_behind(starts[i]), from_behind(stops[i]), -steps[i]);
  }
  return x;
}

Tensor triangle(const Vector& v) {
  const Index diagonal = v.has_input(1) ? v.input(1).item<Index>() : 0;
  return v.get("upper", 1) != 0 ? triu(v.input(0), diagonal) : tril(v.input(0), diagonal);
}

Tensor range(const Vector& v) {
  const DType dtype = v.input(0).dtype();
  const auto count =
      static_cast<Index>((v.input(1).item() - v.input(0).item()) / v.input(2).item() + 1 - 1e-9);
  const Tensor steps = arange(0, count, 1, dtype);
  return steps * v.input(2) + v.input(0);
}

Operator one(Tensor (*function)(const Vector&)) {
  return [function](const Vector& v) { return std::vector{function(v)}; };
}

}  // namespace

void add_shaping_operators(OperatorTable& table) {
  table["Reshape"] = one(reshaped);
  table["Flatten"] = one(flattened);
  table["Transpose"] = one(transposed);
  table["Unsqueeze"] = one(unsqueezed);
  table["Expand"] = one(expanded);
  table["Split"] = split_up;
  table["Slice"] = one(sliced);
  table["Trilu"] = one(triangle);
  table["Range"] = one(range);
  table["Squeeze"] = [](const Vector& v) {
    const Tensor& x = v.input(0);
    return std::vector{v.has_input(1) ? squeeze(x, axes_in(v.input(1))) : squeeze(x)};
  };
  table["Concat"] = [](const Vector& v) { return std::vector{concat(v.inputs, v.axis(0))}; };
  table["Tile"] = [](const Vector& v) {
    return std::vector{repeat(v.input(0), Shape(integers(v.input(1))))};
  };
}

}  // namespace tensorette::testing::onnx
