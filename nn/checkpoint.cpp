#include <algorithm>
#include <nlohmann/json.hpp>
#include <tensorette/nn/checkpoint.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn {
namespace {

using detail::require;
using States = std::map<std::string, Generator::State>;

constexpr const char* model_prefix = "model.";
constexpr const char* optimizer_prefix = "optimizer.";
constexpr const char* average_prefix = "average.";
constexpr const char* generators_key = "generators";
constexpr const char* format_key = "format";
constexpr const char* format_name = "tensorette checkpoint 1";

nlohmann::json to_json(const States& states) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, state] : states) {
    json[name] = {state.seed, state.stream, state.position};
  }
  return json;
}

States states_from_json(const nlohmann::json& json) {
  States states;
  for (const auto& [name, numbers] : json.items()) {
    states[name] = {.seed = numbers.at(0).get<std::uint64_t>(),
                    .stream = numbers.at(1).get<std::uint64_t>(),
                    .position = numbers.at(2).get<std::uint64_t>()};
  }
  return states;
}

}  // namespace

Checkpoint Checkpoint::load(const std::string& path) {
  Safetensors file = load_safetensors(path);
  Checkpoint checkpoint;
  checkpoint.path_ = path;
  checkpoint.metadata = std::move(file.metadata);
  require<FormatError>(checkpoint.metadata[format_key] == format_name,
                       "{}: not a checkpoint of this library (its format is \"{}\")", path,
                       checkpoint.metadata[format_key]);
  try {
    const auto json = nlohmann::json::parse(checkpoint.at(generators_key));
    checkpoint.model_generators_ = states_from_json(json.at("model"));
    checkpoint.generators_ = states_from_json(json.at("own"));
  } catch (const nlohmann::json::exception& error) {
    detail::fail<FormatError>("{}: the states of the generators can't be read: {}", path,
                              error.what());
  }
  checkpoint.metadata.erase(generators_key);
  checkpoint.metadata.erase(format_key);
  const auto take = [](const std::string& name, const char* prefix, const Tensor& tensor,
                       std::map<std::string, Tensor>& tensors) {
    if (!name.starts_with(prefix)) return false;
    tensors.emplace(name.substr(std::string_view(prefix).size()), tensor);
    return true;
  };
  for (const auto& [name, tensor] : file.tensors) {
    require<FormatError>(take(name, model_prefix, tensor, checkpoint.model_) ||
                             take(name, optimizer_prefix, tensor, checkpoint.optimizer_) ||
                             take(name, average_prefix, tensor, checkpoint.average_),
                         "{}: unknown tensor \"{}\"", path, name);
  }
  return checkpoint;
}

void Checkpoint::save(const std::string& path, StoredType stored) const {
  for (const char* reserved : {format_key, generators_key}) {
    require<Error>(!metadata.contains(reserved),
                   "checkpoint: the entry \"{}\" of the metadata is the checkpoint's own",
                   reserved);
  }
  Safetensors file{.tensors = {}, .metadata = metadata};
  file.metadata[format_key] = format_name;
  const nlohmann::json generators{{"model", to_json(model_generators_)},
                                  {"own", to_json(generators_)}};
  file.metadata[generators_key] = generators.dump();
  for (const auto& [name, tensor] : model_) file.tensors.emplace(model_prefix + name, tensor);
  for (const auto& [name, tensor] : optimizer_) {
    file.tensors.emplace(optimizer_prefix + name, tensor);
  }
  for (const auto& [name, tensor] : average_) file.tensors.emplace(average_prefix + name, tensor);
  save_safetensors(path, file, stored);
}

Checkpoint Checkpoint::average(std::span<const Checkpoint> checkpoints) {
  require<FormatError>(!checkpoints.empty(), "average: got no checkpoints");
  Checkpoint mean = checkpoints.back();
  const double share = 1.0 / static_cast<double>(checkpoints.size());
  for (auto& [name, parameter] : mean.model_) {
    Tensor sum = zeros(parameter.shape(), DType::f64);
    for (const Checkpoint& checkpoint : checkpoints) {
      const auto found = checkpoint.model_.find(name);
      require<FormatError>(
          checkpoint.model_.size() == mean.model_.size() && found != checkpoint.model_.end(),
          "average: {} and {} have other parameters", checkpoint.path_, mean.path_);
      const Tensor& term = found->second;
      require<FormatError>(term.shape() == parameter.shape() && term.dtype() == parameter.dtype(),
                           "average: \"{}\" is {} {} in {} and {} {} in {}", name, term.dtype(),
                           term.shape(), checkpoint.path_, parameter.dtype(), parameter.shape(),
                           mean.path_);
      add_(sum, term.to(DType::f64));
    }
    parameter = multiply(sum, share).to(parameter.dtype());
  }
  return mean;
}

Checkpoint Checkpoint::clone() const {
  Checkpoint copy = *this;
  for (auto* tensors : {&copy.model_, &copy.optimizer_, &copy.average_}) {
    for (auto& [name, tensor] : *tensors) tensor = tensor.clone();
  }
  return copy;
}

void Checkpoint::put(const Module& model) {
  model_ = model.state_dict();
  model_generators_ = model.generator_states();
}

void Checkpoint::put(const optim::Optimizer& optimizer) {
  optimizer_ = optimizer.state_dict();
}

void Checkpoint::put(const optim::ExponentialMovingAverage& average) {
  average_ = average.state_dict();
}

void Checkpoint::put(const std::string& name, const Generator& generator) {
  generators_[name] = generator.state();
}

void Checkpoint::restore(Module& model) const {
  const States own = model.generator_states();
  const bool same_generators =
      own.size() == model_generators_.size() &&
      std::equal(own.begin(), own.end(), model_generators_.begin(),
                 [](const auto& a, const auto& b) { return a.first == b.first; });
  require<FormatError>(same_generators, "{}: holds {} generators, the model has {}, or other names",
                       path_, model_generators_.size(), own.size());
  model.load_state_dict(model_);
  model.set_generator_states(model_generators_);
}

void Checkpoint::restore(optim::Optimizer& optimizer) const {
  require<FormatError>(!optimizer_.empty(), "{}: holds no state of an optimizer", path_);
  optimizer.load_state_dict(optimizer_);
}

void Checkpoint::restore(optim::ExponentialMovingAverage& average) const {
  require<FormatError>(!average_.empty(), "{}: holds no moving average", path_);
  average.load_state_dict(average_);
}

void Checkpoint::restore(const std::string& name, Generator& generator) const {
  const auto found = generators_.find(name);
  require<FormatError>(found != generators_.end(), "{}: holds no generator \"{}\"", path_, name);
  generator.set_state(found->second);
}

void Checkpoint::drop_training_state() {
  optimizer_.clear();
  average_.clear();
  generators_.clear();
}

const std::string& Checkpoint::at(const std::string& name) const {
  const auto found = metadata.find(name);
  require<FormatError>(found != metadata.end(), "{}: the metadata has no entry \"{}\"", path_,
                       name);
  return found->second;
}

}  // namespace tensorette::nn
