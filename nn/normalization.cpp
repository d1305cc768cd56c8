#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/nn/normalization.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn {
namespace {

void check(const char* type, const NormOptions& options) {
  detail::require<Error>(options.dim > 0 && options.epsilon > 0,
                         "{}: dim and epsilon must be positive, got {} and {}", type, options.dim,
                         options.epsilon);
}

}  // namespace

LayerNorm::LayerNorm(const NormOptions& options) : epsilon_(options.epsilon) {
  check("LayerNorm", options);
  weight = parameter(ones({options.dim}));
  if (options.bias) bias = parameter(zeros({options.dim}));
}

Variable LayerNorm::forward(const Variable& x) const {
  return in_module(*this, [&] { return layer_norm(x, weight, bias, epsilon_); });
}

RMSNorm::RMSNorm(const NormOptions& options) : epsilon_(options.epsilon) {
  check("RMSNorm", options);
  weight = parameter(ones({options.dim}));
}

Variable RMSNorm::forward(const Variable& x) const {
  return in_module(*this, [&] { return rms_norm(x, weight, epsilon_); });
}

}  // namespace tensorette::nn
