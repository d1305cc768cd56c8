#include <tensorette/autograd/ops/elementwise.hpp>
#include <tensorette/autograd/ops/reduce.hpp>
#include <tensorette/nn/activation.hpp>

namespace tensorette::nn {

Variable activate(const Variable& x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return relu(x);
    case Activation::gelu:
      return gelu(x);
    case Activation::gelu_tanh:
      return gelu_tanh(x);
    case Activation::silu:
      return silu(x);
    case Activation::tanh:
      return tensorette::tanh(x);
    case Activation::sigmoid:
      return sigmoid(x);
  }
  return x;
}

std::string_view name_of(Activation activation) noexcept {
  switch (activation) {
    case Activation::relu:
      return "ReLU";
    case Activation::gelu:
      return "GELU";
    case Activation::gelu_tanh:
      return "GELU (tanh)";
    case Activation::silu:
      return "SiLU";
    case Activation::tanh:
      return "Tanh";
    case Activation::sigmoid:
      return "Sigmoid";
  }
  return "?";
}

Variable Softmax::forward(const Variable& x) const {
  return in_module(*this, [&] { return softmax(x, axis_); });
}

}  // namespace tensorette::nn
