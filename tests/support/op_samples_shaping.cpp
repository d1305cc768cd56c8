// Samples of operations that move, pick and multiply elements.
#include <op_sample_lists.hpp>
#include <tensorette/autograd/ops.hpp>

namespace tensorette::testing {

void add_shaping(Samples& samples) {
  const Tensor x = values_between(-1, 1, {2, 3, 2});
  const auto each = [&samples, &x](Op op, const std::string& what, auto function) {
    add_unary(samples, op, function, x, what + ", ");
    add_sample(samples, op, what + ", empty", [function](Inputs in) { return function(in[0]); },
               {zeros({2, 3, 0}, DType::f64)});
  };
  each(Op::reshape, "flatten", [](const Variable& v) { return flatten(v, 0, 1); });
  each(Op::reshape, "to rows", [](const Variable& v) { return reshape(v, {6, v.size(2)}); });
  each(Op::reshape, "unsqueeze", [](const Variable& v) { return squeeze(unsqueeze(v, 1), 1); });
  each(Op::permute, "swap", [](const Variable& v) { return transpose(v, 0, -1); });
  each(Op::permute, "turn", [](const Variable& v) { return permute(v, {2, 0, 1}); });
  each(Op::expand, "new axis", [](const Variable& v) { return expand(v, {2, 2, 3, v.size(2)}); });
  add_unary(
      samples, Op::expand,
      [](const Variable& v) {
        return expand(v, {3, 2, 4});
      },
      values_between(-1, 1, {2, 1}), "size 1, ");
  each(Op::slice, "narrow", [](const Variable& v) { return narrow(v, 1, 1, 2); });
  each(Op::slice, "with step", [](const Variable& v) { return slice(v, 1, 0, std::nullopt, 2); });
  each(Op::slice, "from the end", [](const Variable& v) { return slice(v, 1, -2, -1); });
  each(Op::slice, "nothing", [](const Variable& v) { return slice(v, 1, 2, 2); });
  each(Op::slice, "select", [](const Variable& v) { return select(v, 0, -1); });
  each(Op::concat, "split", [](const Variable& v) {
    const std::vector<Variable> parts = split(v, 2, 1);
    return concat({parts[1], parts[0] * 2, parts[1]}, 1);
  });
  each(Op::concat, "stack", [](const Variable& v) { return stack({v, v * 3}, 1); });
  add_sample(samples, Op::concat, "several inputs", [](Inputs in) { return concat(in, -1); },
             {values_between(-1, 1, {2, 1}, 1), values_between(-1, 1, {2, 0}, 2),
              laid_out(values_between(-1, 1, {2, 3}, 3), Layout::transposed)});
  each(Op::repeat, "all axes", [](const Variable& v) { return repeat(v, {2, 1, 3}); });
  each(Op::repeat, "new axis", [](const Variable& v) { return repeat(v, {2, 1, 2, 1}); });
  each(Op::repeat, "none", [](const Variable& v) { return repeat(v, {0, 1, 1}); });
  each(Op::flip, "two axes", [](const Variable& v) { return flip(v, {0, -1}); });
  each(Op::tril, "below", [](const Variable& v) { return tril(v, -1); });
  each(Op::tril, "diagonal", [](const Variable& v) { return tril(v); });
  each(Op::triu, "above", [](const Variable& v) { return triu(v, 1); });
  each(Op::triu, "diagonal", [](const Variable& v) { return triu(v); });
}

void add_index(Samples& samples) {
  const Tensor x = distinct_values({3, 4});
  const Tensor rows = ids({2, 0, 2, 1, 2}, {5});
  for (const int axis : {0, 1, -1}) {
    add_unary(
        samples, Op::index_select,
        [rows, axis](const Variable& v) { return index_select(v, axis, rows); }, x,
        "axis " + std::to_string(axis) + ", ");
  }
  const Tensor none = ids({}, {0});
  add_sample(samples, Op::index_select, "nothing",
             [none](Inputs in) { return index_select(in[0], 0, none); }, {x});
  add_sample(samples, Op::index_select, "empty slices",
             [rows](Inputs in) { return index_select(in[0], 0, rows); },
             {zeros({3, 0}, DType::f64)});
  add_unary(
      samples, Op::take_rows,
      [](const Variable& v) {
        return take_rows(v, ids({1, 1, 2, 0}, {2, 2}));
      },
      x);
  add_sample(samples, Op::take_rows, "nothing",
             [none](Inputs in) { return take_rows(in[0], none); }, {x});
  add_unary(
      samples, Op::sum_rows,
      [](const Variable& v) {
        return sum_rows(v, ids({4, 1, 4}, {3}), 5);
      },
      x);
  add_sample(samples, Op::sum_rows, "nothing",
             [none](Inputs in) { return sum_rows(in[0], none, 2); }, {zeros({0, 3}, DType::f64)});
  add_unary(
      samples, Op::gather,
      [](const Variable& v) {
        return gather(v, 1, ids({0, 3, 3, 1, 2, 2}, {2, 3}));
      },
      x);
  add_unary(
      samples, Op::gather, [](const Variable& v) { return topk(v, 2, 0).values; }, x, "largest, ",
      true);
  add_unary(
      samples, Op::gather, [](const Variable& v) { return sort(v, 1).values; }, x, "sorted, ",
      true);
  add_sample(samples, Op::gather, "nothing",
             [](Inputs in) {
               return gather(in[0], 0, ids({}, {0, 4}));
             },
             {x});
  const auto scatter = [](Inputs in) {
    return scatter_add(in[0], 1, ids({0, 3, 3, 1, 2, 2}, {2, 3}), in[1]);
  };
  for (const Layout layout : layouts) {
    add_sample(samples, Op::scatter_add, name_of(layout), scatter,
               {laid_out(x, layout), laid_out(distinct_values({2, 3}, 2), layout)});
  }
}

void add_products(Samples& samples) {
  const auto product = [](Inputs in) { return matmul(in[0], in[1]); };
  const auto pair = [&](const Shape& a, const Shape& b) {
    add_sample(samples, Op::matmul, to_string(a) + " · " + to_string(b), product,
               {values_between(-1, 1, a, 1), values_between(-1, 1, b, 2)});
  };
  pair({2, 3}, {3, 2});
  pair({3}, {3});
  pair({3}, {3, 2});
  pair({2, 3}, {3});
  pair({3}, {2, 3, 2});
  pair({2, 2, 3}, {3});
  pair({2, 2, 3}, {3, 2});
  pair({2, 3}, {2, 3, 2});
  pair({2, 1, 2, 2}, {3, 2, 1});
  pair({0, 3}, {3, 2});
  pair({2, 0}, {0, 3});
  pair({0, 2, 3}, {3, 2});
  for (const Layout layout : layouts) {
    add_sample(samples, Op::matmul, name_of(layout), product,
               {laid_out(values_between(-1, 1, {2, 3, 2}, 1), layout),
                laid_out(values_between(-1, 1, {2, 3}, 2), layout)});
  }
}

}  // namespace tensorette::testing
