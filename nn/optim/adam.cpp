#include <cmath>
#include <tensorette/nn/optim/adam.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/optimizer.hpp>

namespace tensorette::optim {

Adam::Adam(std::vector<Variable> parameters, const AdamOptions& options)
    : Adam(std::vector<ParameterGroup>{{.parameters = std::move(parameters)}}, options) {}

Adam::Adam(std::vector<ParameterGroup> groups, const AdamOptions& options)
    : Adam(std::move(groups), options, false) {}

Adam::Adam(std::vector<ParameterGroup> groups, const AdamOptions& options, bool decoupled)
    : Optimizer(std::move(groups), options.learning_rate, {"mean", "mean_square"}),
      options_(options),
      decoupled_(decoupled) {
  const auto is_decay = [](double beta) { return beta >= 0 && beta < 1; };
  detail::require<Error>(is_decay(options.beta1) && is_decay(options.beta2) && options.epsilon >= 0,
                         "Adam: betas must be in [0, 1) and epsilon not negative, got {}, {}, {}",
                         options.beta1, options.beta2, options.epsilon);
}

AdamW::AdamW(std::vector<ParameterGroup> groups, const AdamOptions& options)
    : Adam(std::move(groups), options, true) {}

void Adam::update(Tensor& value, const Tensor& gradient, double learning_rate, double weight_decay,
                  std::span<Tensor> moments) {
  const auto step = static_cast<double>(steps());
  const kernels::AdamStep parameters{.learning_rate = learning_rate,
                                     .beta1 = options_.beta1,
                                     .beta2 = options_.beta2,
                                     .epsilon = options_.epsilon,
                                     .mean_correction = 1.0 - std::pow(options_.beta1, step),
                                     .square_correction = 1.0 - std::pow(options_.beta2, step),
                                     .gradient_decay = decoupled_ ? 0.0 : weight_decay,
                                     .parameter_decay = decoupled_ ? weight_decay : 0.0};
  const Tensor dense = gradient.contiguous();
  kernels::dispatch_floating("Adam", value.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    kernels::adam_update<T>(parameters, dense.data<T>(), value.mutable_data<T>(),
                            moments[0].mutable_data<T>(), moments[1].mutable_data<T>(),
                            value.element_count());
  });
}

}  // namespace tensorette::optim
