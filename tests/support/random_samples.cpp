#include <algorithm>
#include <random_sample_makers.hpp>
#include <random_samples.hpp>
#include <stdexcept>
#include <tensorette/autograd/ops.hpp>

namespace tensorette::testing {
namespace {

template <class Function>
Maker unary(Function function, double low, double high) {
  return [=](Dice& dice) {
    const Tensor x = dice.values(low, high, dice.shape());
    return Made{[function](Inputs in) { return function(in[0]); }, {laid_out(x, dice.layout())}};
  };
}

template <class Function>
Maker kinked(Function function) {
  return [=](Dice& dice) {
    const Tensor x = dice.apart(dice.shape());
    return Made{[function](Inputs in) { return function(in[0]); },
                {laid_out(x, dice.layout(true))}};
  };
}

// Broadcasting to the left or to the right; values between low and high, or apart.
template <class Function>
Maker binary(Function function, double low, double high) {
  return [=](Dice& dice) {
    const Shape full = dice.shape();
    const Shape part = dice.broadcast_from(full);
    const auto make = [&](const Shape& shape, double shift) {
      return low < high ? dice.values(low, high, shape) : dice.apart(shape) + shift;
    };
    const bool left = dice.coin();
    return Made{[function](Inputs in) { return function(in[0], in[1]); },
                {laid_out(make(left ? part : full, 0), dice.layout(low >= high)),
                 laid_out(make(left ? full : part, 0.03), dice.layout(low >= high))}};
  };
}

using Unary = Variable (*)(const Variable&);
using Binary = Variable (*)(const Variable&, const Variable&);

void add_arithmetic_makers(Makers& makers) {
  makers[Op::alias] = unary(alias, -2, 2);
  makers[Op::to_dtype] =
      unary([](const Variable& v) { return to(to(v, DType::f32), DType::f64); }, -1, 1);
  makers[Op::add] = binary(static_cast<Binary>(add), -2, 2);
  makers[Op::subtract] = binary(static_cast<Binary>(subtract), -2, 2);
  makers[Op::multiply] = binary(static_cast<Binary>(multiply), -2, 2);
  makers[Op::divide] = binary(static_cast<Binary>(divide), 0.5, 2);
  makers[Op::pow] = binary(static_cast<Binary>(pow), 0.5, 2);
  makers[Op::maximum] = binary(static_cast<Binary>(maximum), 0, 0);
  makers[Op::minimum] = binary(static_cast<Binary>(minimum), 0, 0);
  makers[Op::add_scalar] = unary([](const Variable& v) { return 0.3 - v; }, -2, 2);
  makers[Op::multiply_scalar] = unary([](const Variable& v) { return v * 1.7; }, -2, 2);
  makers[Op::pow_scalar] = unary([](const Variable& v) { return pow(v, 2.5); }, 0.5, 2);
}

void add_elementwise_makers(Makers& makers) {
  makers[Op::negate] = unary(static_cast<Unary>(negate), -2, 2);
  makers[Op::square] = unary(static_cast<Unary>(square), -2, 2);
  makers[Op::reciprocal] = unary(static_cast<Unary>(reciprocal), 0.5, 2);
  makers[Op::exp] = unary(static_cast<Unary>(exp), -2, 2);
  makers[Op::expm1] = unary(static_cast<Unary>(expm1), -2, 2);
  makers[Op::log] = unary(static_cast<Unary>(log), 0.5, 2);
  makers[Op::log1p] = unary(static_cast<Unary>(log1p), -0.5, 2);
  makers[Op::sqrt] = unary(static_cast<Unary>(sqrt), 0.5, 2);
  makers[Op::rsqrt] = unary(static_cast<Unary>(rsqrt), 0.5, 2);
  makers[Op::sin] = unary(static_cast<Unary>(sin), -2, 2);
  makers[Op::cos] = unary(static_cast<Unary>(cos), -2, 2);
  makers[Op::tanh] = unary(static_cast<Unary>(tanh), -2, 2);
  makers[Op::sigmoid] = unary(static_cast<Unary>(sigmoid), -3, 3);
  makers[Op::erf] = unary(static_cast<Unary>(erf), -2, 2);
  makers[Op::gelu] = unary(static_cast<Unary>(gelu), -3, 3);
  makers[Op::gelu_tanh] = unary(static_cast<Unary>(gelu_tanh), -3, 3);
  makers[Op::silu] = unary(static_cast<Unary>(silu), -3, 3);
  makers[Op::softplus] = unary(static_cast<Unary>(softplus), -3, 3);
  makers[Op::abs] = kinked(static_cast<Unary>(abs));
  makers[Op::sign] = kinked(static_cast<Unary>(sign));
  makers[Op::relu] = kinked(static_cast<Unary>(relu));
  makers[Op::clamp] = kinked([](const Variable& v) { return clamp(v, -0.2, 0.3); });
  makers[Op::where] = [](Dice& dice) {
    const Shape full = dice.shape();
    const Tensor condition = dice.flags(dice.broadcast_from(full));
    return Made{[condition](Inputs in) { return where(condition, in[0], in[1] * in[1]); },
                {dice.values(-2, 2, full), dice.values(-2, 2, dice.broadcast_from(full))}};
  };
  makers[Op::masked_fill] = [](Dice& dice) {
    const Shape full = dice.shape();
    const Tensor mask = dice.flags(dice.broadcast_from(full));
    return Made{[mask](Inputs in) { return masked_fill(in[0], mask, 7); },
                {dice.values(-2, 2, full)}};
  };
}

// A reduction over all axes, or some, kept or not.
template <class Function>
Maker reduction(Function function, bool must_differ, double low, double high) {
  return [=](Dice& dice) {
    const Shape shape = dice.shape(1);
    std::vector<int> axes;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (dice.coin()) axes.push_back(axis);
    }
    const Axes over = axes.empty() ? Axes::all() : Axes(axes);
    const KeepDims keepdims = dice.coin() ? KeepDims::yes : KeepDims::no;
    const Tensor x = must_differ ? dice.apart(shape) : dice.values(low, high, shape);
    return Made{[=](Inputs in) { return function(in[0], over, keepdims); },
                {laid_out(x, dice.layout(must_differ))}};
  };
}

template <class Function>
Maker along_axis(Function function) {
  return [=](Dice& dice) {
    const Shape shape = dice.shape(1);
    const int axis = dice.axis_of(shape);
    return Made{[=](Inputs in) { return function(in[0], axis); },
                {laid_out(dice.values(-2, 2, shape), dice.layout())}};
  };
}

void add_reduction_makers(Makers& makers) {
  using Reduction = Variable (*)(const Variable&, const Axes&, KeepDims);
  using Along = Variable (*)(const Variable&, int);
  makers[Op::sum] = reduction(static_cast<Reduction>(sum), false, -2, 2);
  makers[Op::prod] = reduction(static_cast<Reduction>(prod), false, -1.5, 1.5);
  makers[Op::mean] = reduction(static_cast<Reduction>(mean), false, -2, 2);
  makers[Op::variance] = reduction([](const Variable& v, const Axes& axes,
                                      KeepDims keepdims) { return variance(v, axes, keepdims, 0); },
                                   false, -2, 2);
  makers[Op::max] = reduction(static_cast<Reduction>((max)), true, 0, 0);
  makers[Op::min] = reduction(static_cast<Reduction>((min)), true, 0, 0);
  makers[Op::logsumexp] = reduction(static_cast<Reduction>(logsumexp), false, -2, 2);
  makers[Op::norm] = reduction(static_cast<Reduction>(norm), false, 0.5, 2);
  makers[Op::cumsum] = along_axis(static_cast<Along>(cumsum));
  makers[Op::softmax] = along_axis(static_cast<Along>(softmax));
  makers[Op::log_softmax] = along_axis(static_cast<Along>(log_softmax));
}

void add_shaping_makers(Makers& makers) {
  makers[Op::reshape] = shaped([](Dice&, const Shape& shape) {
    return [count = shape.element_count()](Inputs in) { return reshape(in[0], {1, count}); };
  });
  makers[Op::permute] = shaped(
      [](Dice& dice, const Shape& shape) {
        std::vector<int> order;
        for (int axis = 0; axis < shape.rank(); ++axis) {
          order.insert(order.begin() + dice.below(axis + 1), axis);
        }
        return [order](Inputs in) { return permute(in[0], order); };
      },
      1);
  makers[Op::expand] = [](Dice& dice) {
    const Shape full = dice.shape();
    return Made{[full](Inputs in) { return expand(in[0], full); },
                {dice.values(-2, 2, dice.broadcast_from(full))}};
  };
  makers[Op::slice] = shaped(
      [](Dice& dice, const Shape& shape) {
        const int axis = dice.axis_of(shape);
        const Index step = dice.size();
        return [=](Inputs in) { return slice(in[0], axis, -2, std::nullopt, step); };
      },
      1);
  makers[Op::concat] = [](Dice& dice) {
    Shape shape = dice.shape(1);
    const int axis = static_cast<int>(dice.below(shape.rank()));
    std::vector<Variable> parts;
    for (Index part = dice.size(); part >= 0; --part) {
      parts.emplace_back(dice.values(-2, 2, shape));
      shape[axis] = dice.below(3);
    }
    return Made{[axis](Inputs in) { return concat(in, axis); }, parts};
  };
  makers[Op::repeat] = shaped([](Dice& dice, const Shape& shape) {
    std::vector<Index> counts;
    for (int axis = 0; axis < shape.rank(); ++axis) counts.push_back(dice.size());
    if (dice.coin()) counts.insert(counts.begin(), 2);
    return [counts = Shape(counts)](Inputs in) { return repeat(in[0], counts); };
  });
  makers[Op::flip] = shaped(
      [](Dice& dice, const Shape& shape) {
        const int axis = dice.axis_of(shape);
        return [axis](Inputs in) { return flip(in[0], axis); };
      },
      1);
  const auto triangle = [](auto function) {
    return shaped(
        [function](Dice& dice, const Shape&) {
          const Index diagonal = dice.below(3) - 1;
          return [=](Inputs in) { return function(in[0], diagonal); };
        },
        2);
  };
  makers[Op::tril] = triangle([](const Variable& v, Index k) { return tril(v, k); });
  makers[Op::triu] = triangle([](const Variable& v, Index k) { return triu(v, k); });
}

void add_index_makers(Makers& makers) {
  makers[Op::index_select] = shaped(
      [](Dice& dice, const Shape& shape) {
        const int axis = static_cast<int>(dice.below(shape.rank()));
        const Tensor indices = dice.ids({dice.below(4)}, shape[axis]);
        return [=](Inputs in) { return index_select(in[0], axis, indices); };
      },
      1);
  makers[Op::take_rows] = shaped(
      [](Dice& dice, const Shape& shape) {
        const Tensor rows = dice.ids(dice.shape(0, 3), shape[0]);
        return [rows](Inputs in) { return take_rows(in[0], rows); };
      },
      2, 2);
  makers[Op::sum_rows] = [](Dice& dice) {
    const Index count = dice.below(5);
    const Tensor rows = dice.ids({count}, 3);
    return Made{[rows](Inputs in) { return sum_rows(in[0], rows, 3); },
                {dice.values(-2, 2, {count, dice.size()})}};
  };
  // Indices have the shape of x except along the axis.
  const auto indices_for = [](Dice& dice, Shape shape, int axis) {
    const Index bound = shape[axis];
    shape[axis] = dice.size();
    return dice.ids(shape, bound);
  };
  makers[Op::gather] = shaped(
      [indices_for](Dice& dice, const Shape& shape) {
        const int axis = static_cast<int>(dice.below(shape.rank()));
        const Tensor indices = indices_for(dice, shape, axis);
        return [=](Inputs in) { return gather(in[0], axis, indices); };
      },
      1);
  makers[Op::scatter_add] = [indices_for](Dice& dice) {
    const Shape shape = dice.shape(1);
    const int axis = static_cast<int>(dice.below(shape.rank()));
    const Tensor indices = indices_for(dice, shape, axis);
    return Made{[=](Inputs in) { return scatter_add(in[0], axis, indices, in[1]); },
                {dice.values(-2, 2, shape), dice.values(-2, 2, indices.shape())}};
  };
}

void add_product_makers(Makers& makers) {
  makers[Op::matmul] = [](Dice& dice) {
    const Index inner = dice.size();
    const Shape batch = dice.shape(0, 2);
    const auto with_batch = [&](const Shape& own) {
      const Shape part = dice.broadcast_from(batch);
      std::vector<Index> sizes(part.begin(), part.end());
      sizes.insert(sizes.end(), own.begin(), own.end());
      return Shape(sizes);
    };
    const Shape a = dice.below(4) == 0 ? Shape{inner} : with_batch({dice.size(), inner});
    const Shape b = dice.below(4) == 0 ? Shape{inner} : with_batch({inner, dice.size()});
    return Made{[](Inputs in) { return matmul(in[0], in[1]); },
                {laid_out(dice.values(-2, 2, a), dice.layout()),
                 laid_out(dice.values(-2, 2, b), dice.layout())}};
  };
}

const Makers& makers() {
  static const Makers all = [] {
    Makers list;
    add_arithmetic_makers(list);
    add_elementwise_makers(list);
    add_reduction_makers(list);
    add_shaping_makers(list);
    add_index_makers(list);
    add_product_makers(list);
    add_fused_makers(list);
    return list;
  }();
  return all;
}

}  // namespace

std::span<const Family> op_families() {
  static const std::vector<Family> families{
      {"arithmetic", Op::alias, Op::pow_scalar},    {"elementwise", Op::negate, Op::masked_fill},
      {"reductions", Op::sum, Op::log_softmax},     {"shaping", Op::reshape, Op::triu},
      {"index", Op::index_select, Op::scatter_add}, {"products", Op::matmul, Op::matmul},
      {"fused", Op::linear, Op::recompute}};
  return families;
}

OpSample random_sample(Op op, Generator& generator) {
  const auto maker = makers().find(op);
  if (maker == makers().end()) {
    throw std::out_of_range(std::string("no random sample of ") + info_of(op).name);
  }
  Dice dice(generator);
  Made made = maker->second(dice);
  OpSample sample{op, std::string(info_of(op).name), {}, std::move(made.inputs), {}};
  for (const Variable& input : sample.inputs) sample.name += " " + to_string(input.shape());
  sample.function = [function = std::move(made.function)](Inputs in) {
    return std::vector<Variable>{function(in)};
  };
  sample.options.epsilon = 1e-3;
  // What f32 rounds away needs wide steps; the function is linear.
  if (op == Op::to_dtype)
    sample.options = {.epsilon = 0.015625, .relative = 1e-4, .absolute = 1e-4};
  return sample;
}

}  // namespace tensorette::testing
