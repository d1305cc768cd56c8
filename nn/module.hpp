/// \file
/// The base of layers and models: an ordinary struct that lists its parts once.
/// Before: variable.hpp. Next: linear.hpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tensorette/autograd/observer.hpp>
#include <tensorette/autograd/variable.hpp>
#include <tensorette/tensor/random.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace tensorette::nn {

class Module;

/// Receives the parts of a module in list_parts(); undefined parameters count as absent.
class Parts {
 public:
  virtual ~Parts() = default;

  void operator()(const std::string& name, Variable& parameter) {
    if (parameter.is_defined()) on_parameter(name, parameter);
  }
  void operator()(const std::string& name, Module& child) { on_module(name, child); }
  void operator()(const std::string& name, Generator& generator) { on_generator(name, generator); }
  template <class Child>
  void operator()(const std::string& name, std::optional<Child>& child) {
    if (child) (*this)(name, *child);
  }
  /// Children of a list are named by their position: "layers.0", "layers.1", ...
  template <class Child>
  void operator()(const std::string& name, std::vector<Child>& children) {
    for (std::size_t i = 0; i < children.size(); ++i) {
      (*this)(name + "." + std::to_string(i), children[i]);
    }
  }

 protected:
  virtual void on_parameter(const std::string& name, Variable& parameter) = 0;
  virtual void on_module(const std::string& name, Module& child) = 0;
  virtual void on_generator(const std::string& name, Generator& generator) = 0;
};

/// A parameter with its path in the module, e.g. "encoder.layers.0.feed_forward.first.weight".
struct NamedParameter {
  std::string name;
  Variable parameter;
};

/// A module inside another with its path there, e.g. "encoder.layers.0".
struct NamedModule {
  std::string name;
  const Module* module;
};

/// Values of parameters by name.
using StateDict = std::map<std::string, Tensor>;

/// Base of everything that holds parameters. Parts are ordinary members; list_parts() names each
/// of them once, and all the rest follows from that list. A parameter that stands in two places is
/// tied: it is one Variable and is counted, stepped and saved once, under its first name.
///
/// Copying a module copies handles: both share their parameters. clone_parameters() gives the copy
/// its own.
class Module {
 public:
  virtual ~Module() = default;

  /// All parameters, each once, in the order of list_parts().
  [[nodiscard]] std::vector<NamedParameter> named_parameters() const;
  [[nodiscard]] std::vector<Variable> parameters() const;
  /// The members that hold parameters, in the order of list_parts(); a tied parameter has several.
  [[nodiscard]] std::vector<Variable*> parameter_places();
  /// Number of trainable numbers.
  [[nodiscard]] Index parameter_count() const;
  void zero_grad() const;
  /// All modules inside this one, at any depth, in the order of list_parts().
  [[nodiscard]] std::vector<NamedModule> named_modules() const;

  /// Training mode (the initial state) or evaluation mode, here and in all children: dropout acts
  /// in training only.
  void train(bool training = true);
  void eval() { train(false); }
  [[nodiscard]] bool is_training() const noexcept { return is_training_; }

  /// The values of all parameters by name: handles, not copies.
  [[nodiscard]] StateDict state_dict() const;
  /// Copies values into the parameters. Further names of tied parameters are accepted.
  /// \throws FormatError listing missing, unknown and misshapen names; nothing has changed then.
  void load_state_dict(const StateDict& state);

  /// Parameters converted to f32 or f64; tied ones stay tied, gradients are dropped.
  void to(DType dtype);
  /// Parameters replaced by copies that share nothing with any other module.
  void clone_parameters();

  /// States of the random generators inside (dropout), by name.
  [[nodiscard]] std::map<std::string, Generator::State> generator_states() const;
  /// \throws FormatError if the names differ
  void set_generator_states(const std::map<std::string, Generator::State>& states);

  /// Sets the name of each parameter to its path, for error messages and pictures.
  void name_parameters() const;

  /// An indented list of the modules with their parameters' shapes and counts.
  [[nodiscard]] std::string to_string() const;

  /// Path of a module inside this one; empty if it is this one or not inside.
  [[nodiscard]] std::string path_of(const void* module) const;

  /// The type's name, for to_string() and error messages, e.g. "Linear".
  [[nodiscard]] virtual std::string type_name() const = 0;

 protected:
  Module() = default;
  Module(const Module&) = default;
  Module(Module&&) = default;
  Module& operator=(const Module&) = default;
  Module& operator=(Module&&) = default;

  /// Names every parameter, child and generator: `parts("weight", weight);`.
  virtual void list_parts(Parts& parts) = 0;

 private:
  friend struct ModuleAccess;
  bool is_training_ = true;
};

/// Tells observers that operations belong to a module, under the path it has in the outermost
/// module that runs: "Transformer.encoder.layers.0".
class ModuleScope {
 public:
  explicit ModuleScope(const Module& module);
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;
  ~ModuleScope();

 private:
  bool is_outermost_;
  std::optional<ObservedScope> scope_;
};

/// Runs `body`; an Error that leaves it is told in which module it happened, and observers (traces,
/// profiles) to which module its operations belong. For the forward of a module:
/// `return in_module(*this, [&] { ... });`.
template <class Body>
decltype(auto) in_module(const Module& module, Body&& body) {
  std::optional<ModuleScope> scope;
  if (tensorette::detail::is_observed()) [[unlikely]]
    scope.emplace(module);
  try {
    return std::forward<Body>(body)();
  } catch (Error& error) {
    if (error.origin() == nullptr) error.set_origin(&module);
    const std::string path = module.path_of(error.origin());
    error.set_place(module.type_name() + (path.empty() ? "" : " " + path));
    throw;
  }
}

}  // namespace tensorette::nn
