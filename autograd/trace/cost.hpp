/// \file
/// What an operation costs, by its shapes.
#pragma once

#include <span>
#include <tensorette/autograd/op_table.hpp>
#include <tensorette/autograd/variable.hpp>

namespace tensorette {

/// Additions, multiplications and calls of functions in an operation's forward, each counted as 1;
/// a multiply-add is 2. Products are counted exactly:
///
///     matmul [.., m, k] · [.., k, n]     2 m k n for each matrix of the batch
///     linear [.., k] · [n, k]ᵀ           2 k n for each row, and n for the bias
///     attention, T queries, S keys       2 T S (head_dim + value_dim) + 5 T S for each head
///
/// An elementwise operation counts 1 for each element of its output, a reduction 1 for each of its
/// input, softmax and cross entropy 5, a norm 8; what only moves elements counts nothing.
/// `extra` is what observers are told: the number of heads of packed attention is seen there.
[[nodiscard]] double flops_of(Op op, std::span<const Variable* const> inputs,
                              const Variable& output, std::span<const Tensor> extra = {});

/// Bytes of the output, or 0 where it is a view of an input.
[[nodiscard]] Index new_bytes_of(std::span<const Variable* const> inputs, const Variable& output);

}  // namespace tensorette
