/// \file
/// Dropout (Srivastava et al. 2014).
#pragma once

#include <tensorette/autograd/variable.hpp>
#include <tensorette/tensor/random.hpp>

namespace tensorette {

/// Each element zeroed with the given probability, the others multiplied by 1/(1 − probability).
/// The numbers are those of `state` (see Generator::reserve), so the mask is made again in
/// backward instead of being kept. Probability 1 gives zeros. \throws Error outside [0, 1]
[[nodiscard]] Variable dropout(const Variable& x, double probability,
                               const Generator::State& state);
/// The same with numbers drawn from a generator.
[[nodiscard]] Variable dropout(const Variable& x, double probability, Generator& generator);

}  // namespace tensorette
