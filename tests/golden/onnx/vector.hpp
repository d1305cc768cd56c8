/// \file
/// Test vectors of single operators: inputs, attributes and the outputs that belong to them.
///
/// A file has one JSON object a line, in the words of the ONNX standard:
///     {"test": .., "op": "Softmax", "attrs": {"axis": 0}, "node_inputs": ["x"],
///      "node_outputs": ["y"], "inputs": [{"name": "x", "dtype": "float32", "shape": [2],
///      "data": [0, "-inf"]}], "outputs": [..]}
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tensorette/tensor/tensor.hpp>
#include <vector>

namespace tensorette::testing::onnx {

/// Something that the standard has and the library has not.
struct NotOffered : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One vector. Inputs and outputs by place; undefined where one is left out.
struct Vector {
  std::string test{};
  std::string op{};
  nlohmann::json attributes{};
  std::vector<Tensor> inputs{};
  std::vector<Tensor> outputs{};

  [[nodiscard]] bool has_input(std::size_t place) const {
    return place < inputs.size() && inputs[place].is_defined();
  }
  [[nodiscard]] bool wants_output(std::size_t place) const {
    return place < outputs.size() && outputs[place].is_defined();
  }
  [[nodiscard]] const Tensor& input(std::size_t place) const;
  [[nodiscard]] bool has(const char* attribute) const { return attributes.contains(attribute); }
  template <class T>
  [[nodiscard]] T get(const char* attribute, T otherwise) const {
    return attributes.value(attribute, otherwise);
  }
  [[nodiscard]] int axis(int otherwise) const { return get("axis", otherwise); }
};

/// \throws NotOffered for an element type that the library lacks. int32 is read as i64.
[[nodiscard]] Vector read_vector(const nlohmann::json& json);

/// The elements of an integer tensor, such as a list of axes.
[[nodiscard]] std::vector<Index> integers(const Tensor& x);
[[nodiscard]] std::vector<int> axes_in(const Tensor& x);

/// Whether shape, dtype and values agree: integers exactly, floats to 1e-5 of max(1, |expected|) in
/// f32 and 1e-10 in f64. Equal infinities agree, and NaN with NaN.
[[nodiscard]] bool agrees(const Tensor& actual, const Tensor& expected);

}  // namespace tensorette::testing::onnx
