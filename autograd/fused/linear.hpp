/// \file
/// The affine map y = x Wᵀ + b.
#pragma once

#include <tensorette/autograd/variable.hpp>

namespace tensorette {

/// y = x Wᵀ + b        x [.., in], weight [out, in], bias [out] or undefined -> y [.., out]
///
/// One product over all rows of x; the bias is where the product begins to add up.
/// dx = g W, dW = gᵀ x, db = Σ g. \throws ShapeError, DTypeError
[[nodiscard]] Variable linear(const Variable& x, const Variable& weight, const Variable& bias = {});

}  // namespace tensorette
