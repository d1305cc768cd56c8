#include <tensorette/autograd/fused/dropout.hpp>
#include <tensorette/nn/dropout.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn {

Dropout::Dropout(const DropoutOptions& options, Generator& generator)
    : probability_(options.probability), generator_(generator.split()) {
  detail::require<Error>(probability_ >= 0 && probability_ <= 1,
                         "Dropout: the probability is {}, it must be in [0, 1]", probability_);
}

Variable Dropout::forward(const Variable& x) const {
  if (active_probability() == 0.0) return x;
  return in_module(*this, [&] { return dropout(x, probability_, generator_); });
}

}  // namespace tensorette::nn
