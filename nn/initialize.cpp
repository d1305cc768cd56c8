#include <cmath>
#include <tensorette/nn/initialize.hpp>

namespace tensorette::nn {
namespace {

// As numbers, so that sizes without measure give an error of their own and no other.
double fans(Index fan_in, Index fan_out) {
  return static_cast<double>(fan_in) + static_cast<double>(fan_out);
}

}  // namespace

Tensor xavier_uniform(Index fan_out, Index fan_in, Generator& generator) {
  const double bound = std::sqrt(6.0 / fans(fan_in, fan_out));
  return generator.uniform({fan_out, fan_in}, -bound, bound);
}

Tensor xavier_normal(Index fan_out, Index fan_in, Generator& generator) {
  return generator.normal({fan_out, fan_in}, 0.0, std::sqrt(2.0 / fans(fan_in, fan_out)));
}

Tensor kaiming_uniform(Index fan_out, Index fan_in, Generator& generator) {
  const double bound = std::sqrt(6.0 / static_cast<double>(fan_in));
  return generator.uniform({fan_out, fan_in}, -bound, bound);
}

Tensor kaiming_normal(Index fan_out, Index fan_in, Generator& generator) {
  return generator.normal({fan_out, fan_in}, 0.0, std::sqrt(2.0 / static_cast<double>(fan_in)));
}

}  // namespace tensorette::nn
