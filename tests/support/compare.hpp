/// \file
/// How far two tensors are apart, and first values for modules under test.
#pragma once

#include <string>
#include <tensorette/nn/module.hpp>
#include <typeinfo>
#include <vector>

namespace tensorette::testing {

/// Largest |actual − expected|, relative to the largest |expected| where that is above 1. Infinite
/// for different shapes and for numbers that are not finite.
[[nodiscard]] double distance(const Tensor& actual, const Tensor& expected);
[[nodiscard]] double distance(const Tensor& actual, const std::vector<double>& expected);

/// Equal shape, dtype and bits.
[[nodiscard]] bool same_bits(const Tensor& a, const Tensor& b);
/// No NaN and no infinity.
[[nodiscard]] bool is_finite(const Tensor& x);
/// All elements as doubles, in row-major order.
[[nodiscard]] std::vector<double> numbers(const Tensor& x);

/// Fills every parameter, biases and gains too, with normal numbers around `mean`.
void randomize(nn::Module& module, Generator& generator, double mean = 0.0, double deviation = 0.5);

/// The text of the error that `body` throws, if that is exactly an E; else a word on what happened.
template <class E, class Body>
std::string error_text(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    if (typeid(error) == typeid(E)) return error.what();
    return "another type of error was thrown";
  }
  return "nothing was thrown";
}

}  // namespace tensorette::testing
