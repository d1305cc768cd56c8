#include <tensorette/nn/optim/sgd.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/optimizer.hpp>

namespace tensorette::optim {
namespace {

std::vector<std::string> moment_names(const SgdOptions& options) {
  return options.momentum == 0 ? std::vector<std::string>{} : std::vector<std::string>{"momentum"};
}

}  // namespace

SGD::SGD(std::vector<Variable> parameters, const SgdOptions& options)
    : SGD(std::vector<ParameterGroup>{{.parameters = std::move(parameters)}}, options) {}

SGD::SGD(std::vector<ParameterGroup> groups, const SgdOptions& options)
    : Optimizer(std::move(groups), options.learning_rate, moment_names(options)),
      options_(options) {
  detail::require<Error>(options.momentum >= 0 && options.momentum < 1,
                         "SGD: momentum must be in [0, 1), got {}", options.momentum);
  detail::require<Error>(!options.nesterov || options.momentum > 0,
                         "SGD: Nesterov's method needs a momentum");
}

void SGD::update(Tensor& value, const Tensor& gradient, double learning_rate, double weight_decay,
                 std::span<Tensor> moments) {
  const kernels::SgdStep step{.learning_rate = learning_rate,
                              .momentum = options_.momentum,
                              .nesterov = options_.nesterov,
                              .gradient_decay = weight_decay};
  const Tensor dense = gradient.contiguous();
  kernels::dispatch_floating("SGD", value.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* velocity = moments.empty() ? nullptr : moments[0].mutable_data<T>();
    kernels::sgd_update<T>(step, dense.data<T>(), value.mutable_data<T>(), velocity,
                           value.element_count());
  });
}

}  // namespace tensorette::optim
