#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/nn/initialize.hpp>
#include <tensorette/nn/linear.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn {

Linear::Linear(const LinearOptions& options, Generator& generator) {
  detail::require<Error>(options.in > 0 && options.out > 0,
                         "Linear: in and out must be positive, got in = {}, out = {}", options.in,
                         options.out);
  weight = parameter(xavier_uniform(options.out, options.in, generator));
  if (options.bias) bias = parameter(zeros({options.out}));
}

Variable Linear::forward(const Variable& x) const {
  return in_module(*this, [&] { return linear(x, weight, bias); });
}

}  // namespace tensorette::nn
