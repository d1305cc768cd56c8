#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/elementwise.hpp>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "operators.hpp"

namespace tensorette::testing::onnx {
namespace {

/// Indices counted from the front; there, negative ones count from the end.
Tensor from_front(const Tensor& indices, Index size) {
  return where(indices < 0, indices + size, indices);
}

/// Slices along an axis at indices of any shape, whose axes take the place of that one.
Tensor gathered(const Vector& v) {
  const Tensor& x = v.input(0);
  const int axis = normalize_axis("Gather", v.axis(0), x.rank());
  const Tensor indices = from_front(v.input(1), x.size(axis));
  const Tensor slices = index_select(x, axis, flatten(indices));
  Shape shape;
  for (int i = 0; i < axis; ++i) shape.push_back(x.size(i));
  for (const Index size : indices.shape()) shape.push_back(size);
  for (int i = axis + 1; i < x.rank(); ++i) shape.push_back(x.size(i));
  return reshape(slices, shape);
}

Tensor gathered_elements(const Vector& v) {
  const Tensor& x = v.input(0);
  return gather(x, v.axis(0), from_front(v.input(1), x.size(v.axis(0))));
}

Tensor scattered_elements(const Vector& v) {
  const auto how = v.get<std::string>("reduction", "none");
  if (how != "add") throw NotOffered("scattering with reduction " + how);
  const Tensor& x = v.input(0);
  return scatter_add(x, v.axis(0), from_front(v.input(1), x.size(v.axis(0))), v.input(2));
}

Tensor ones_at(const Vector& v) {
  const auto depth = static_cast<Index>(v.input(1).item());
  const Tensor ids = from_front(v.input(0).to(DType::i64), depth);
  const Tensor& values = v.input(2);
  Tensor hot = one_hot(ids, depth);
  const int axis = v.axis(-1) < 0 ? v.axis(-1) + hot.rank() : v.axis(-1);
  std::vector<int> order;
  for (int i = 0; i < ids.rank(); ++i) order.push_back(i);
  order.insert(order.begin() + axis, ids.rank());
  hot = permute(hot, order);
  return where(hot > 0, select(values, 0, 1), select(values, 0, 0));
}

std::vector<Tensor> largest(const Vector& v) {
  const Index count = v.input(1).item<Index>();
  if (v.get("largest", 1) == 0) {
    const ValuesAndIndices all = sort(v.input(0), v.axis(-1));
    return {narrow(all.values, v.axis(-1), 0, count), narrow(all.indices, v.axis(-1), 0, count)};
  }
  const ValuesAndIndices top = topk(v.input(0), count, v.axis(-1));
  return {top.values, top.indices};
}

/// 1 at the first largest element along an axis.
Tensor hard_max(const Vector& v) {
  const Tensor x = transpose(v.input(0), v.axis(-1), -1);
  return transpose(one_hot(argmax(x, -1), x.size(-1), x.dtype()), v.axis(-1), -1);
}

}  // namespace

void add_index_operators(OperatorTable& table) {
  table["Gather"] = [](const Vector& v) { return std::vector{gathered(v)}; };
  table["GatherElements"] = [](const Vector& v) { return std::vector{gathered_elements(v)}; };
  table["ScatterElements"] = [](const Vector& v) { return std::vector{scattered_elements(v)}; };
  table["OneHot"] = [](const Vector& v) { return std::vector{ones_at(v)}; };
  table["Hardmax"] = [](const Vector& v) { return std::vector{hard_max(v)}; };
  table["TopK"] = largest;
}

}  // namespace tensorette::testing::onnx
