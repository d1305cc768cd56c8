#include <algorithm>
#include <map>
#include <op_sample_lists.hpp>
#include <random_samples.hpp>
#include <stdexcept>
#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/fused/cross_entropy.hpp>
#include <tensorette/autograd/fused/dropout.hpp>
#include <tensorette/autograd/fused/embedding.hpp>
#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/autograd/fused/linear_cross_entropy.hpp>
#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/autograd/recompute.hpp>

namespace tensorette::testing {
namespace {

constexpr Index largest_size = 3;

// Random choices of one sample.
class Dice {
 public:
  explicit Dice(Generator& generator) : generator_(generator) {}

  [[nodiscard]] Index below(Index bound) {
    return static_cast<Index>(generator_.next_below(static_cast<std::uint64_t>(bound)));
  }
  [[nodiscard]] bool coin() { return below(2) == 1; }
  [[nodiscard]] Index size() { return 1 + below(largest_size); }
  [[nodiscard]] Shape shape(Index least_rank = 0, Index most_rank = 4) {
    std::vector<Index> sizes;
    const Index rank = least_rank + below(most_rank - least_rank + 1);
    for (Index i = 0; i < rank; ++i) sizes.push_back(size());
    return Shape(sizes);
  }
  // A shape that broadcasts to another: leading axes may be missing, others may have size 1.
  [[nodiscard]] Shape broadcast_from(const Shape& full) {
    std::vector<Index> sizes(full.begin() + below(full.rank() + 1), full.end());
    for (Index& axis : sizes) axis = coin() ? 1 : axis;
    return Shape(sizes);
  }
  [[nodiscard]] int axis_of(const Shape& shape) {
    const Index axis = below(shape.rank());
    return static_cast<int>(coin() ? axis : axis - shape.rank());
  }
  [[nodiscard]] Tensor values(double low, double high, const Shape& shape) {
    return generator_.uniform(shape, low, high, DType::f64);
  }
  // Apart from each other and from kinks at multiples of 0.1.
  [[nodiscard]] Tensor apart(const Shape& shape) {
    return distinct_values(shape, generator_.next_below(1000) + 1);
  }
  [[nodiscard]] Tensor ids(const Shape& shape, Index bound) {
    return generator_.integers(shape, 0, bound);
  }
  [[nodiscard]] Tensor flags(const Shape& shape) { return generator_.bernoulli(shape, 0.6); }
  [[nodiscard]] Generator::State numbers() { return generator_.reserve(1000); }
  [[nodiscard]] Layout layout(bool must_differ = false) {
    constexpr std::array all{Layout::contiguous, Layout::transposed, Layout::sliced,
                             Layout::expanded};
    return all[static_cast<std::size_t>(below(must_differ ? 3 : 4))];
  }

 private:
  Generator& generator_;
};

// What a maker gives: a function and its inputs.
struct Made {
  std::function<Variable(Inputs)> function;
  std::vector<Variable> inputs;
};
using Maker = std::function<Made(Dice&)>;
using Makers = std::map<Op, Maker>;

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

// A function of x that is made for x's shape.
template <class Make>
Maker shaped(Make make, Index least_rank = 0, Index most_rank = 4) {
  return [=](Dice& dice) {
    const Shape shape = dice.shape(least_rank, most_rank);
    return Made{make(dice, shape), {laid_out(dice.values(-2, 2, shape), dice.layout())}};
  };
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

AttentionRule random_rule(Dice& dice, Index batch, Index heads, Index queries, Index keys) {
  AttentionRule rule;
  rule.causal = dice.coin() && queries <= keys;
  if (dice.coin()) rule.allowed = dice.flags({1, dice.coin() ? heads : 1, queries, keys});
  if (dice.coin()) rule.key_validity = dice.flags({batch, keys});
  if (dice.coin()) rule.scale = 0.7;
  if (dice.coin()) {
    rule.dropout = 0.3;
    rule.dropout_state = dice.numbers();
  }
  return rule;
}

Made made_attention(Dice& dice) {
  const Index batch = dice.size();
  const Index heads = dice.size();
  const Index queries = dice.size();
  const Index keys = dice.size();
  const Index width = dice.size();
  const AttentionRule rule = random_rule(dice, batch, heads, queries, keys);
  std::vector<Variable> inputs{dice.values(-1, 1, {batch, heads, queries, width}),
                               dice.values(-1, 1, {batch, heads, keys, width}),
                               dice.values(-1, 1, {batch, heads, keys, dice.size()})};
  if (dice.coin()) inputs.emplace_back(dice.values(-1, 1, {1, heads, queries, keys}));
  return {[rule](Inputs in) {
            AttentionRule own = rule;
            if (in.size() > 3) own.bias = in[3];
            return scaled_dot_product_attention(in[0], in[1], in[2], own);
          },
          inputs};
}

Made made_packed_attention(Dice& dice) {
  const Index batch = dice.size();
  const Index heads = dice.size();
  const Index tokens = dice.size();
  const AttentionRule rule = random_rule(dice, batch, heads, tokens, tokens);
  return {[rule, heads](Inputs in) { return packed_attention(in[0], heads, rule); },
          {laid_out(dice.values(-1, 1, {batch, tokens, 3 * heads * dice.size()}), dice.layout())}};
}

Made made_cross_entropy(Dice& dice) {
  const Shape shape = dice.shape(1, 3);
  const Tensor targets =
      dice.ids(Shape(std::vector<Index>(shape.begin(), shape.end() - 1)), shape[shape.rank() - 1]);
  const std::optional<Index> ignored = dice.coin() ? std::optional<Index>(0) : std::nullopt;
  const double smoothing = dice.coin() ? 0.1 : 0.0;
  return {[=](Inputs in) { return cross_entropy(in[0], targets, ignored, smoothing); },
          {laid_out(dice.values(-2, 2, shape), dice.layout())}};
}

Made made_linear_cross_entropy(Dice& dice) {
  const Shape shape = dice.shape(1, 3);
  const Index classes = dice.size();
  const Tensor targets =
      dice.ids(Shape(std::vector<Index>(shape.begin(), shape.end() - 1)), classes);
  const std::optional<Index> ignored = dice.coin() ? std::optional<Index>(0) : std::nullopt;
  std::vector<Variable> inputs{laid_out(dice.values(-1, 1, shape), dice.layout()),
                               dice.values(-1, 1, {classes, shape[shape.rank() - 1]})};
  if (dice.coin()) inputs.emplace_back(dice.values(-1, 1, {classes}));
  return {[=](Inputs in) {
            return linear_cross_entropy(in[0], in[1], in.size() > 2 ? in[2] : Variable(), targets,
                                        ignored, 0.1);
          },
          inputs};
}

// Far from rows whose elements are all alike, where the norms curve strongly.
constexpr double norm_epsilon = 0.1;

Made made_norm(Dice& dice, bool centred) {
  const Shape shape = dice.shape(1);
  const Shape width{shape[shape.rank() - 1]};
  std::vector<Variable> inputs{laid_out(dice.values(-2, 2, shape), dice.layout()),
                               dice.values(0.5, 1.5, width)};
  if (!centred) {
    return {[](Inputs in) { return rms_norm(in[0], in[1], norm_epsilon); }, inputs};
  }
  if (dice.coin()) inputs.emplace_back(dice.values(-1, 1, width));
  return {[](Inputs in) {
            return layer_norm(in[0], in[1], in.size() > 2 ? in[2] : Variable(), norm_epsilon);
          },
          inputs};
}

void add_fused_makers(Makers& makers) {
  makers[Op::linear] = [](Dice& dice) {
    const Shape shape = dice.shape(1);
    const Index out = dice.size();
    std::vector<Variable> inputs{laid_out(dice.values(-2, 2, shape), dice.layout()),
                                 dice.values(-2, 2, {out, shape[shape.rank() - 1]})};
    if (dice.coin()) inputs.emplace_back(dice.values(-2, 2, {out}));
    return Made{[](Inputs in) { return linear(in[0], in[1], in.size() > 2 ? in[2] : Variable()); },
                inputs};
  };
  makers[Op::layer_norm] = [](Dice& dice) { return made_norm(dice, true); };
  makers[Op::rms_norm] = [](Dice& dice) { return made_norm(dice, false); };
  makers[Op::dropout] = shaped([](Dice& dice, const Shape&) {
    return [state = dice.numbers()](Inputs in) { return dropout(in[0], 0.4, state); };
  });
  makers[Op::cross_entropy] = made_cross_entropy;
  makers[Op::linear_cross_entropy] = made_linear_cross_entropy;
  makers[Op::embedding] = shaped(
      [](Dice& dice, const Shape& shape) {
        const Tensor tokens = dice.ids(dice.shape(0, 3), shape[0]);
        return [tokens](Inputs in) { return embedding(in[0], tokens, 1.5); };
      },
      2, 2);
  makers[Op::attention] = made_attention;
  makers[Op::packed_attention] = made_packed_attention;
  makers[Op::recompute] = [](Dice& dice) {
    const Shape full = dice.shape();
    return Made{[](Inputs in) {
                  return recompute([](Inputs own) { return tanh(own[0] * own[1]) * own[0]; },
                                   {in[0], in[1]});
                },
                {dice.values(-1, 1, full), dice.values(-1, 1, dice.broadcast_from(full))}};
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
