#include <algorithm>
#include <functional>
#include <tensorette/nn/module.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <unordered_map>
#include <unordered_set>

namespace tensorette::nn {

/// Lets the walk below call list_parts(), which is for modules alone.
struct ModuleAccess {
  static void list_parts(Module& module, Parts& parts) { module.list_parts(parts); }
  static void set_training(Module& module, bool training) { module.is_training_ = training; }
};

namespace {

using detail::require;

// What to do with each part of a tree; paths are relative to the module the walk began at.
struct Visitor {
  std::function<void(const std::string&, Variable&)> parameter{};
  std::function<void(const std::string&, Module&)> module{};  // before its parts
  std::function<void(const std::string&, Generator&)> generator{};
};

class Walk final : public Parts {
 public:
  explicit Walk(const Visitor& visitor) : visitor_(visitor) {}

 protected:
  void on_parameter(const std::string& name, Variable& parameter) override {
    if (visitor_.parameter) visitor_.parameter(prefix_ + name, parameter);
  }
  void on_generator(const std::string& name, Generator& generator) override {
    if (visitor_.generator) visitor_.generator(prefix_ + name, generator);
  }
  void on_module(const std::string& name, Module& child) override {
    if (visitor_.module) visitor_.module(prefix_ + name, child);
    const std::size_t length = prefix_.size();
    prefix_ += name + ".";
    ModuleAccess::list_parts(child, *this);
    prefix_.resize(length);
  }

 private:
  const Visitor& visitor_;
  std::string prefix_;
};

// Walking changes nothing by itself; whether the visitor does is the caller's affair.
void walk(const Module& module, const Visitor& visitor) {
  Walk parts(visitor);
  ModuleAccess::list_parts(const_cast<Module&>(module), parts);
}

}  // namespace

std::vector<NamedParameter> Module::named_parameters() const {
  std::vector<NamedParameter> list;
  std::unordered_set<const Node*> seen;
  walk(*this, {.parameter = [&](const std::string& name, Variable& parameter) {
    if (seen.insert(parameter.node().get()).second) list.push_back({name, parameter});
  }});
  return list;
}

std::vector<Variable> Module::parameters() const {
  std::vector<Variable> list;
  for (NamedParameter& named : named_parameters()) list.push_back(std::move(named.parameter));
  return list;
}

std::vector<Variable*> Module::parameter_places() {
  std::vector<Variable*> places;
  walk(*this, {.parameter = [&places](const std::string&, Variable& parameter) {
    places.push_back(&parameter);
  }});
  return places;
}

std::vector<NamedModule> Module::named_modules() const {
  std::vector<NamedModule> list;
  walk(*this, {.module = [&](const std::string& name, Module& child) {
    list.push_back({name, &child});
  }});
  return list;
}

Index Module::parameter_count() const {
  Index count = 0;
  for (const NamedParameter& named : named_parameters()) count += named.parameter.element_count();
  return count;
}

void Module::zero_grad() const {
  for (const NamedParameter& named : named_parameters()) named.parameter.zero_grad();
}

void Module::train(bool training) {
  is_training_ = training;
  walk(*this, {.module = [training](const std::string&, Module& child) {
    ModuleAccess::set_training(child, training);
  }});
}

StateDict Module::state_dict() const {
  StateDict state;
  for (const NamedParameter& named : named_parameters()) {
    state.emplace(named.name, named.parameter.value());
  }
  return state;
}

void Module::load_state_dict(const StateDict& state) {
  std::vector<std::string> problems;
  std::unordered_set<std::string> known;
  walk(*this, {.parameter = [&](const std::string& name, Variable&) { known.insert(name); }});
  for (const auto& [name, value] : state) {
    if (!known.contains(name)) problems.push_back(fmt::format("unknown: {}", name));
  }
  const std::vector<NamedParameter> list = named_parameters();
  for (const auto& [name, parameter] : list) {
    const auto found = state.find(name);
    if (found == state.end()) {
      problems.push_back(fmt::format("missing: {} {}", name, parameter.shape()));
    } else if (found->second.shape() != parameter.shape()) {
      problems.push_back(fmt::format("{}: the state has shape {}, the module {}", name,
                                     found->second.shape(), parameter.shape()));
    } else if (!is_floating(found->second.dtype())) {
      problems.push_back(fmt::format("{}: the state is {}", name, found->second.dtype()));
    }
  }
  require<FormatError>(problems.empty(), "load_state_dict: the state does not fit {}:\n  {}",
                       type_name(), fmt::join(problems, "\n  "));
  for (const auto& [name, parameter] : list) {
    Variable target = parameter;
    copy_(target.mutable_value(), state.at(name).to(parameter.dtype()));
  }
}

namespace {

// Replaces every parameter by a leaf with the value that `change` gives, one leaf for tied ones.
void replace_parameters(Module& module, const std::function<Tensor(const Tensor&)>& change) {
  std::unordered_map<const Node*, Variable> replaced;
  std::vector<Variable> old;  // keeps the keys alive and their addresses unique
  walk(module, {.parameter = [&](const std::string&, Variable& variable) {
         auto [entry, is_new] = replaced.try_emplace(variable.node().get());
         if (is_new) {
           old.push_back(variable);
           entry->second = parameter(change(variable.value()), variable.name());
         }
         variable = entry->second;
       }});
}

}  // namespace

void Module::to(DType dtype) {
  require<DTypeError>(is_floating(dtype), "to: parameters are f32 or f64, not {}", dtype);
  replace_parameters(*this, [dtype](const Tensor& value) { return value.to(dtype); });
}

void Module::clone_parameters() {
  replace_parameters(*this, [](const Tensor& value) { return value.clone(); });
}

std::map<std::string, Generator::State> Module::generator_states() const {
  std::map<std::string, Generator::State> states;
  walk(*this, {.generator = [&](const std::string& name, Generator& generator) {
    states.emplace(name, generator.state());
  }});
  return states;
}

void Module::set_generator_states(const std::map<std::string, Generator::State>& states) {
  const auto own = generator_states();
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  require<FormatError>(
      std::equal(own.begin(), own.end(), states.begin(), states.end(), same_name),
      "set_generator_states: {} states for the {} generators of {}, or other names", states.size(),
      own.size(), type_name());
  walk(*this, {.generator = [&](const std::string& name, Generator& generator) {
    generator.set_state(states.at(name));
  }});
}

void Module::name_parameters() const {
  for (const NamedParameter& named : named_parameters()) named.parameter.set_name(named.name);
}

std::string Module::to_string() const {
  const auto depth_of = [](const std::string& path) {
    return 2 * (1 + static_cast<std::size_t>(std::count(path.begin(), path.end(), '.')));
  };
  std::string text = fmt::format("{}  ({} parameters)\n", type_name(), parameter_count());
  walk(*this, {.parameter =
                   [&](const std::string& name, Variable& parameter) {
                     text +=
                         fmt::format("{:{}}{} {}\n", "", depth_of(name), name, parameter.shape());
                   },
               .module =
                   [&](const std::string& name, Module& child) {
                     text += fmt::format("{:{}}{}: {}  ({} parameters)\n", "", depth_of(name), name,
                                         child.type_name(), child.parameter_count());
                   }});
  return text;
}

std::string Module::path_of(const void* module) const {
  std::string path;
  walk(*this, {.module = [&](const std::string& name, Module& child) {
    if (&child == module) path = name;
  }});
  return path;
}

}  // namespace tensorette::nn
