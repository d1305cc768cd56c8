/// \file
/// Activation functions, by name.
#pragma once

#include <string_view>
#include <tensorette/nn/module.hpp>

namespace tensorette::nn {

/// The functions that stand between linear maps.
enum class Activation { relu, gelu, gelu_tanh, silu, tanh, sigmoid };

[[nodiscard]] Variable activate(const Variable& x, Activation activation);
[[nodiscard]] std::string_view name_of(Activation activation) noexcept;

/// An activation as a module without parameters, for Sequential.
class ActivationLayer : public Module {
 public:
  explicit ActivationLayer(Activation activation) noexcept : activation_(activation) {}
  [[nodiscard]] Variable forward(const Variable& x) const { return activate(x, activation_); }
  [[nodiscard]] std::string type_name() const override { return std::string(name_of(activation_)); }

 protected:
  void list_parts(Parts&) override {}

 private:
  Activation activation_;
};

struct ReLU final : ActivationLayer {
  ReLU() noexcept : ActivationLayer(Activation::relu) {}
};
struct GELU final : ActivationLayer {
  GELU() noexcept : ActivationLayer(Activation::gelu) {}
};
struct SiLU final : ActivationLayer {
  SiLU() noexcept : ActivationLayer(Activation::silu) {}
};
struct Tanh final : ActivationLayer {
  Tanh() noexcept : ActivationLayer(Activation::tanh) {}
};
struct Sigmoid final : ActivationLayer {
  Sigmoid() noexcept : ActivationLayer(Activation::sigmoid) {}
};

/// Softmax along an axis, as a module.
class Softmax final : public Module {
 public:
  explicit Softmax(int axis = -1) noexcept : axis_(axis) {}
  [[nodiscard]] Variable forward(const Variable& x) const;
  [[nodiscard]] std::string type_name() const override { return "Softmax"; }

 protected:
  void list_parts(Parts&) override {}

 private:
  int axis_;
};

}  // namespace tensorette::nn
