/// \file
/// Layer norm and RMS norm over the last axis.
#pragma once

#include <tensorette/autograd/variable.hpp>

namespace tensorette {

/// y = (x − mean)/√(variance + epsilon) · gain + bias over the last axis (Ba, Kiros and Hinton
/// 2016), in two passes.        x [.., n], gain [n], bias [n] or undefined
/// \throws ShapeError, DTypeError
[[nodiscard]] Variable layer_norm(const Variable& x, const Variable& gain, const Variable& bias,
                                  double epsilon = 1e-5);
/// The same in small operations: its definition, its test and its way to second derivatives.
[[nodiscard]] Variable layer_norm_reference(const Variable& x, const Variable& gain,
                                            const Variable& bias, double epsilon = 1e-5);

/// y = x/√(mean x² + epsilon) · gain over the last axis (Zhang and Sennrich 2019).
[[nodiscard]] Variable rms_norm(const Variable& x, const Variable& gain, double epsilon = 1e-5);
[[nodiscard]] Variable rms_norm_reference(const Variable& x, const Variable& gain,
                                          double epsilon = 1e-5);

}  // namespace tensorette
