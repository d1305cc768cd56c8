#include <cmath>
#include <limits>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/elementwise.hpp>

#include "operators.hpp"

namespace tensorette::testing::onnx {
namespace {

using Unary = Tensor (*)(const Tensor&);
using Binary = Tensor (*)(const Tensor&, const Tensor&);

void add_unary(OperatorTable& table, const char* name, Unary function) {
  table[name] = [function](const Vector& v) { return std::vector{function(v.input(0))}; };
}

void add_binary(OperatorTable& table, const char* name, Binary function) {
  table[name] = [function](const Vector& v) {
    return std::vector{function(v.input(0), v.input(1))};
  };
}

/// One function over any number of inputs, from left to right.
Tensor folded(const Vector& v, Binary function) {
  Tensor result = v.input(0);
  for (std::size_t i = 1; i < v.inputs.size(); ++i) result = function(result, v.input(i));
  return result;
}

void add_folded(OperatorTable& table, const char* name, Binary function) {
  table[name] = [function](const Vector& v) { return std::vector{folded(v, function)}; };
}

Tensor clip(const Vector& v) {
  Tensor x = v.input(0);
  if (v.has_input(1)) x = maximum(x, v.input(1));
  return v.has_input(2) ? minimum(x, v.input(2)) : x;
}

}  // namespace

void add_elementwise_operators(OperatorTable& table) {
  add_unary(table, "Abs", abs);
  add_unary(table, "Cos", cos);
  add_unary(table, "Erf", erf);
  add_unary(table, "Exp", exp);
  add_unary(table, "Log", log);
  add_unary(table, "Neg", negate);
  add_unary(table, "Not", logical_not);
  add_unary(table, "IsNaN", isnan);
  add_unary(table, "Reciprocal", reciprocal);
  add_unary(table, "Relu", relu);
  add_unary(table, "Sigmoid", sigmoid);
  add_unary(table, "Sign", sign);
  add_unary(table, "Sin", sin);
  add_unary(table, "Softplus", softplus);
  add_unary(table, "Sqrt", sqrt);
  add_unary(table, "Tanh", tanh);
  add_unary(table, "Identity", [](const Tensor& x) { return x; });
  add_binary(table, "Sub", subtract);
  add_binary(table, "Div", divide);
  add_binary(table, "Pow", pow);
  add_binary(table, "Equal", equal);
  add_binary(table, "Greater", greater);
  add_binary(table, "GreaterOrEqual", greater_equal);
  add_binary(table, "Less", less);
  add_binary(table, "LessOrEqual", less_equal);
  add_binary(table, "And", logical_and);
  add_binary(table, "Or", logical_or);
  add_binary(table, "Xor", logical_xor);
  add_folded(table, "Add", add);
  add_folded(table, "Sum", add);
  add_folded(table, "Mul", multiply);
  add_folded(table, "Max", maximum);
  add_folded(table, "Min", minimum);
  table["Mean"] = [](const Vector& v) {
    return std::vector{folded(v, add) / static_cast<double>(v.inputs.size())};
  };
  table["Clip"] = [](const Vector& v) { return std::vector{clip(v)}; };
  table["Elu"] = [](const Vector& v) {
    const Tensor& x = v.input(0);
    return std::vector{where(x > 0, x, expm1(x) * v.get("alpha", 1.0))};
  };
  table["LeakyRelu"] = [](const Vector& v) {
    const Tensor& x = v.input(0);
    return std::vector{where(x < 0, x * v.get("alpha", 0.01), x)};
  };
  table["Gelu"] = [](const Vector& v) {
    const bool is_tanh = v.get<std::string>("approximate", "none") == "tanh";
    return std::vector{is_tanh ? gelu_tanh(v.input(0)) : gelu(v.input(0))};
  };
  table["Swish"] = [](const Vector& v) {
    const double alpha = v.get("alpha", 1.0);
    return std::vector{silu(v.input(0) * alpha) / alpha};
  };
  table["SwiGLU"] = [](const Vector& v) { return std::vector{silu(v.input(0)) * v.input(1)}; };
  table["Where"] = [](const Vector& v) {
    return std::vector{where(v.input(0), v.input(1), v.input(2))};
  };
}

}  // namespace tensorette::testing::onnx
