#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/elementwise.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "operators.hpp"

namespace tensorette::testing::onnx {
namespace {

using Reduction = Tensor (*)(const Tensor&, const Axes&, KeepDims);

/// Axes stand in the second input or, in old versions, in an attribute.
Tensor reduced(const Vector& v, const Tensor& x, Reduction function) {
  std::vector<int> axes = v.has_input(1) ? axes_in(v.input(1)) : v.get("axes", std::vector<int>{});
  if (axes.empty() && v.get("noop_with_empty_axes", 0) != 0) return x;
  const KeepDims keepdims = v.get("keepdims", 1) != 0 ? KeepDims::yes : KeepDims::no;
  return function(x, axes.empty() ? Axes::all() : Axes(axes), keepdims);
}

void add(OperatorTable& table, const char* name, Reduction function) {
  table[name] = [function](const Vector& v) {
    return std::vector{reduced(v, v.input(0), function)};
  };
}

/// The same of a function of the elements.
void add_of(OperatorTable& table, const char* name, Tensor (*inner)(const Tensor&),
            Reduction function, Tensor (*outer)(const Tensor&)) {
  table[name] = [=](const Vector& v) {
    return std::vector{outer(reduced(v, inner(v.input(0)), function))};
  };
}

/// The largest or smallest element; of booleans, whether any or all are true.
Operator extremum(Reduction of_numbers, Reduction of_booleans) {
  return [=](const Vector& v) {
    const Tensor& x = v.input(0);
    if (x.dtype() == DType::boolean) return std::vector{reduced(v, x, of_booleans)};
    if (x.element_count() == 0) throw NotOffered("the largest or smallest of nothing");
    return std::vector{reduced(v, x, of_numbers)};
  };
}

Operator position(Tensor (*function)(const Tensor&, std::optional<int>, KeepDims)) {
  return [=](const Vector& v) {
    const KeepDims keepdims = v.get("keepdims", 1) != 0 ? KeepDims::yes : KeepDims::no;
    if (v.get("select_last_index", 0) == 0) {
      return std::vector{function(v.input(0), v.axis(0), keepdims)};
    }
    const Tensor from_behind = function(flip(v.input(0), v.axis(0)), v.axis(0), keepdims);
    return std::vector{subtract(v.input(0).size(v.axis(0)) - 1, from_behind)};
  };
}

Tensor running_sum(const Vector& v) {
  const int axis = static_cast<int>(v.input(1).item<Index>());
  const bool is_reversed = v.get("reverse", 0) != 0;
  const Tensor x = is_reversed ? flip(v.input(0), axis) : v.input(0);
  Tensor sums = cumsum(x, axis);
  if (v.get("exclusive", 0) != 0) sums = sums - x;
  return is_reversed ? flip(sums, axis) : sums;
}

Tensor same(const Tensor& x) {
  return x;
}

}  // namespace

void add_reductions(OperatorTable& table) {
  add(table, "ReduceSum", sum);
  add(table, "ReduceMean", mean);
  add(table, "ReduceProd", prod);
  add(table, "ReduceL2", norm);
  add(table, "ReduceLogSumExp", logsumexp);
  add_of(table, "ReduceL1", abs, sum, same);
  add_of(table, "ReduceSumSquare", square, sum, same);
  add_of(table, "ReduceLogSum", same, sum, log);
  table["ReduceMax"] = extremum(max, any);
  table["ReduceMin"] = extremum(min, all);
  table["ArgMax"] = position(argmax);
  table["ArgMin"] = position(argmin);
  table["CumSum"] = [](const Vector& v) { return std::vector{running_sum(v)}; };
}

}  // namespace tensorette::testing::onnx
