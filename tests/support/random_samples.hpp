/// \file
/// Every recorded operation on inputs of random shapes.
#pragma once

#include <op_samples.hpp>
#include <span>
#include <string>
#include <tensorette/tensor/random.hpp>

namespace tensorette::testing {

/// Operations that belong together: neighbours in the op table.
struct Family {
  std::string name;
  Op first;
  Op last;
};

/// All of the op table except leaf and custom, in its order.
[[nodiscard]] std::span<const Family> op_families();

/// The operation on f64 inputs of a random shape and with random arguments, away from kinks: the
/// step `options.epsilon` in any direction of elements below 1 crosses none.
[[nodiscard]] OpSample random_sample(Op op, Generator& generator);

}  // namespace tensorette::testing
