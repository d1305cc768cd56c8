/// \file
/// A model as a function of its parameters: what the derivatives of autograd/functional.hpp take.
/// Before: module.hpp, autograd/functional.hpp.
#pragma once

#include <functional>
#include <tensorette/autograd/functional.hpp>
#include <tensorette/nn/module.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace tensorette::nn {

/// While one is alive a model works with other values in place of its parameters; then it has its
/// own again. Tied parameters stay tied.
class ParameterScope {
 public:
  /// One value per parameter, in the order of model.parameters(). They may be any Variables:
  /// results of operations too. \throws ShapeError, DTypeError, Error for another number of them;
  /// the model has not changed then
  ParameterScope(Module& model, std::span<const Variable> values);
  ParameterScope(const ParameterScope&) = delete;
  ParameterScope& operator=(const ParameterScope&) = delete;
  ~ParameterScope();

 private:
  std::vector<std::pair<Variable*, Variable>>
      own_;  // each place of a parameter, and what was there
};

/// body() as a function of the model's parameters, in the order of model.parameters(): the body
/// uses the model as usual, the function puts the values it is given in the parameters' places.
///
///     const auto loss = nn::function_of_parameters(model, [&] { return mse(model.forward(x), y);
///     }); const auto gradients = grad(loss)(model.parameters()); const auto product = hvp(loss,
///     model.parameters(), directions);
///
/// The model is referred to, not copied. As parameters require a gradient, results are
/// differentiable; inside NoGrad they are not, and cost less.
template <class Body>
[[nodiscard]] auto function_of_parameters(Module& model, Body body) {
  using Result = std::decay_t<std::invoke_result_t<Body&>>;
  return std::function<Result(std::span<const Variable>)>(
      [&model, body = std::move(body)](std::span<const Variable> values) {
        const ParameterScope scope(model, values);
        return body();
      });
}

}  // namespace tensorette::nn
