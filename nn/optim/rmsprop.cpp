#include <tensorette/nn/optim/rmsprop.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/optimizer.hpp>

namespace tensorette::optim {

RMSprop::RMSprop(std::vector<Variable> parameters, const RmspropOptions& options)
    : RMSprop(std::vector<ParameterGroup>{{.parameters = std::move(parameters)}}, options) {}

RMSprop::RMSprop(std::vector<ParameterGroup> groups, const RmspropOptions& options)
    : Optimizer(std::move(groups), options.learning_rate, {"mean_square", "momentum", "mean"}),
      options_(options) {
  const auto is_decay = [](double factor) { return factor >= 0 && factor < 1; };
  detail::require<Error>(
      is_decay(options.alpha) && is_decay(options.momentum) && options.epsilon >= 0,
      "RMSprop: alpha and momentum must be in [0, 1) and epsilon not negative, "
      "got {}, {}, {}",
      options.alpha, options.momentum, options.epsilon);
}

void RMSprop::update(Tensor& value, const Tensor& gradient, double learning_rate,
                     double weight_decay, std::span<Tensor> moments) {
  const kernels::RmspropStep step{.learning_rate = learning_rate,
                                  .alpha = options_.alpha,
                                  .epsilon = options_.epsilon,
                                  .momentum = options_.momentum,
                                  .centered = options_.centered,
                                  .gradient_decay = weight_decay};
  const Tensor dense = gradient.contiguous();
  kernels::dispatch_floating("RMSprop", value.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    kernels::rmsprop_update<T>(step, dense.data<T>(), value.mutable_data<T>(),
                               moments[0].mutable_data<T>(), moments[1].mutable_data<T>(),
                               moments[2].mutable_data<T>(), value.element_count());
  });
}

}  // namespace tensorette::optim
