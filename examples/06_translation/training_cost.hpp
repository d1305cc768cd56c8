/// \file
/// What an update costs in arithmetic, beside what the machine can do. Before: batches.hpp.
/// Next: trainer.hpp.
#pragma once

#include <tensorette/nn/transformer.hpp>

#include "batches.hpp"

namespace tensorette::translation {

/// Floating-point operations in the matrix products that one update with this batch needs, a
/// multiplication and an addition counted as two: each product of the forward pass, and the two of
/// the backward pass that carry its gradient to its factors. Padding counts, since it is computed;
/// what is computed again to save memory does not, nor does anything between the products. Causal
/// attention counts half a square.
[[nodiscard]] double training_products(const nn::TransformerOptions& model, const Batch& batch);

/// The rate of plain sgemm on this machine now, in floating-point operations a second: the fastest
/// of some products of two 1024 × 1024 matrices, with as many threads as the training uses. Takes
/// a few tenths of a second.
[[nodiscard]] double sgemm_rate();

}  // namespace tensorette::translation
