/// \file
/// What a model is made of and what it costs. Before: module.hpp, autograd/trace/cost.hpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tensorette/nn/module.hpp>
#include <tensorette/tensor/create.hpp>
#include <vector>

namespace tensorette::nn {

/// One module of a model. Costs include those of the modules inside.
struct SummaryRow {
  std::string path{};  ///< "encoder.layers.0"; empty for the model itself
  std::string type{};  ///< "Linear"
  /// Shape of what the last operation inside gave; none if it passes on its input as it is.
  std::optional<Shape> output{};
  Index calls = 0;             ///< 0: it did not run
  Index parameters = 0;        ///< numbers to train; tied ones count once
  double flops = 0;            ///< of its forward; see flops_of()
  Index activation_bytes = 0;  ///< of the values its operations make; views are free
};

struct ModelSummary {
  std::vector<SummaryRow> rows{};  ///< the model first, then its modules, each before its parts
};

/// Shape and dtype of an argument of forward().
struct SummaryInput {
  SummaryInput(std::initializer_list<Index> sizes) : shape(sizes) {}
  SummaryInput(const Shape& shape_, DType dtype_)  // NOLINT(google-explicit-constructor)
      : shape(shape_), dtype(dtype_) {}

  Shape shape;
  DType dtype = DType::f32;
};

/// Counts while `forward` runs the model once, without recording a graph. States of random
/// generators are put back.
[[nodiscard]] ModelSummary summary(Module& model, const std::function<void()>& forward);

/// The same for a model whose forward() takes one, two or three tensors, which are all zeros:
///
///     summary(encoder, {{2, 10, 64}});
///     summary(transformer, {{{2, 10}, tt::DType::i64}, {{2, 9}, tt::DType::i64}});
///
/// \throws Error for another number of inputs than forward() takes; what forward() throws
template <class Model>
requires std::is_base_of_v<Module, Model>
[[nodiscard]] ModelSummary summary(Model& model, const std::vector<SummaryInput>& inputs) {
  std::vector<Tensor> x;
  x.reserve(inputs.size());
  for (const SummaryInput& input : inputs) x.push_back(zeros(input.shape, input.dtype));
  return summary(static_cast<Module&>(model), [&] {
    if constexpr (requires { model.forward(x[0]); }) {
      if (x.size() == 1) return static_cast<void>(model.forward(x[0]));
    }
    if constexpr (requires { model.forward(x[0], x[1]); }) {
      if (x.size() == 2) return static_cast<void>(model.forward(x[0], x[1]));
    }
    if constexpr (requires { model.forward(x[0], x[1], x[2]); }) {
      if (x.size() == 3) return static_cast<void>(model.forward(x[0], x[1], x[2]));
    }
    throw Error("summary: forward of " + model.type_name() + " does not take " +
                std::to_string(x.size()) + " tensors");
  });
}

/// A table.
[[nodiscard]] std::string to_string(const ModelSummary& summary);

}  // namespace tensorette::nn
