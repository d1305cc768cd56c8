#include <tensorette/autograd/detail/recorded_call.hpp>
#include <tensorette/autograd/functional.hpp>
#include <tensorette/autograd/ops/shaping.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette {
namespace {

using detail::is_differentiable;
using detail::RecordedCall;
using detail::require;

using Blocks = std::vector<std::vector<Variable>>;  // by output, then by input

Tensor one_hot(const Variable& like, Index element) {
  Tensor flat = zeros({like.element_count()}, like.dtype());
  Tensor place = slice(flat, 0, element, element + 1);
  fill_(place, 1);
  return reshape(flat, like.shape());
}

Index elements_of(std::span<const Variable> variables) {
  Index count = 0;
  for (const Variable& variable : variables) {
    if (is_differentiable(variable)) count += variable.element_count();
  }
  return count;
}

Shape joined(const char* operation, const Shape& output, const Shape& input) {
  require(output.rank() + input.rank() <= max_rank,
          "{}: derivatives of {} by {} would have rank {}, the highest is {}", operation, output,
          input, output.rank() + input.rank(), max_rank);
  std::vector<Index> sizes(output.begin(), output.end());
  sizes.insert(sizes.end(), input.begin(), input.end());
  return Shape(sizes);
}

// Derivatives of one output by one input, from slices along the rows or the columns of the matrix.
Variable block_of(const char* operation, const std::vector<Variable>& slices, int axis,
                  const Variable& output, const Variable& input) {
  const Shape shape = joined(operation, output.shape(), input.shape());
  if (slices.empty()) return zeros(shape, input.dtype());
  std::vector<Variable> flat;
  for (const Variable& slice : slices) flat.push_back(reshape(slice, {slice.element_count()}));
  return reshape(stack(flat, axis), shape);
}

// For each element of `along`, the derivatives found with a 1 in its place and nothing elsewhere:
// slices[e][k], with e counting the elements of one of them, k the results of `find`.
template <class Find>
std::vector<std::vector<Variable>> slices_of(std::span<const Variable> along, std::size_t which,
                                             Find&& find) {
  std::vector<std::vector<Variable>> slices;
  std::vector<Variable> directions(along.size());
  for (Index element = 0; element < along[which].element_count(); ++element) {
    directions[which] = one_hot(along[which], element);
    slices.push_back(find(directions));
  }
  return slices;
}

std::vector<Variable> column(const std::vector<std::vector<Variable>>& slices, std::size_t k) {
  std::vector<Variable> result;
  for (const auto& slice : slices) result.push_back(slice[k]);
  return result;
}

Blocks jacobian_of(const char* operation, const RecordedCall& recorded) {
  const auto outputs = recorded.outputs();
  const auto inputs = recorded.inputs();
  Blocks blocks(outputs.size(), std::vector<Variable>(inputs.size()));
  constexpr Index cost_of_jvp = 2;  // in vjps, where one linearisation serves many
  if (elements_of(outputs) <= cost_of_jvp * elements_of(inputs)) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!is_differentiable(outputs[i])) continue;
      const auto rows = slices_of(outputs, i, [&](const std::vector<Variable>& cotangents) {
        return recorded.pull_back(cotangents);
      });
      for (std::size_t j = 0; j < inputs.size(); ++j) {
        if (!is_differentiable(inputs[j])) continue;
        blocks[i][j] = block_of(operation, column(rows, j), 0, outputs[i], inputs[j]);
      }
    }
    return blocks;
  }
  const RecordedCall::Linear linear = recorded.linearized();
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    if (!is_differentiable(inputs[j])) continue;
    const auto columns = slices_of(inputs, j, [&](const std::vector<Variable>& tangents) {
      return recorded.push_forward(linear, tangents);
    });
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!is_differentiable(outputs[i])) continue;
      blocks[i][j] = block_of(operation, column(columns, i), 1, outputs[i], inputs[j]);
    }
  }
  return blocks;
}

FunctionOfMany of_one(const Function& f) {
  return [&f](std::span<const Variable> inputs) { return f(inputs[0]); };
}

}  // namespace

std::vector<std::vector<Variable>> jacobian(const FunctionsOfMany& f,
                                            const std::vector<Variable>& inputs) {
  return jacobian_of("jacobian", RecordedCall("jacobian", f, inputs));
}

std::vector<Variable> jacobian(const FunctionOfMany& f, const std::vector<Variable>& inputs) {
  const FunctionsOfMany list = [&f](std::span<const Variable> in) {
    std::vector<Variable> outputs{f(in)};
    require<DTypeError>(is_differentiable(outputs[0]),
                        "jacobian: the function must give f32 or f64");
    return outputs;
  };
  return jacobian(list, inputs)[0];
}

Variable jacobian(const Function& f, const Variable& x) {
  require<DTypeError>(!x.is_defined() || is_floating(x.dtype()),
                      "jacobian: the input is {}; derivatives need f32 or f64", x.dtype());
  return jacobian(of_one(f), {x})[0];
}

std::vector<std::vector<Variable>> hessian(const FunctionOfMany& f,
                                           const std::vector<Variable>& inputs) {
  return jacobian_of("hessian", RecordedCall("hessian", grad(f), inputs));
}

Variable hessian(const Function& f, const Variable& x) {
  require<DTypeError>(!x.is_defined() || is_floating(x.dtype()),
                      "hessian: the input is {}; derivatives need f32 or f64", x.dtype());
  return hessian(of_one(f), {x})[0][0];
}

}  // namespace tensorette
