#include <array>
#include <cstddef>
#include <tensorette/autograd/op_table.hpp>

namespace tensorette {
namespace {

constexpr int any = 2;
constexpr auto none = Broadcast::none;
constexpr auto full = Broadcast::full;
constexpr auto batch = Broadcast::batch;

constexpr std::array table{
    OpInfo{Op::leaf, "leaf", "y = a parameter", "collected in grad()", any, none, ""},
    OpInfo{Op::custom, "custom", "y = f(x)", "as its author defines it", any, none, ""},
    OpInfo{Op::alias, "alias", "y = x", "dx = g", any, none},
    OpInfo{Op::to_dtype, "to", "y = x in another dtype", "dx = g in the dtype of x", any, none},
    // arithmetic
    OpInfo{Op::add, "add", "y = a + b", "da = g; db = g", any, full, "a b"},
    OpInfo{Op::subtract, "subtract", "y = a − b", "da = g; db = −g", any, full, "a b"},
    OpInfo{Op::multiply, "multiply", "y = a b", "da = g b; db = g a", any, full, "a b"},
    OpInfo{Op::divide, "divide", "y = a / b", "da = g / b; db = −g y / b", any, full, "a b"},
    OpInfo{Op::pow, "pow", "y = aᵇ", "da = g b aᵇ⁻¹; db = g y log a (0 where a = 0)", any, full,
           "a b"},
    OpInfo{Op::maximum, "maximum", "y = max(a, b)",
           "da = g where a > b, g/2 where a = b; db likewise", any, full, "a b"},
    OpInfo{Op::minimum, "minimum", "y = min(a, b)",
           "da = g where a < b, g/2 where a = b; db likewise", any, full, "a b"},
    OpInfo{Op::add_scalar, "add", "y = x + c", "dx = g", any, none},
    OpInfo{Op::multiply_scalar, "multiply", "y = c x", "dx = c g", any, none},
    OpInfo{Op::pow_scalar, "pow", "y = xᶜ", "dx = g c xᶜ⁻¹", any, none},
    // elementwise
    OpInfo{Op::negate, "negate", "y = −x", "dx = −g", any, none},
    OpInfo{Op::abs, "abs", "y = |x|", "dx = g sign(x)", any, none},
    OpInfo{Op::sign, "sign", "y = sign(x)", "dx = 0", any, none},
    OpInfo{Op::square, "square", "y = x²", "dx = 2 g x", any, none},
    OpInfo{Op::reciprocal, "reciprocal", "y = 1/x", "dx = −g y²", any, none},
    OpInfo{Op::exp, "exp", "y = eˣ", "dx = g y", any, none},
    OpInfo{Op::expm1, "expm1", "y = eˣ − 1", "dx = g (y + 1)", any, none},
    OpInfo{Op::log, "log", "y = log x", "dx = g / x", any, none},
    OpInfo{Op::log1p, "log1p", "y = log(1 + x)", "dx = g / (1 + x)", any, none},
    OpInfo{Op::sqrt, "sqrt", "y = √x", "dx = g / (2 y)", any, none},
    OpInfo{Op::rsqrt, "rsqrt", "y = 1/√x", "dx = −g y³ / 2", any, none},
    OpInfo{Op::sin, "sin", "y = sin x", "dx = g cos x", any, none},
    OpInfo{Op::cos, "cos", "y = cos x", "dx = −g sin x", any, none},
    OpInfo{Op::tanh, "tanh", "y = tanh x", "dx = g (1 − y²)", any, none},
    OpInfo{Op::sigmoid, "sigmoid", "y = 1/(1 + e⁻ˣ)", "dx = g y (1 − y)", any, none},
    OpInfo{Op::erf, "erf", "y = erf x", "dx = g 2/√π e^(−x²)", any, none},
    OpInfo{Op::relu, "relu", "y = max(x, 0)", "dx = g where x > 0, else 0", any, none},
    OpInfo{Op::gelu, "gelu", "y = x Φ(x)", "dx = g (Φ(x) + x φ(x))", any, none},
    OpInfo{Op::gelu_tanh, "gelu_tanh", "y = x/2 (1 + t), t = tanh(√(2/π)(x + 0.044715 x³))",
           "dx = g ((1 + t)/2 + x/2 (1 − t²) √(2/π)(1 + 0.134145 x²))", any, none},
    OpInfo{Op::silu, "silu", "y = x σ(x)", "dx = g σ(x)(1 + x (1 − σ(x)))", any, none},
    OpInfo{Op::softplus, "softplus", "y = log(1 + eˣ)", "dx = g σ(x)", any, none},
    OpInfo{Op::clamp, "clamp", "y = min(max(x, low), high)", "dx = g where low ≤ x ≤ high, else 0",
           any, none},
    OpInfo{Op::where, "where", "y = a where the condition holds, else b",
           "da = g where it holds, else 0; db the other way round", any, full, "a b"},
    OpInfo{Op::masked_fill, "masked_fill", "y = c where the mask is true, else x",
           "dx = 0 where the mask is true, else g", any, none},
    // reductions
    OpInfo{Op::sum, "sum", "y = Σ x", "dx = g, expanded", any, none},
    OpInfo{Op::prod, "prod", "y = Π x", "dxᵢ = g Π_{j≠i} xⱼ", any, none},
    OpInfo{Op::mean, "mean", "y = Σ x / n", "dx = g / n, expanded", any, none},
    OpInfo{Op::variance, "variance", "y = Σ (x − mean)² / (n − c)", "dx = 2 g (x − mean) / (n − c)",
           any, none},
    OpInfo{Op::max, "max", "y = max x", "dx = g / ties where x = y, else 0", any, none},
    OpInfo{Op::min, "min", "y = min x", "dx = g / ties where x = y, else 0", any, none},
    OpInfo{Op::logsumexp, "logsumexp", "y = log Σ eˣ", "dx = g e^(x − y)", any, none},
    OpInfo{Op::norm, "norm", "y = √Σ x²", "dx = g x / y (0 where y = 0)", any, none},
    OpInfo{Op::cumsum, "cumsum", "yᵢ = Σ_{j≤i} xⱼ", "dxⱼ = Σ_{i≥j} gᵢ", any, none},
    OpInfo{Op::softmax, "softmax", "y = eˣ / Σ eˣ", "dx = y (g − Σ g y)", any, none},
    OpInfo{Op::log_softmax, "log_softmax", "y = x − log Σ eˣ", "dx = g − e^y Σ g", any, none},
    // shaping
    OpInfo{Op::reshape, "reshape", "y = x under another shape", "dx = g under the shape of x", any,
           none},
    OpInfo{Op::permute, "permute", "y = x with its axes in another order",
           "dx = g with its axes in the old order", any, none},
    OpInfo{Op::expand, "expand", "y = x repeated along new axes", "dx = Σ g over those axes", any,
           none},
    OpInfo{Op::slice, "slice", "y = x[start:stop:step]", "dx = g at start:stop:step, 0 elsewhere",
           any, none},
    OpInfo{Op::concat, "concat", "y = [a, b, …]", "da, db, … = the pieces of g", any, none, "a b"},
    OpInfo{Op::repeat, "repeat", "y = x side by side", "dx = Σ g over the copies", any, none},
    OpInfo{Op::flip, "flip", "y = x in reverse order", "dx = g in reverse order", any, none},
    OpInfo{Op::tril, "tril", "y = lower triangle of x", "dx = lower triangle of g", any, none},
    OpInfo{Op::triu, "triu", "y = upper triangle of x", "dx = upper triangle of g", any, none},
    // index
    OpInfo{Op::index_select, "index_select", "y = slices of x at the indices",
           "dx = Σ of the slices of g at their index", any, none},
    OpInfo{Op::take_rows, "take_rows", "y = rows of x at the ids",
           "dx = Σ of the rows of g at their id", any, none},
    OpInfo{Op::sum_rows, "sum_rows", "y = Σ of the rows of x at their id",
           "dx = rows of g at the ids", any, none},
    OpInfo{Op::gather, "gather", "y = elements of x at the indices",
           "dx = Σ of the elements of g at their index", any, none},
    OpInfo{Op::scatter_add, "scatter_add", "y = x + Σ of the elements of s at their index",
           "dx = g; ds = elements of g at the indices", any, none, "x s"},
    // products
    OpInfo{Op::matmul, "matmul", "y = a b", "da = g bᵀ; db = aᵀ g", any, batch, "a b"},
    // fused
    OpInfo{Op::linear, "linear", "y = x Wᵀ + b", "dx = g W; dW = gᵀ x; db = Σ g", any, none,
           "x W b"},
    OpInfo{Op::layer_norm, "layer_norm", "y = (x − mean)/√(var + ε) w + b",
           "dx = (h − mean h − x̂ mean(h x̂))/√(var + ε), h = g w; dw = Σ g x̂; db = Σ g", any, none,
           "x w b"},
    OpInfo{Op::rms_norm, "rms_norm", "y = x/√(mean x² + ε) w",
           "dx = (h − x̂ mean(h x̂))/√(mean x² + ε), h = g w; dw = Σ g x̂", any, none, "x w"},
    OpInfo{Op::dropout, "dropout", "y = x m/(1 − p), m random", "dx = g m/(1 − p)", any, none},
    OpInfo{Op::cross_entropy, "cross_entropy", "y = mean of −Σ q log softmax(x)",
           "dx = g (softmax(x) − q)/n", any, none},
    OpInfo{Op::linear_cross_entropy, "linear_cross_entropy", "y = −Σ q log softmax(x Wᵀ + b)",
           "dl = g (softmax(x Wᵀ + b) − q); dx = dl W; dW = dlᵀ x; db = Σ dl", any, none},
    OpInfo{Op::embedding, "embedding", "y = s W[ids] + P", "dW = s Σ of the rows of g at their id",
           any, none, "W"},
    OpInfo{Op::attention, "attention", "y = softmax(s q kᵀ + bias) v",
           "dv = pᵀ g; ds = p (g vᵀ − Σ g y); dq = s ds k; dk = s dsᵀ q", any, none, "q k v bias"},
    OpInfo{Op::packed_attention, "packed_attention",
           "y = attention of q, k, v packed in one tensor", "as attention, packed", any, none,
           "x bias"},
    // graphs as one operation
    OpInfo{Op::recompute, "recompute", "y = f(x), without keeping what f computes on the way",
           "f is computed again, and its graph takes the place of this operation", any, none},
};

constexpr bool rows_match_enum() {
  if (table.size() != static_cast<std::size_t>(Op::count_)) return false;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].op) != i) return false;
  }
  return true;
}
static_assert(rows_match_enum(), "one row per Op, in the order of Op");

}  // namespace

std::span<const OpInfo> op_table() noexcept {
  return table;
}

const OpInfo& info_of(Op op) noexcept {
  return table[static_cast<std::size_t>(op)];
}

}  // namespace tensorette
