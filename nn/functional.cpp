#include <tensorette/nn/functional.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <unordered_map>

namespace tensorette::nn {

using detail::require;

ParameterScope::ParameterScope(Module& model, std::span<const Variable> values) {
  const std::vector<NamedParameter> parameters = model.named_parameters();
  require<Error>(values.size() == parameters.size(),
                 "function_of_parameters: {} has {} parameters, got {} values", model.type_name(),
                 parameters.size(), values.size());
  std::unordered_map<const Node*, const Variable*> value_of;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& [name, parameter] = parameters[i];
    require<Error>(values[i].is_defined(), "function_of_parameters: the value for {} is undefined",
                   name);
    require(values[i].shape() == parameter.shape(),
            "function_of_parameters: {} has shape {}, its value {}", name, parameter.shape(),
            values[i].shape());
    require<DTypeError>(values[i].dtype() == parameter.dtype(),
                        "function_of_parameters: {} is {}, its value {}", name, parameter.dtype(),
                        values[i].dtype());
    value_of[parameter.node().get()] = &values[i];
  }
  for (Variable* place : model.parameter_places()) own_.emplace_back(place, *place);
  for (auto& [place, own] : own_) *place = *value_of.at(own.node().get());
}

ParameterScope::~ParameterScope() {
  for (auto& [place, own] : own_) *place = std::move(own);
}

}  // namespace tensorette::nn
