/// \file
/// First values of parameters.
#pragma once

#include <tensorette/tensor/random.hpp>

namespace tensorette::nn {

/// Uniform in ±√(6/(fan_in + fan_out)) for a weight [fan_out, fan_in] (Glorot and Bengio 2010).
[[nodiscard]] Tensor xavier_uniform(Index fan_out, Index fan_in, Generator& generator);
/// Normal with deviation √(2/(fan_in + fan_out)) (Glorot and Bengio 2010).
[[nodiscard]] Tensor xavier_normal(Index fan_out, Index fan_in, Generator& generator);
/// Uniform in ±√(6/fan_in): keeps the variance through a relu (He et al. 2015).
[[nodiscard]] Tensor kaiming_uniform(Index fan_out, Index fan_in, Generator& generator);
/// Normal with deviation √(2/fan_in) (He et al. 2015).
[[nodiscard]] Tensor kaiming_normal(Index fan_out, Index fan_in, Generator& generator);

}  // namespace tensorette::nn
