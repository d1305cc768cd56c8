// The operations of two tensors, by dtype.
#pragma once

#include <tensorette/tensor/kernels/elementwise.hpp>

namespace tensorette::kernels {

extern const Operation add_operation;
extern const Operation subtract_operation;
extern const Operation multiply_operation;
extern const Operation divide_operation;
extern const Operation pow_operation;
extern const Operation maximum_operation;
extern const Operation minimum_operation;

/// target + scale · source; the parameter is the scale as an element of the dtype.
extern const Operation add_scaled_operation;
extern const Operation subtract_in_place_operation;
extern const Operation multiply_in_place_operation;

extern const Operation equal_operation;
extern const Operation not_equal_operation;
extern const Operation less_operation;
extern const Operation less_equal_operation;
extern const Operation greater_operation;
extern const Operation greater_equal_operation;

extern const Operation logical_and_operation;
extern const Operation logical_or_operation;
extern const Operation logical_xor_operation;
extern const Operation logical_not_operation;

/// The second input, whatever the first: copies and fills.
extern const Operation copy_operation;
extern const Operation fill_operation;

}  // namespace tensorette::kernels
