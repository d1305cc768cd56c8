/// \file
/// How single operations become benchmarks.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <tensorette/autograd/variable.hpp>
#include <vector>

namespace tensorette::bench {

using Inputs = std::vector<Variable>;
using Operation = std::function<Variable(const Inputs& inputs)>;

/// How an operand lies in memory.
enum class Layout {
  contiguous,
  transposed,        ///< a view with its last two axes swapped
  every_second,      ///< a view of every second column
  broadcast_row,     ///< one row for all rows
  broadcast_column,  ///< one number for each row
};

[[nodiscard]] std::string_view name_of(Layout layout);

/// Numbers in [0.5, 1.5], where every operation is defined, lying in memory as asked. Broadcast
/// layouts give the smaller shape that broadcasts to `shape`.
[[nodiscard]] Tensor make_operand(const Shape& shape, Layout layout);

/// One benchmark of an operation.
struct Benchmark {
  std::string name;  ///< "exp/large/contiguous"
  std::function<Inputs()> make_inputs;
  Operation operation;
  bool differentiable = true;  ///< whether some inputs are parameters
  double flops = 0;            ///< of forward; 0 where elements say more
  Index elements = 0;          ///< read by forward
};

/// Registers `NAME/forward`, without recording, and, if it is differentiable,
/// `NAME/backward`: the walk back alone, over a graph that is kept.
void register_benchmark(const Benchmark& benchmark);

void register_arithmetic();
void register_elementwise();
void register_reductions();
void register_shaping();
void register_matmul();
void register_random();
void register_rows();

}  // namespace tensorette::bench
