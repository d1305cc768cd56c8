#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/nn/loss.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/elementwise.hpp>
#include <tensorette/tensor/matmul.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "operators.hpp"

namespace tensorette::testing::onnx {
namespace {

Tensor gemm(const Vector& v) {
  const Tensor a = v.get("transA", 0) != 0 ? transpose(v.input(0)) : v.input(0);
  const Tensor b = v.get("transB", 0) != 0 ? transpose(v.input(1)) : v.input(1);
  const Tensor product = matmul(a, b) * v.get("alpha", 1.0);
  return v.has_input(2) ? product + v.input(2) * v.get("beta", 1.0) : product;
}

/// x with all axes from `axis` on as one: what the norms here work on.
Tensor with_last_axis(const Vector& v, int axis) {
  return flatten(v.input(0), axis, -1);
}

std::vector<Tensor> layer_normalization(const Vector& v) {
  const int axis = normalize_axis("LayerNormalization", v.axis(-1), v.input(0).rank());
  const double epsilon = v.get("epsilon", 1e-5);
  const Tensor x = with_last_axis(v, axis);
  const Variable bias = v.has_input(2) ? Variable(flatten(v.input(2))) : Variable();
  const Variable y = layer_norm(x, flatten(v.input(1)), bias, epsilon);
  Shape kept = v.input(0).shape();
  for (int i = axis; i < kept.rank(); ++i) kept[i] = 1;
  return {reshape(y.value(), v.input(0).shape()), reshape(mean(x, -1), kept),
          reshape(rsqrt(variance(x, -1) + epsilon), kept)};
}

Tensor rms_normalization(const Vector& v) {
  const Variable y =
      rms_norm(with_last_axis(v, v.axis(-1)), flatten(v.input(1)), v.get("epsilon", 1e-5));
  return reshape(y.value(), v.input(0).shape());
}

/// There the classes are axis 1.
Tensor classes_last(const Tensor& scores) {
  std::vector<int> order{0};
  for (int axis = 2; axis < scores.rank(); ++axis) order.push_back(axis);
  order.push_back(1);
  return permute(scores, order);
}

nn::Reduction reduction_of(const Vector& v) {
  const auto name = v.get<std::string>("reduction", "mean");
  return name == "mean"  ? nn::Reduction::mean
         : name == "sum" ? nn::Reduction::sum
                         : nn::Reduction::none;
}

std::optional<Index> ignored(const Vector& v) {
  if (!v.has("ignore_index")) return std::nullopt;
  return v.get<Index>("ignore_index", 0);
}

std::vector<Tensor> softmax_cross_entropy(const Vector& v) {
  if (v.has_input(2)) throw NotOffered("losses weighted by class");
  const Variable loss =
      nn::cross_entropy(classes_last(v.input(0)), v.input(1),
                        {.ignore_index = ignored(v), .reduction = reduction_of(v)});
  return {loss.value(), log_softmax(v.input(0), 1)};
}

Tensor negative_log_likelihood(const Vector& v) {
  if (v.has_input(2)) throw NotOffered("losses weighted by class");
  return nn::nll(classes_last(v.input(0)), v.input(1),
                 {.ignore_index = ignored(v), .reduction = reduction_of(v)})
      .value();
}

std::vector<Tensor> dropout(const Vector& v) {
  const bool is_training = v.has_input(2) && v.input(2).item() != 0;
  if (is_training && v.input(1).item() != 0) throw NotOffered("another library's random numbers");
  const Tensor& x = v.input(0);
  return {x, full(x.shape(), true, DType::boolean)};
}

}  // namespace

void add_neural_operators(OperatorTable& table) {
  table["MatMul"] = [](const Vector& v) { return std::vector{matmul(v.input(0), v.input(1))}; };
  table["Gemm"] = [](const Vector& v) { return std::vector{gemm(v)}; };
  table["Softmax"] = [](const Vector& v) { return std::vector{softmax(v.input(0), v.axis(-1))}; };
  table["LogSoftmax"] = [](const Vector& v) {
    return std::vector{log_softmax(v.input(0), v.axis(-1))};
  };
  table["LayerNormalization"] = layer_normalization;
  table["RMSNormalization"] = [](const Vector& v) { return std::vector{rms_normalization(v)}; };
  table["SoftmaxCrossEntropyLoss"] = softmax_cross_entropy;
  table["NegativeLogLikelihoodLoss"] = [](const Vector& v) {
    return std::vector{negative_log_likelihood(v)};
  };
  table["Dropout"] = dropout;
}

}  // namespace tensorette::testing::onnx
