#include <tensorette/nn/optim/adam.hpp>
#include <tensorette/nn/optim/sgd.hpp>
#include <tensorette/tensor/create.hpp>

#include "operators.hpp"

namespace tensorette::testing::onnx {
namespace {

using State = std::map<std::string, Tensor>;

/// One step from the given state; the new parameter.
Tensor stepped(optim::Optimizer& optimizer, const Variable& parameter, State moments, Index steps,
               const Tensor& gradient) {
  moments["steps"] = scalar(steps, DType::i64);
  moments["learning_rate"] = scalar(optimizer.learning_rate(), DType::f64);
  optimizer.load_state_dict(moments);
  parameter.set_grad(gradient);
  optimizer.step();
  return parameter.value();
}

void require_one_parameter(const Vector& v, std::size_t inputs) {
  if (v.inputs.size() != inputs) throw NotOffered("several parameters in one operator");
  if (v.get("norm_coefficient_post", 0.0) != 0) throw NotOffered("decay behind the step");
}

/// Inputs: rate, updates so far, parameter, gradient, both moments.
std::vector<Tensor> adam(const Vector& v) {
  require_one_parameter(v, 6);
  if (v.input(1).item<Index>() == 0) throw NotOffered("Adam without correction of the bias");
  const Variable p = parameter(v.input(2).clone());
  optim::Adam optimizer({{.parameters = {p}, .weight_decay = v.get("norm_coefficient", 0.0)}},
                        {.learning_rate = v.input(0).item(),
                         .beta1 = v.get("alpha", 0.9),
                         .beta2 = v.get("beta", 0.999),
                         .epsilon = v.get("epsilon", 0.0)});
  const Tensor result =
      stepped(optimizer, p, {{"mean.0", v.input(4)}, {"mean_square.0", v.input(5)}},
              v.input(1).item<Index>() - 1, v.input(3));
  const State after = optimizer.state_dict();
  return {result, after.at("mean.0"), after.at("mean_square.0")};
}

/// Inputs: rate, updates so far, parameter, gradient, momentum.
std::vector<Tensor> momentum(const Vector& v) {
  require_one_parameter(v, 5);
  if (v.input(1).item<Index>() != 0 && v.get("beta", 1.0) != 1.0) {
    throw NotOffered("momentum that scales the gradient");
  }
  const Variable p = parameter(v.input(2).clone());
  optim::SGD optimizer({{.parameters = {p}, .weight_decay = v.get("norm_coefficient", 0.0)}},
                       {.learning_rate = v.input(0).item(),
                        .momentum = v.get("alpha", 0.9),
                        .nesterov = v.get<std::string>("mode", "standard") == "nesterov"});
  const Tensor result = stepped(optimizer, p, {{"momentum.0", v.input(4)}}, 1, v.input(3));
  return {result, optimizer.state_dict().at("momentum.0")};
}

}  // namespace

void add_optimisers(OperatorTable& table) {
  table["Adam"] = adam;
  table["Momentum"] = momentum;
}

}  // namespace tensorette::testing::onnx
