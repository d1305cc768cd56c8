/// \file
/// Modules one after the other.
#pragma once

#include <memory>
#include <tensorette/nn/module.hpp>
#include <vector>

namespace tensorette::nn {

/// Applies its modules in order: `Sequential(Linear(...), ReLU(), Linear(...))`. Each has
/// `Variable forward(const Variable&)`. Parts are named "0", "1", ...
class Sequential final : public Module {
 public:
  template <class... Modules>
  requires(std::is_base_of_v<Module, std::remove_cvref_t<Modules>>&&...) explicit Sequential(
      Modules&&... modules) {
    (append(std::forward<Modules>(modules)), ...);
  }

  template <class Layer>
  requires std::is_base_of_v<Module, Layer>
  void append(Layer layer) { steps_.push_back(std::make_unique<StepOf<Layer>>(std::move(layer))); }

  Sequential(const Sequential& other) : Module(other) {
    for (const auto& step : other.steps_) steps_.push_back(step->clone());
  }
  Sequential(Sequential&&) = default;
  Sequential& operator=(Sequential other) noexcept {
    Module::operator=(other);
    steps_.swap(other.steps_);
    return *this;
  }
  ~Sequential() override = default;

  [[nodiscard]] Variable forward(const Variable& x) const {
    return in_module(*this, [&] {
      Variable y = x;
      for (const auto& step : steps_) y = step->forward(y);
      return y;
    });
  }
  [[nodiscard]] std::size_t size() const noexcept { return steps_.size(); }
  [[nodiscard]] std::string type_name() const override { return "Sequential"; }

 protected:
  void list_parts(Parts& parts) override {
    for (std::size_t i = 0; i < steps_.size(); ++i) parts(std::to_string(i), steps_[i]->module());
  }

 private:
  struct Step {
    virtual ~Step() = default;
    [[nodiscard]] virtual Variable forward(const Variable& x) const = 0;
    [[nodiscard]] virtual Module& module() noexcept = 0;
    [[nodiscard]] virtual std::unique_ptr<Step> clone() const = 0;
  };
  template <class Layer>
  struct StepOf final : Step {
    explicit StepOf(Layer moved) : layer(std::move(moved)) {}
    Variable forward(const Variable& x) const override { return layer.forward(x); }
    Module& module() noexcept override { return layer; }
    std::unique_ptr<Step> clone() const override { return std::make_unique<StepOf>(layer); }
    Layer layer;
  };

  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace tensorette::nn
