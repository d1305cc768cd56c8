/// \file
/// One row per operation that can be recorded: the one place where it has a name. Error messages,
/// tests, pictures and the documentation read it here.
#pragma once

#include <cstdint>
#include <span>

namespace tensorette {

/// Every operation that can stand in a graph.
enum class Op : std::uint16_t {
  leaf,
  custom,
  alias,
  to_dtype,
  // arithmetic
  add,
  subtract,
  multiply,
  divide,
  pow,
  maximum,
  minimum,
  add_scalar,
  multiply_scalar,
  pow_scalar,
  // elementwise
  negate,
  abs,
  sign,
  square,
  reciprocal,
  exp,
  expm1,
  log,
  log1p,
  sqrt,
  rsqrt,
  sin,
  cos,
  tanh,
  sigmoid,
  erf,
  relu,
  gelu,
  gelu_tanh,
  silu,
  softplus,
  clamp,
  where,
  masked_fill,
  // reductions
  sum,
  prod,
  mean,
  variance,
  max,
  min,
  logsumexp,
  norm,
  cumsum,
  softmax,
  log_softmax,
  // shaping
  reshape,
  permute,
  expand,
  slice,
  concat,
  repeat,
  flip,
  tril,
  triu,
  // index
  index_select,
  take_rows,
  sum_rows,
  gather,
  scatter_add,
  // products
  matmul,
  // fused
  linear,
  layer_norm,
  rms_norm,
  dropout,
  cross_entropy,
  linear_cross_entropy,
  embedding,
  attention,
  packed_attention,
  // graphs as one operation
  recompute,
  count_  // not an operation: how many there are
};

/// Which of its operands an operation broadcasts.
enum class Broadcast : std::uint8_t {
  none,
  full,   ///< all axes, by NumPy's rules
  batch,  ///< the leading axes, as matmul does
};

/// What is known of one operation.
struct OpInfo {
  Op op;
  const char* name;     ///< as in error messages: the function's name
  const char* formula;  ///< what it computes
  const char* vjp;      ///< gradients of the inputs; g is the gradient of the output y
  int order;            ///< how often it can be differentiated: 0, or 2 for any number of times
  Broadcast broadcast;
  /// Names of the inputs in the formulas, in their order.
  const char* operands = "x";
};

/// All rows, in the order of Op.
[[nodiscard]] std::span<const OpInfo> op_table() noexcept;
[[nodiscard]] const OpInfo& info_of(Op op) noexcept;

}  // namespace tensorette
